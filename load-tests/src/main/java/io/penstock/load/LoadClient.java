package io.penstock.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/**
 * Sends the same request over and over on connections that are kept, one at a time on each: one
 * thread, no objects per request, so that most of the machine is left to who is measured.
 */
final class LoadClient {
  private static final int HIGHEST_MICROS = 60_000_000;

  private final ByteBuffer request;
  private final InetSocketAddress address;
  private final ByteBuffer read = ByteBuffer.allocateDirect(64 * 1024);
  private final Histogram micros = new Histogram(HIGHEST_MICROS, 3);
  private final Draw draw;
  private long requests;
  private long part;
  private long failures;

  private static final class Connection {
    final AnswerEnd end = new AnswerEnd();
    long sentNanos;
  }

  private LoadClient(int port, byte[] request, int numbers) {
    this.draw = new Draw(request, numbers);
    this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.request = ByteBuffer.allocateDirect(request.length).put(request).flip();
  }

  /**
   * Sends what the file {@code --request} has to {@code --port} on {@code --connections} for {@code
   * --warmup-ms} and then {@code --ms}, and says of the latter in one line: requests, failures,
   * nanoseconds, and the median and the 99th percentile of the time an answer took in microseconds.
   * With {@code --draw=N} each {@link Draw#NUMBER} of a request is another number below N each
   * time, the same in all places, and each {@link Draw#DIGIT} its last digit.
   */
  public static void main(String[] arguments) throws IOException {
    Arguments given = new Arguments(arguments);
    byte[] request = Files.readAllBytes(Path.of(given.text("request")));
    LoadClient client = new LoadClient(given.number("port"), request, given.number("draw", 0));
    System.out.println(
        client.run(given.number("connections"), given.number("warmup-ms"), 0, given.number("ms")));
  }

  /**
   * Does the same from this process, at once.
   *
   * @param partMillis of the time, from its beginning, are told apart
   */
  static Sent send(int port, byte[] request, int connections, int partMillis, int millis)
      throws IOException {
    LoadClient client = new LoadClient(port, request, 0);
    String whole = client.run(connections, 0, partMillis, millis);
    return new Sent(client.part, whole);
  }

  /**
   * What was sent.
   *
   * @param part how many answers there were in the part of the time that is told apart
   * @param whole the line that {@link #main} says
   */
  record Sent(long part, String whole) {}

  /** Returns a request as it goes over the wire. */
  static byte[] http(String path, String headers, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    String head =
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(path, headers, length);
    return (head + body).getBytes(StandardCharsets.UTF_8);
  }

  private String run(int connections, int warmupMillis, int partMillis, int millis)
      throws IOException {
    try (Selector selector = Selector.open()) {
      for (int at = 0; at < connections; at++) {
        open(selector, new Connection());
      }
      until(selector, System.nanoTime() + 1_000_000L * warmupMillis);
      micros.reset();
      requests = 0;
      failures = 0;
      long begun = System.nanoTime();
      until(selector, begun + 1_000_000L * partMillis);
      part = requests;
      until(selector, begun + 1_000_000L * millis);
      long nanos = System.nanoTime() - begun;
      return "%d %d %d %d %d"
          .formatted(
              requests,
              failures,
              nanos,
              micros.getValueAtPercentile(50),
              micros.getValueAtPercentile(99));
    }
  }

  private void until(Selector selector, long endNanos) throws IOException {
    for (long now = System.nanoTime(); now < endNanos; now = System.nanoTime()) {
      selector.select(key -> serve(selector, key), Math.max(1, (endNanos - now) / 1_000_000));
    }
  }

  private void serve(Selector selector, SelectionKey key) {
    Connection connection = (Connection) key.attachment();
    SocketChannel channel = (SocketChannel) key.channel();
    try {
      if (key.isConnectable()) {
        channel.finishConnect();
        key.interestOps(SelectionKey.OP_READ);
        send(channel, connection);
      } else {
        receive(selector, channel, connection);
      }
    } catch (IOException broken) {
      failures++;
      reopen(selector, channel, connection);
    }
  }

  private void receive(Selector selector, SocketChannel channel, Connection connection)
      throws IOException {
    int bytes = channel.read(read.clear());
    if (bytes < 0) {
      throw new IOException("closed before its answer");
    }
    if (!connection.end.reached(read.flip())) {
      return;
    }
    requests++;
    failures += connection.end.status() == 200 ? 0 : 1;
    long took = (System.nanoTime() - connection.sentNanos) / 1_000;
    micros.recordValue(Math.min(took, HIGHEST_MICROS));
    if (connection.end.closes()) {
      reopen(selector, channel, connection);
    } else {
      send(channel, connection);
    }
  }

  private void send(SocketChannel channel, Connection connection) throws IOException {
    connection.end.begin();
    draw.into(request);
    connection.sentNanos = System.nanoTime();
    ByteBuffer bytes = request.duplicate();
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private void open(Selector selector, Connection connection) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.configureBlocking(false);
    channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true);
    channel.register(selector, SelectionKey.OP_CONNECT, connection);
    channel.connect(address);
  }

  private void reopen(Selector selector, SocketChannel channel, Connection connection) {
    try {
      channel.close();
      open(selector, connection);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
