package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clients that repeatedly ask gateways for permits, and record each permit and each failure. A
 * gateway that is taken out of service gets no new requests, but must answer those that it already
 * has. Safe from any thread.
 */
final class PermitClients implements AutoCloseable {
  /**
   * The demand for one path.
   *
   * @param clients number of clients
   * @param leastTokens the smallest requested amount
   * @param mostTokens the largest requested amount
   * @param every the time between two requests of a client that need not wait
   */
  record Demand(String path, int clients, int leastTokens, int mostTokens, Duration every) {}

  /** Possible difference between two clocks, or two ways to round. */
  private static final long SLACK_MILLIS = 2;

  private final WallClock wall = WallClock.system();
  private final Ticker ticker = Ticker.system();
  private final String key;
  private final ReadWriteLock service = new ReentrantReadWriteLock();
  private final Queue<TimedPermit> permits = new ConcurrentLinkedQueue<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private List<JarGateway> serving;
  private volatile boolean over;

  PermitClients(String key, List<JarGateway> serving) {
    this.key = key;
    this.serving = List.copyOf(serving);
  }

  /** Starts clients that run until {@link #finish}. */
  void ask(Demand demand) {
    for (int i = 0; i < demand.clients(); i++) {
      int client = i;
      threads.execute(() -> askAgain(demand, client));
    }
  }

  private void askAgain(Demand demand, int client) {
    Random random = new Random(client);
    long at = ticker.nanos();
    for (int turn = client; !over; turn++) {
      once(turn, demand.path(), random.nextInt(demand.leastTokens(), demand.mostTokens() + 1));
      at = Math.max(at + demand.every().toNanos(), ticker.nanos() - demand.every().toNanos());
      for (long now = ticker.nanos(); now < at; now = ticker.nanos()) {
        LockSupport.parkNanos(at - now);
      }
    }
  }

  /**
   * A request that was sent.
   *
   * @param sentMillis the Unix time before it was sent
   */
  private record Sent(JarGateway gateway, ByteSocket wire, long sentMillis) {}

  private void once(int turn, String path, long tokens) {
    String target = path + "?tokens=" + tokens;
    try {
      Sent sent = send(turn, target);
      try (ByteSocket byteSocket = sent.wire()) {
        note(sent.gateway(), path, tokens, sent.sentMillis(), byteSocket.answer());
      }
    } catch (UncheckedIOException broken) {
      failures.add(target + " broke: " + broken.getMessage());
    }
  }

  private Sent send(int turn, String target) {
    service.readLock().lock();
    try {
      JarGateway gateway = serving.get(turn % serving.size());
      long sentMillis = wall.unixMillis();
      ByteSocket byteSocket = ByteSocket.to(gateway.port());
      return new Sent(gateway, byteSocket.send(JarGateway.request(key, target)), sentMillis);
    } finally {
      service.readLock().unlock();
    }
  }

  private void note(JarGateway gateway, String path, long tokens, long sent, HttpMessage answer) {
    long latest = wall.unixMillis() + SLACK_MILLIS;
    if (answer.status() != 200) {
      failures.add(
          "%s of %s was answered %d: %s"
              .formatted(path, gateway.name(), answer.status(), answer.text()));
      return;
    }
    double queued =
        JsonMapper.shared().readTree(answer.text()).required("queued_for_ms").asDouble();
    long earliest = sent + (long) queued - SLACK_MILLIS;
    permits.add(new TimedPermit(gateway.name(), path, tokens, earliest, latest));
  }

  /** Sends new requests only to these gateways, once this returns. */
  void serveBy(List<JarGateway> gateways) {
    service.writeLock().lock();
    try {
      serving = List.copyOf(gateways);
    } finally {
      service.writeLock().unlock();
    }
  }

  /** Waits until a gateway has given permits of a path in the given number of different windows. */
  void awaitWindows(JarGateway gateway, String path, long windowMillis, int windows) {
    PatientWaits.await()
        .failFast(() -> assertThat(failures).isEmpty())
        .until(
            () ->
                permits(path).stream()
                        .filter(each -> each.giver().equals(gateway.name()))
                        .mapToLong(each -> each.latestMillis() / windowMillis)
                        .distinct()
                        .count()
                    >= windows);
  }

  /** Stops all clients and waits until each has its last answer. */
  void finish() {
    over = true;
    threads.shutdown();
    try {
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).as("all are answered").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the permits of a path so far. */
  List<TimedPermit> permits(String path) {
    return permits.stream().filter(each -> each.path().equals(path)).toList();
  }

  /** Returns the answers other than permits. */
  List<String> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    over = true;
    threads.shutdownNow();
  }
}
