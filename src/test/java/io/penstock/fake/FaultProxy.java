package io.penstock.fake;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy to another port with a selectable fault, which can be switched while connections are
 * open. Behaves deterministically.
 */
public final class FaultProxy implements AutoCloseable {
  /** The kind of fault. */
  public enum Manner {
    /** No fault. */
    FINE,
    /** Requests arrive, but answers are lost. */
    ANSWERS_LOST,
    /** Connections open, but no bytes pass in either direction. */
    BLACK_HOLE,
    /** The target closes its connections, but the client's side stays open. */
    HALF_OPEN,
    /** Every connection is reset. */
    RESET
  }

  private final int target;
  private final ServerSocket listening;
  private final List<Pair> pairs = new ArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile Manner manner = Manner.FINE;
  private volatile long delayNanos;

  /** Creates a proxy to a port of this machine. */
  public FaultProxy(int target) {
    this.target = target;
    try {
      listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** Returns the proxy's port. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Returns the number of accepted connections. */
  public int accepted() {
    return accepted.get();
  }

  /** Delays, from now on, the bytes in both directions. */
  public void delay(long millis) {
    delayNanos = millis * 1_000_000;
  }

  /**
   * Changes the kind of fault. A connection that has lost bytes is closed once there is no fault
   * any more.
   */
  public void become(Manner next) {
    synchronized (pairs) {
      manner = next;
      for (Pair pair : List.copyOf(pairs)) {
        pair.become(next);
      }
      pairs.removeIf(pair -> pair.client.isClosed());
    }
  }

  private void accept() {
    try {
      while (!listening.isClosed()) {
        Socket client = listening.accept();
        accepted.incrementAndGet();
        lead(client);
      }
    } catch (IOException gone) {
      closed(listening);
    }
  }

  private void lead(Socket client) {
    synchronized (pairs) {
      try {
        Pair pair = new Pair(client, new Socket(InetAddress.getLoopbackAddress(), target));
        pairs.add(pair);
        pair.become(manner);
      } catch (IOException targetIsAway) {
        closed(client);
      }
    }
  }

  @Override
  public void close() {
    closed(listening);
    synchronized (pairs) {
      pairs.forEach(Pair::end);
      pairs.clear();
    }
  }

  private static void closed(AutoCloseable end) {
    try {
      end.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** A client's connection and the one to the target. */
  private final class Pair {
    private final Socket client;
    private final Socket server;
    private volatile boolean lossy;

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
      Thread.ofVirtual().start(() -> copy(client, server, false));
      Thread.ofVirtual().start(() -> copy(server, client, true));
    }

    void become(Manner next) {
      switch (next) {
        case FINE -> {
          if (lossy) {
            end();
          }
        }
        case ANSWERS_LOST, BLACK_HOLE -> lossy = true;
        case HALF_OPEN -> {
          lossy = true;
          closed(server);
        }
        case RESET -> reset();
      }
    }

    private void reset() {
      try {
        if (!client.isClosed()) {
          client.setSoLinger(true, 0);
        }
      } catch (IOException alreadyGone) {
        lossy = true;
      }
      end();
    }

    private void copy(Socket from, Socket to, boolean answers) {
      byte[] bytes = new byte[65_536];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
          LockSupport.parkNanos(delayNanos);
          boolean lost =
              switch (manner) {
                case FINE -> lossy;
                case ANSWERS_LOST -> answers;
                case BLACK_HOLE, HALF_OPEN, RESET -> true;
              };
          if (!lost) {
            out.write(bytes, 0, read);
            out.flush();
          }
        }
        ended();
      } catch (IOException gone) {
        ended();
      }
    }

    /** Handles the end of one connection: closes the other one, unless it is to stay open. */
    private void ended() {
      if (manner != Manner.HALF_OPEN || client.isClosed()) {
        end();
      }
    }

    void end() {
      closed(client);
      closed(server);
    }
  }
}
