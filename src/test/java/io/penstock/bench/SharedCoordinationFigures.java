package io.penstock.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RedisServer;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures objects of the coordination API that are shared by three gateways, each in a process of
 * its own.
 */
@Isolated("measures")
@Timeout(400)
class SharedCoordinationFigures {
  private static final int MEMBERS = 3;
  private static final int PLACES = 10;
  private static final int CLIENTS = 500;
  private static final long EXPIRES_MILLIS = 2_000;
  private static final long SECONDS = Integer.getInteger("penstock.coordination.seconds", 40);
  private static final int WAITERS = 1_000;
  private static final int ROUNDS = 15;

  /** After this, a gateway has answered 20,000 requests, so that the relevant code is compiled. */
  private static final int WARM_UP = 60;

  private static final String HELD = "default:coordination:{semaphore:s}:x";

  @TempDir private Path directory;
  private final FigureTable figureTable = new FigureTable();
  private final Ticker ticker = Ticker.system();

  private GatewayFleet fleet(RedisServer redis) throws IOException {
    GatewayFleet gatewayFleet =
        new GatewayFleet(
            directory,
            MEMBERS,
            "endpoints: [{path: /a}]",
            Duration.ofMinutes(1),
            "--penstock.redis.url=" + redis.url(),
            "--penstock.coordination.tenant-share=1",
            "--penstock.coordination.enabled=true");
    for (int i = 0; i < MEMBERS; i++) {
      int port = gatewayFleet.port(i);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> get(port, "/.well-known/ready").status() == 200);
    }
    return gatewayFleet;
  }

  private static String request(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  }

  private static HttpMessage get(int port, String target) {
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send(request(target)).answer();
    }
  }

  private static void pass(long millis) throws InterruptedException {
    assertThat(new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }

  private void report() {
    System.out.println("\n" + figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }

  @Test
  void semaphore_isFullAndNeverFuller_whileClientsAndAGatewayAreKilled() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet(redis);
        SemaphoreClients clients =
            new SemaphoreClients(PLACES, EXPIRES_MILLIS, MEMBERS, gatewayFleet::port)) {
      clients.start(CLIENTS);
      pass(3_000);
      long from = ticker.nanos();
      long until = from + SECONDS * 1_000_000_000L;
      clients.beginCounting();
      List<Long> held = new ArrayList<>();
      Random random = new Random(1);
      boolean killed = false;
      while (ticker.nanos() < until) {
        held.add(Long.parseLong(redis.command("ZCARD", HELD).substring(1)));
        if (random.nextInt(40) == 0) {
          clients.killOne();
        }
        if (!killed && ticker.nanos() - from > SECONDS * 400_000_000L) {
          killed = true;
          clients.gone(1);
          gatewayFleet.kill(1);
        }
        pass(5);
      }
      double share = clients.heldShare();
      clients.stop();
      long stopped = ticker.nanos();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  get(gatewayFleet.port(0), "/v1/semaphore/s/stats").status() == 200
                      && none(redis));
      long left = (ticker.nanos() - stopped) / 1_000_000;
      double occupied = held.stream().mapToLong(Long::longValue).average().orElse(0) / PLACES;
      figureTable.add(
          "semaphore of 10, 3 gateways, 500 clients: at most 10 hold",
          clients.most() <= PLACES && held.stream().allMatch(each -> each <= PLACES),
          "%d; %d were served, %d clients and a gateway were killed, %d of them with a place"
              .formatted(
                  clients.most(), clients.served(), clients.killed(), clients.killedHolding()));
      figureTable.add(
          "  occupied, at least 95 %",
          occupied >= 0.95,
          "%.2f %%; by clients that live %.2f %%".formatted(100 * occupied, 100 * share));
      figureTable.add(
          "  places of the dead are free after 2 s",
          left <= EXPIRES_MILLIS + 1_000,
          "all were %d ms after the last client left".formatted(left));
    }
    report();
  }

  private static boolean none(RedisServer redis) {
    return redis.command("ZCARD", HELD).equals(":0");
  }

  @Test
  void event_wakesAThousand_asFastAsRedisPublishes() throws Exception {
    List<Long> bare = new ArrayList<>();
    List<Long> woken = new ArrayList<>();
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet(redis)) {
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        long[] published = published(redis);
        long[] sent = sent(redis, gatewayFleet, round);
        if (round >= WARM_UP) {
          bare.add(p95(published));
          woken.add(p95(sent));
        }
      }
    }
    double one = median(bare) / 1e6;
    double other = median(woken) / 1e6;
    figureTable.add(
        "1,000 who wait for an event at 3 gateways: p95 at most 3 x that of a bare publish",
        other <= 3 * one,
        "%.1f x: %.1f ms beside %.1f ms (medians of %d rounds)"
            .formatted(other / one, other, one, ROUNDS));
    report();
  }

  private static long p95(long[] nanos) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) (sorted.length * 0.95)];
  }

  private static long median(List<Long> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }

  /** Returns for each of several subscribers the delay from a publication until its arrival. */
  private long[] published(RedisServer redis) throws Exception {
    return heard(
        index -> redis.port(),
        "SUBSCRIBE bare\r\n",
        line -> line.startsWith(":"), // the subscription was answered
        () -> {},
        () -> assertThat(redis.command("PUBLISH", "bare", "on")).isEqualTo(":" + WAITERS));
  }

  private long[] sent(RedisServer redis, GatewayFleet gatewayFleet, int round) throws Exception {
    String path = "/v1/event/e" + round;
    String waiting = "default:coordination:{event:e" + round + "}:w";
    return heard(
        index -> gatewayFleet.port(index % MEMBERS),
        request(path + "/wait"),
        line -> true,
        () ->
            Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> redis.command("ZCARD", waiting).equals(":" + WAITERS)),
        () -> assertThat(get(gatewayFleet.port(0), path + "/send").status()).isEqualTo(204));
  }

  private interface Port {
    int of(int index);
  }

  private interface Begun {
    boolean with(String line);
  }

  /**
   * Sends many waiting requests, triggers an event, and returns the delay until each was answered.
   */
  private long[] heard(Port port, String asks, Begun begun, Runnable ready, Runnable happens)
      throws Exception {
    boolean answersFirst = !begun.with("");
    CountDownLatch all = new CountDownLatch(WAITERS);
    CountDownLatch done = new CountDownLatch(WAITERS);
    long[] at = new long[WAITERS];
    List<Socket> sockets = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < WAITERS; i++) {
        int index = i;
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.of(i));
        socket.setSoTimeout(30_000);
        sockets.add(socket);
        threads.execute(() -> listen(socket, asks, answersFirst, all, index, at, done));
      }
      assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
      ready.run();
      long begins = ticker.nanos();
      happens.run();
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
      return LongStream.of(at).map(each -> each - begins).toArray();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private void listen(
      Socket socket,
      String asks,
      boolean answersFirst,
      CountDownLatch all,
      int index,
      long[] at,
      CountDownLatch done) {
    try {
      socket.getOutputStream().write(asks.getBytes(US_ASCII));
      InputStream in = socket.getInputStream();
      byte[] bytes = new byte[1_000];
      if (answersFirst) {
        assertThat(in.read(bytes)).isPositive();
      }
      all.countDown();
      assertThat(in.read(bytes)).isPositive();
      at[index] = ticker.nanos();
      done.countDown();
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }
}
