package io.penstock.bench;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.time.Ticker;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Clients that repeatedly acquire a place of one semaphore, at any of several gateways, and that
 * can be killed: they then disappear without releasing it, and a new client replaces them.
 */
final class SemaphoreClients implements AutoCloseable {
  private static final long LEAST_NANOS = 100_000_000;
  private static final long MOST_NANOS = 300_000_000;

  private final int places;
  private final long expiresMillis;
  private final int members;
  private final IntUnaryOperator ports;
  private final Ticker ticker = Ticker.system();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Client> clients = new ArrayList<>();
  private final AtomicInteger holding = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger killedHolding = new AtomicInteger();
  private final AtomicLong keys = new AtomicLong();
  private final AtomicLong heldNanos = new AtomicLong();
  private final Random random = new Random(7);
  private volatile int gone = -1;
  private volatile long countsFrom = Long.MAX_VALUE;
  private volatile boolean over;
  private int killed;

  SemaphoreClients(int places, long expiresMillis, int members, IntUnaryOperator ports) {
    this.places = places;
    this.expiresMillis = expiresMillis;
    this.members = members;
    this.ports = ports;
  }

  /** Starts clients. */
  void start(int count) {
    for (int i = 0; i < count; i++) {
      Client client = new Client(random.nextLong());
      clients.add(client);
      threads.execute(client);
    }
  }

  /** Stops using a gateway. */
  void gone(int member) {
    gone = member;
  }

  /** Kills a random client; a new one replaces it. */
  void killOne() {
    int victim = random.nextInt(clients.size());
    clients.get(victim).kill();
    killed++;
    Client next = new Client(random.nextLong());
    clients.set(victim, next);
    threads.execute(next);
  }

  /** Starts to count held places from now on. */
  void beginCounting() {
    countsFrom = ticker.nanos();
  }

  /** Returns the fraction of all places and time since then that live clients held. */
  double heldShare() {
    return (double) heldNanos.get() / (ticker.nanos() - countsFrom) / places;
  }

  int most() {
    return most.get();
  }

  int served() {
    return served.get();
  }

  int killed() {
    return killed;
  }

  int killedHolding() {
    return killedHolding.get();
  }

  /** Stops all clients, those with a place after they have released it. */
  void stop() {
    over = true;
    clients.forEach(Client::leave);
    threads.close();
  }

  @Override
  public void close() {
    stop();
  }

  private final class Client implements Runnable {
    private final Random chance;
    private volatile boolean dead;
    private volatile boolean holds;
    private volatile @Nullable ByteSocket byteSocket;

    Client(long seed) {
      chance = new Random(seed);
    }

    private int port() {
      int member = chance.nextInt(members);
      return ports.applyAsInt(member == gone ? (member + 1) % members : member);
    }

    private ByteSocket ask(String target) {
      ByteSocket asked = ByteSocket.to(port());
      byteSocket = asked;
      return asked.send(
          "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }

    void kill() {
      synchronized (this) {
        dead = true;
        if (holds) {
          holds = false;
          holding.decrementAndGet();
          killedHolding.incrementAndGet();
        }
      }
      leave();
    }

    void leave() {
      ByteSocket open = byteSocket;
      if (open != null) {
        open.close();
      }
    }

    @Override
    public void run() {
      while (!over && !dead) {
        try {
          visit("k" + keys.incrementAndGet());
        } catch (UncheckedIOException broken) {
          LockSupport.parkNanos(1_000_000); // its gateway, or the client itself, was killed
        }
      }
    }

    private void visit(String key) {
      String path = "/v1/semaphore/s/";
      try (ByteSocket asked =
          ask(path + "acquire?size=" + places + "&expires=" + expiresMillis + "&key=" + key)) {
        HttpMessage answer = asked.answer();
        if (answer.status() != 200 || !begins()) {
          LockSupport.parkNanos(1_000_000);
          return;
        }
      }
      long from = ticker.nanos();
      LockSupport.parkNanos(chance.nextLong(LEAST_NANOS, MOST_NANOS));
      if (ends(from)) {
        release(path + "release?key=" + key);
      }
    }

    private void release(String target) {
      while (!dead) {
        try (ByteSocket asked = ask(target)) {
          asked.answer();
          return;
        } catch (UncheckedIOException broken) {
          LockSupport.parkNanos(1_000_000); // tries again, at another gateway
        }
      }
    }

    private synchronized boolean begins() {
      if (dead) {
        return false;
      }
      holds = true;
      served.incrementAndGet();
      most.accumulateAndGet(holding.incrementAndGet(), Math::max);
      return true;
    }

    private synchronized boolean ends(long from) {
      if (!holds) {
        return false;
      }
      holds = false;
      holding.decrementAndGet();
      heldNanos.addAndGet(Math.max(0, ticker.nanos() - Math.max(from, countsFrom)));
      return true;
    }
  }
}
