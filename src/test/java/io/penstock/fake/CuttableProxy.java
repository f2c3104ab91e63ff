package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A TCP proxy to another port that can be cut, as if the process behind it had ended. */
public final class CuttableProxy implements AutoCloseable {
  private volatile int target;
  private final int port = RunningGateway.freePort();
  private final List<Socket> open = new ArrayList<>();
  private @Nullable ServerSocket listening;

  /** Creates a proxy to a port of this machine. */
  public CuttableProxy(int target) {
    this.target = target;
    restore();
  }

  /** Leads new connections to another port of this machine; those that exist stay. */
  public void leadTo(int port) {
    target = port;
  }

  /** Returns the proxy's port. */
  public int port() {
    return port;
  }

  /** Accepts connections. */
  public synchronized void restore() {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      listening = socket;
      Thread.startVirtualThread(() -> accept(socket));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept(ServerSocket socket) {
    try {
      while (!socket.isClosed()) {
        Socket client = socket.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        keep(client, server);
        Thread.startVirtualThread(() -> copy(client, server));
        Thread.startVirtualThread(() -> copy(server, client));
      }
    } catch (IOException cut) {
      close(socket);
    }
  }

  private synchronized void keep(Socket client, Socket server) {
    open.add(client);
    open.add(server);
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException cut) {
      close(to);
    }
  }

  /** Breaks all connections and refuses new ones. */
  public synchronized void cut() {
    if (listening != null) {
      close(listening);
    }
    open.forEach(CuttableProxy::close);
    open.clear();
  }

  private static void close(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    cut();
  }
}
