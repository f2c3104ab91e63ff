package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Ports for programs that cannot be told to choose one themselves, outside the range from which the
 * system assigns ports. A JVM owns a block of ports for as long as it listens on the first of them,
 * so that JVMs which test at the same time never give away the same port. Thread-safe.
 */
public final class FreePorts {
  private static final int FIRST_BLOCK = 20_000;
  private static final int BLOCKS = 120;
  private static final int BLOCK = 100;
  private static final Random RANDOM = new Random();

  /** The listeners that own a block each; ports are given from the last one's. */
  private static final Deque<ServerSocket> OWNERS = new ArrayDeque<>(List.of(claimed()));

  private static int given;

  private FreePorts() {}

  /** Returns a port on which nobody listens, and which no other caller gets. */
  public static synchronized int next() {
    while (true) {
      given++;
      if (given == BLOCK) {
        OWNERS.add(claimed());
        given = 1;
      }
      int port = OWNERS.getLast().getLocalPort() + given;
      Optional<ServerSocket> free = listening(port);
      if (free.isPresent()) {
        close(free.get());
        return port;
      }
    }
  }

  private static ServerSocket claimed() {
    int start = RANDOM.nextInt(BLOCKS);
    for (int tries = 0; tries < BLOCKS; tries++) {
      int port = FIRST_BLOCK + (start + tries) % BLOCKS * BLOCK;
      Optional<ServerSocket> free = listening(port);
      if (free.isPresent()) {
        return free.get();
      }
    }
    throw new IllegalStateException("all " + BLOCKS + " blocks of ports are taken");
  }

  private static Optional<ServerSocket> listening(int port) {
    try {
      return Optional.of(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
    } catch (BindException taken) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
