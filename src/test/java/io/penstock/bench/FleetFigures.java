package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.GatewayFleet;
import io.penstock.fake.RedisServer;
import io.penstock.fake.TrailingChecker;
import io.penstock.key.KeySecrets;
import io.penstock.time.Ticker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three gateways in processes of their own, a real Redis, and clients that send requests
 * repeatedly: measures the used fraction of limits, the excess, and the effects of failures of
 * Redis.
 */
class FleetFigures {
  private static final long SECOND = 1_000_000_000L;
  private static final long TOKENS = 100_000;
  private static final long TOKEN_WINDOW = 10 * SECOND;
  private static final long REQUESTS = 6_000;
  private static final Duration MINUTE = Duration.ofSeconds(60);

  /** Seconds of each run; a shorter one contains no full minute. */
  private static final int SECONDS = Integer.getInteger("penstock.fleet.seconds", 130);

  private static final int[] EVEN = {50, 50, 50};
  private static final int[] SKEWED = {135, 8, 7};
  private static final int MEMBERS = 3;

  @TempDir private Path directory;

  private final String limited = KeySecrets.make();
  private final String unlimited = KeySecrets.make();
  private final FigureTable figureTable = new FigureTable();
  private final Ticker ticker = Ticker.system();

  private GatewayFleet fleet(String name, int size, int port, String sharing, boolean waits)
      throws Exception {
    String routes =
        """
        keys:
          - {name: limited, sha256: %s, rpm: %d, on_limit: %s, sharing: %s}
          - {name: unlimited, sha256: %s}
        endpoints:
          - path: /window
            algorithm: token_window
            tokens_per_window: %d
            window_seconds: %d
            sharing: %s
          - {path: /keyed, algorithm: none}
          - {path: /free, algorithm: none}
        """
            .formatted(
                KeySecrets.sha256(limited),
                REQUESTS,
                waits ? "wait" : "reject",
                sharing,
                KeySecrets.sha256(unlimited),
                TOKENS,
                TOKEN_WINDOW / SECOND,
                sharing);
    return new GatewayFleet(
        Files.createDirectory(directory.resolve(name.replace('/', '-'))),
        size,
        routes,
        MINUTE,
        "--penstock.redis.url=redis://127.0.0.1:" + port);
  }

  private void last(long seconds) {
    long until = ticker.nanos() + seconds * SECOND;
    Awaitility.await()
        .atMost(Duration.ofSeconds(seconds + 60))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> ticker.nanos() >= until);
  }

  private static long most(List<GatewayFleet.Released> window) {
    return GatewayFleet.cells(window, TOKEN_WINDOW).values().stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  /** Returns the used fraction of cells, without the first two and the last. */
  private static double used(List<GatewayFleet.Released> window) {
    List<Long> whole =
        new ArrayList<>(new TreeMap<>(GatewayFleet.cells(window, TOKEN_WINDOW)).values());
    return whole.subList(2, whole.size() - 1).stream()
            .mapToLong(Long::longValue)
            .average()
            .orElse(0)
        / TOKENS;
  }

  private void exact(String name, int[] clients) throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet("exact " + name, MEMBERS, redis.port(), "exact", true)) {
      gatewayFleet.ask(clients, "/window?tokens=%d", unlimited, 50, 1_500);
      gatewayFleet.ask(clients, "/keyed", limited, 1, 1);
      last(SECONDS);
      gatewayFleet.stop();
      List<GatewayFleet.Released> window = gatewayFleet.released("/window");
      figureTable.add(
          "exact, " + name + ": token window of 100,000 in 10 s, over 0",
          most(window) <= TOKENS,
          "most in a cell " + most(window));
      double used = used(window);
      figureTable.add("  used, at least 97 %", used >= 0.97, percent(used));
      List<GatewayFleet.Released> keyed = gatewayFleet.released("/keyed");
      TrailingChecker key = GatewayFleet.trailing(keyed, REQUESTS, MINUTE.toNanos(), true);
      figureTable.add(
          "  key of 6,000 rpm, over 0", key.most() <= REQUESTS, "most in any 60 s " + key.most());
      long end = keyed.getLast().unixNanos();
      long full = keyed.getFirst().unixNanos() + 65 * SECOND;
      double mean = key.mean(full, end) / REQUESTS;
      double counted = (double) GatewayFleet.counted(keyed, MINUTE.toNanos(), full, end) / REQUESTS;
      double least = (double) key.least(full, end) / REQUESTS;
      figureTable.add(
          "  used over time, and of what counts as each sub-cell ends, at least 97 %",
          full < end && mean >= 0.97 && counted >= 0.97,
          percent(mean) + ", at least " + percent(counted));
      // a minute's requests are sent at once, and their room returns within seconds, as sub-cells
      boolean used97 = full < end && least >= 0.97;
      figureTable.add("  used in the least used minute, at least 97 %", used97, percent(least));
      figureTable.add(
          "  all answered 200",
          gatewayFleet.answers().keySet().equals(Set.of(200)),
          "" + gatewayFleet.answers());
    }
  }

  /** Requests come at 99 a second, and after a full minute as fast as possible. */
  private void steady() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet("steady", MEMBERS, redis.port(), "exact", true)) {
      gatewayFleet.pace(new int[] {11, 11, 11}, "/keyed", limited, SECOND / 3, (at, took) -> {});
      last(65);
      long from = gatewayFleet.unixNanos();
      gatewayFleet.ask(EVEN, "/keyed", limited, 1, 1);
      last(SECONDS);
      gatewayFleet.stop();
      List<GatewayFleet.Released> keyed = gatewayFleet.released("/keyed");
      TrailingChecker key = GatewayFleet.trailing(keyed, REQUESTS, MINUTE.toNanos(), true);
      long end = keyed.getLast().unixNanos();
      double least = (double) key.least(from + 5 * SECOND, end) / REQUESTS;
      figureTable.add(
          "exact, asked for evenly before: key of 6,000 rpm, over 0",
          key.most() <= REQUESTS,
          "most in any 60 s " + key.most());
      figureTable.add(
          "  used in the least used minute, at least 97 %", least >= 0.97, percent(least));
    }
  }

  private static String percent(double share) {
    return "%.2f %%".formatted(100 * share);
  }

  private void eventual() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet("eventual", MEMBERS, redis.port(), "eventual", false)) {
      // 3 × 20 clients with a request every 300 ms are 200 a second, twice the limit
      gatewayFleet.pace(new int[] {20, 20, 20}, "/keyed", limited, 300_000_000, (at, took) -> {});
      last(SECONDS);
      gatewayFleet.stop();
      TrailingChecker key =
          GatewayFleet.trailing(gatewayFleet.released("/keyed"), REQUESTS, MINUTE.toNanos(), true);
      double over = (double) key.most() / REQUESTS - 1;
      double bound = 2.0 / 3 * 2 * 0.101 / 60;
      figureTable.add(
          "eventual: key of 6,000 rpm at 2 x, over at most 1 %",
          over <= 0.01,
          "%.2f %%; bound (N-1)/N x offered/limit x (sync + round trip)/window = %.2f %%"
              .formatted(100 * over, 100 * bound));
    }
  }

  /** A failure of Redis, and its repair. */
  private interface Hurt {
    void hurt(RedisServer redis, FaultProxy way);
  }

  private void fault(String name, Hurt hurt, Hurt heal) throws Exception {
    try (RedisServer redis = RedisServer.started();
        FaultProxy way = new FaultProxy(redis.port());
        GatewayFleet gatewayFleet = fleet("fault " + name, MEMBERS, way.port(), "exact", true)) {
      Queue<long[]> took = new ConcurrentLinkedQueue<>();
      gatewayFleet.ask(EVEN, "/window?tokens=%d", unlimited, 50, 1_500);
      gatewayFleet.ask(EVEN, "/keyed", limited, 1, 1);
      gatewayFleet.pace(
          new int[] {4, 4, 4},
          "/free",
          unlimited,
          40_000_000,
          (at, nanos) -> took.add(new long[] {at, nanos}));
      last(25);
      long begins = ticker.nanos();
      hurt.hurt(redis, way);
      last(10);
      heal.hurt(redis, way);
      long ends = ticker.nanos();
      last(25);
      gatewayFleet.stop();
      List<GatewayFleet.Released> window = gatewayFleet.released("/window");
      TreeMap<Long, Long> cells = new TreeMap<>(GatewayFleet.cells(window, TOKEN_WINDOW));
      figureTable.add(
          "Redis " + name + ": over 0", most(window) <= TOKENS, "cells " + cells.values());
      figureTable.add(
          "  nobody refused",
          gatewayFleet.answers().keySet().equals(Set.of(200)),
          "" + gatewayFleet.answers());
      double before = p99(took, begins - 10 * SECOND, begins);
      double during = p99(took, begins, ends);
      figureTable.add(
          "  p99 of a request that nothing limits, at most 1.5 x as before and 5 ms",
          during <= 1.5 * before + 5,
          "%.1f ms before, %.1f ms meanwhile".formatted(before, during));
      report();
    }
  }

  private static double p99(Queue<long[]> took, long from, long to) {
    long[] sorted =
        took.stream()
            .filter(each -> each[0] >= from && each[0] < to)
            .mapToLong(each -> each[1])
            .sorted()
            .toArray();
    return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * 0.99)] / 1e6;
  }

  private void report() {
    System.out.println(figureTable);
    assertThat(figureTable.toString()).doesNotContain("NOT MET");
  }

  @Test
  @Timeout(1200)
  void limitsOfThreeGateways_areOneLimit() throws Exception {
    exact("even", EVEN);
    exact("90/5/5", SKEWED);
    steady();
    eventual();
    report();
  }

  @Test
  @Timeout(300)
  void redisIsKilled_limitsHold() throws Exception {
    fault("killed for 10 s", (redis, way) -> redis.kill(), (redis, way) -> redis.start());
  }

  @Test
  @Timeout(300)
  void redisIsStopped_limitsHold() throws Exception {
    fault("stopped for 10 s", (redis, way) -> redis.pause(), (redis, way) -> redis.resume());
  }

  @Test
  @Timeout(300)
  void redisIsSlow_limitsHold() throws Exception {
    fault("500 ms slow for 10 s", (redis, way) -> way.delay(250), (redis, way) -> way.delay(0));
  }

  @Test
  @Timeout(300)
  void redisIsFlushed_limitsHold() throws Exception {
    fault("flushed", (redis, way) -> redis.flush(), (redis, way) -> {});
  }

  @Test
  @Timeout(600)
  void rounds_areAsManyWhateverTheLoadIs() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet("rounds", 1, redis.port(), "exact", true)) {
      gatewayFleet.pace(
          new int[] {10}, "/window?tokens=1", unlimited, 100_000_000, (at, took) -> {});
      last(10);
      double slow = roundsASecond(redis, gatewayFleet, "100 requests/s");
      gatewayFleet.ask(new int[] {32}, "/window?tokens=1", unlimited, 1, 1);
      last(5);
      double fast = roundsASecond(redis, gatewayFleet, "as many as it can");
      figureTable.add(
          "rounds a second, at most 50",
          slow <= 50 && fast <= 50,
          "%.1f, %.1f".formatted(slow, fast));
    }
    report();
  }

  @Test
  @Timeout(300)
  void rounds_areAsManyAt100AsAt10000() throws Exception {
    try (RedisServer redis = RedisServer.started();
        DirectLimit limit = new DirectLimit(redis.port())) {
      List<Double> rounds = new ArrayList<>();
      for (int aSecond : new int[] {100, 10_000}) {
        limit.spend(aSecond, 10); // until slices have reached their size
        long before = redis.calls("hincrby");
        long passed = limit.spend(aSecond, 15);
        rounds.add((redis.calls("hincrby") - before) / 15.0);
        figureTable.add(
            "%,d requests/s at one limit, no HTTP".formatted(aSecond),
            passed > 0.98 * 15 * aSecond,
            "%.0f a second passed, %.1f rounds a second"
                .formatted(passed / 15.0, rounds.getLast()));
      }
      figureTable.add(
          "rounds a second, at most 50, and at most 1.5 x as many",
          rounds.getLast() <= Math.min(50, 1.5 * rounds.getFirst()),
          "%.1f, %.1f".formatted(rounds.getFirst(), rounds.getLast()));
    }
    report();
  }

  @Test
  @Timeout(600)
  void rounds_areFewWithManyActiveLimits() throws Exception {
    List<String> secrets = Stream.generate(KeySecrets::make).limit(10_000).toList();
    // a route file is limited to 1 MiB
    Path files = Files.createDirectory(directory.resolve("routes"));
    for (int file = 0; file < 2; file++) {
      StringBuilder keys = new StringBuilder("keys:\n");
      for (int i = file; i < secrets.size(); i += 2) {
        keys.append(
            "  - {name: key-%d, sha256: %s, rpm: 600, sharing: exact}%n"
                .formatted(i, KeySecrets.sha256(secrets.get(i))));
      }
      Files.writeString(files.resolve("keys-" + file + ".yaml"), keys);
    }
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet =
            new GatewayFleet(
                directory,
                1,
                "endpoints:\n  - {path: /keyed, algorithm: none}\n",
                MINUTE,
                "--penstock.redis.url=redis://127.0.0.1:" + redis.port())) {
      gatewayFleet.askInTurn(32, "/keyed", secrets);
      last(40);
      long limits = Long.parseLong(redis.command("DBSIZE").substring(1));
      double rounds = roundsASecond(redis, gatewayFleet, "10,000 keys, as many requests as it can");
      figureTable.add("limits in Redis, at least 10,000", limits >= 10_000, "" + limits);
      figureTable.add("rounds a second, at most 50", rounds <= 50, "%.1f".formatted(rounds));
    }
    report();
  }

  /** Draws the picture for {@code -Dpenstock.picture=src/docs/many-instances.svg}. */
  @Test
  @Timeout(300)
  void picture_ofThreeGatewaysWhileRedisIsKilled() throws Exception {
    try (RedisServer redis = RedisServer.started();
        GatewayFleet gatewayFleet = fleet("picture", MEMBERS, redis.port(), "exact", true)) {
      gatewayFleet.ask(SKEWED, "/window?tokens=%d", unlimited, 50, 1_500);
      last(28);
      long down = gatewayFleet.unixNanos();
      redis.kill();
      last(12);
      redis.start();
      long up = gatewayFleet.unixNanos();
      last(22);
      gatewayFleet.stop();
      List<GatewayFleet.Released> window = gatewayFleet.released("/window");
      assertThat(most(window)).isLessThanOrEqualTo(TOKENS);
      String file = System.getProperty("penstock.picture");
      if (file != null) {
        long to = up + 20 * SECOND;
        FleetPicture.Run run =
            new FleetPicture.Run(window, TOKEN_WINDOW, TOKENS, to - 55 * SECOND, to, down, up);
        Files.writeString(Path.of(file), FleetPicture.draw(run, MEMBERS));
      }
    }
  }

  private double roundsASecond(RedisServer redis, GatewayFleet gatewayFleet, String name) {
    long rounds = redis.calls("hincrby");
    long scripts = redis.calls("evalsha");
    long answered = gatewayFleet.answered();
    last(15);
    double each = (redis.calls("hincrby") - rounds) / 15.0;
    figureTable.add(
        name,
        true,
        "%.0f requests, %.1f rounds and %.1f script calls a second"
            .formatted(
                (gatewayFleet.answered() - answered) / 15.0,
                each,
                (redis.calls("evalsha") - scripts) / 15.0));
    return each;
  }
}
