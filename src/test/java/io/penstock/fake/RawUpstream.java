package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An upstream that handles each connection as its script says. The connection is closed when the
 * script returns.
 */
public final class RawUpstream implements AutoCloseable {
  /** Handles a connection. */
  @FunctionalInterface
  public interface Script {
    /** Serves one connection; an exception of the socket ends it. */
    void serve(RawUpstream upstream, ByteSocket byteSocket) throws InterruptedException;
  }

  private final ServerSocket server;
  private final AtomicInteger connections = new AtomicInteger();
  private final CountDownLatch accepts = new CountDownLatch(1);
  private final Set<ByteSocket> open = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<HttpMessage> received = new LinkedBlockingQueue<>();
  private volatile Script script;

  private RawUpstream(ServerSocket server, Script script) {
    this.server = server;
    this.script = script;
  }

  /** Starts on a free port of the loopback. */
  public static RawUpstream start(Script script) {
    try {
      ServerSocket server = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
      RawUpstream upstream = new RawUpstream(server, script);
      Thread.ofVirtual().start(upstream::accept);
      return upstream;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sets the script of later connections. */
  public void script(Script next) {
    script = next;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException closed) {
      accepts.countDown(); // nobody connects any more
    }
  }

  private void serve(Socket socket) {
    try (ByteSocket byteSocket = new ByteSocket(socket)) {
      open.add(byteSocket);
      script.serve(this, byteSocket);
      open.remove(byteSocket);
    } catch (IOException | UncheckedIOException gone) {
      open.removeIf(byteSocket -> socket.isClosed());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Reads a request and keeps it for {@link #received}. A probe of the gateway, which may come at
   * any time, is answered here instead and ends the script.
   */
  public HttpMessage read(ByteSocket byteSocket) {
    HttpMessage request = byteSocket.request();
    if ("penstock-probe".equals(request.header("user-agent"))) {
      byteSocket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
      throw new UncheckedIOException(new IOException("it was a probe"));
    }
    received.add(request);
    return request;
  }

  /** Returns the next request that was read; fails if none comes. */
  public HttpMessage received() {
    return PatientWaits.take(received);
  }

  /** Returns the number of connections so far. */
  public int connections() {
    return connections.get();
  }

  /** Returns the address. */
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /** Returns the port. */
  public int port() {
    return server.getLocalPort();
  }

  /**
   * Returns a script that answers the request of each connection in the same way, and closes it.
   */
  public static Script answering(String answer) {
    return (upstream, byteSocket) -> {
      upstream.read(byteSocket);
      byteSocket.send(answer);
    };
  }

  /** Drops all received requests; returns the number of those that no test had taken. */
  public int drain() {
    List<HttpMessage> unasked = new ArrayList<>();
    received.drainTo(unasked);
    return unasked.size();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    PatientWaits.await(accepts); // a virtual thread accepts until it has noticed
    open.forEach(ByteSocket::close);
  }
}
