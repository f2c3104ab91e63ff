package io.penstock.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Requests that were sent one after the other, each on a connection of its own, and wait. */
final class ParkedBatch implements AutoCloseable {
  private final List<SocketChannel> clients = new ArrayList<>();
  private final ByteBuffer read = ByteBuffer.allocateDirect(64 * 1024);
  private int answers;
  private long firstNanos;
  private long lastNanos;

  /** Sends so many requests with a body. */
  ParkedBatch(Peer peer, String body, int many) throws IOException {
    byte[] request = LoadClient.http(peer.path(), Load.headers(peer), body);
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port());
    try {
      for (int at = 0; at < many; at++) {
        SocketChannel client = SocketChannel.open();
        clients.add(client);
        client.connect(address);
        ByteBuffer bytes = ByteBuffer.wrap(request);
        while (bytes.hasRemaining()) {
          client.write(bytes);
        }
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Returns how many requests were sent. */
  int size() {
    return clients.size();
  }

  /**
   * Waits until all are answered with 200.
   *
   * @return the time between the first answer and the last one, in nanoseconds
   * @throws IOException if one is answered otherwise, or not in time
   */
  long answeredNanos(Duration longest) throws IOException {
    try (Selector selector = Selector.open()) {
      for (SocketChannel client : clients) {
        client.configureBlocking(false);
        client.register(selector, SelectionKey.OP_READ, new AnswerEnd());
      }
      long end = System.nanoTime() + longest.toNanos();
      while (answers < clients.size()) {
        if (System.nanoTime() > end) {
          throw new IOException(
              "only %d of %d are answered within %s".formatted(answers, clients.size(), longest));
        }
        selector.select(this::serve, 100);
      }
    } catch (UncheckedIOException e) {
      throw new IOException("a parked request failed: " + e.getMessage(), e);
    }
    return lastNanos - firstNanos;
  }

  private void serve(SelectionKey key) {
    AnswerEnd answer = (AnswerEnd) key.attachment();
    try {
      if (((SocketChannel) key.channel()).read(read.clear()) < 0) {
        throw new IOException("closed before its answer");
      }
      if (!answer.reached(read.flip())) {
        return;
      }
      if (answer.status() != 200) {
        throw new IOException("status " + answer.status());
      }
      key.cancel();
      lastNanos = System.nanoTime();
      firstNanos = answers == 0 ? lastNanos : firstNanos;
      answers++;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes all connections; a client that waits has left then. */
  @Override
  public void close() throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
  }
}
