package io.penstock.region;

import static io.penstock.fake.PatientWaits.await;
import static io.penstock.fake.PatientWaits.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.OwnMariaDb;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests gateways of two regions, each with a Redis of its own, and one real MariaDB. */
@Order(1) // takes long, and mostly waits
class RegionsIT {
  private static final List<String> KEYS =
      List.of("exhausted", "exact", "told", "spent", "busy", "stopped", "killed", "slow", "full");
  private static final Map<String, String> SECRETS =
      KEYS.stream().collect(Collectors.toMap(Function.identity(), key -> KeySecrets.make()));
  private static final long MINUTE_MILLIS = 60_000;

  /**
   * Number of requests for one median; {@code EACH_SECOND} requests are sent each second while
   * counts are lost, for {@code MOST_SECONDS} at most. The limit follows from that, and a cell is
   * only told of once a share of its limit is used.
   */
  private static final int MEASURED = 200;

  private static final int EACH_SECOND = 20;
  private static final int MOST_SECONDS = 60;
  private static final long TOKENS = 100;
  private static final Ticker TICKER = Ticker.system();
  private static final WallClock WALL = WallClock.system();

  @TempDir private static Path directory;

  private static OwnMariaDb maria;
  private static FaultProxy way;
  private static RedisServer redisOfEast;
  private static RedisServer redisOfWest;
  private static StartedGateway east;
  private static StartedGateway west;

  /** A gateway without a database, which is asked at the same moments as the one in the east. */
  private static StartedGateway control;

  /** Tokens that the busy key spent in the east, by the minute of the Unix clock. */
  private static final SortedMap<Long, Long> SPENT = new TreeMap<>();

  @BeforeAll
  static void start() throws IOException {
    maria = new OwnMariaDb(Files.createDirectory(directory.resolve("maria")));
    way = new FaultProxy(maria.port());
    redisOfEast = RedisServer.started();
    redisOfWest = RedisServer.started();
    east = gateway("east", redisOfEast, way.port());
    west = gateway("west", redisOfWest, maria.port());
    control =
        StartedGateway.start(
            Files.createDirectory(directory.resolve("control")),
            routes(),
            "--penstock.redis.namespace=control",
            "--penstock.redis.url=" + redisOfEast.url());
    await().until(() -> answered(east) > 2 && answered(west) > 2);
  }

  /**
   * Returns the tokens that the busy key may spend: more than all requests of the test together, at
   * any speed.
   */
  private static long busyTokens() {
    long requests = 2 * MEASURED + 1 + EACH_SECOND * (MOST_SECONDS + 1);
    return HURTS.size() * requests * TOKENS;
  }

  private static String routes() {
    StringBuilder routes = new StringBuilder("keys:\n");
    SECRETS.forEach(
        (key, secret) ->
            routes.append(
                "  - {name: %s, sha256: %s, tpm: %d, sharing: %s}\n"
                    .formatted(
                        key,
                        KeySecrets.sha256(secret),
                        key.equals("busy") ? busyTokens() : 100,
                        key.equals("exact") ? "exact" : "eventual")));
    return routes.append("endpoints: [{path: /a, algorithm: none}]\n").toString();
  }

  private static StartedGateway gateway(String region, RedisServer redis, int port)
      throws IOException {
    return StartedGateway.start(
        Files.createDirectory(directory.resolve(region)),
        routes(),
        "--penstock.region.name=" + region,
        "--penstock.database.url=" + maria.url(port),
        "--penstock.redis.url=" + redis.url());
  }

  @AfterAll
  static void stop() {
    east.close();
    west.close();
    control.close();
    way.close();
    maria.close();
    redisOfEast.close();
    redisOfWest.close();
  }

  private static int ask(StartedGateway gateway, String key, int tokens) {
    String answer =
        gateway.gateway("GET /a?tokens=" + tokens, "x-penstock-key: " + SECRETS.get(key));
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  private static double metric(StartedGateway gateway, String name, String label) {
    return gateway
        .operator("GET /actuator/prometheus")
        .lines()
        .filter(line -> line.startsWith(name + "{") && line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static double answered(StartedGateway gateway) {
    return metric(gateway, "penstock_sync_seconds_count", "what=\"regions\"");
  }

  private static double dropped(String what) {
    return metric(east, "penstock_region_dropped_total", "what=\"" + what + "\"");
  }

  /**
   * Waits for the first quarter of a cell. A cell's counts fade during the next cell, and neither
   * of the two may end within the test.
   */
  private static void awaitBeginOfACell() {
    await().until(() -> WALL.unixMillis() % MINUTE_MILLIS < 15_000);
  }

  @Test
  void keyExhaustedInOneRegion_isDeniedInTheOtherWithin12Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "exhausted", 90)).isEqualTo(200);
    assertThat(ask(east, "exhausted", 20)).isEqualTo(429);
    double took = within(Duration.ofSeconds(12), () -> left("exhausted") == 0);
    assertThat(ask(west, "exhausted", 1)).isEqualTo(429);
    System.out.printf("denied in the other region after %.1f s (12 s asked)%n", took);
    assertThat(maria.query("SELECT region FROM ratelimit_blocklist WHERE identifier = 'exhausted'"))
        .containsExactly("east"); // the west does not forward it
  }

  @Test
  void exactKeyExhaustedInOneRegion_isDeniedInTheOtherWithin12Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "exact", 60)).isEqualTo(200);
    assertThat(ask(east, "exact", 60)).isEqualTo(429);
    // each request asks for a little
    within(Duration.ofSeconds(12), Duration.ofSeconds(1), () -> ask(west, "exact", 1) == 429);
  }

  /**
   * Writes only a denial into the database and no counts, so that the denial alone has to raise its
   * cell.
   */
  @Test
  void denialAlone_raisesItsCell() {
    awaitBeginOfACell();
    long now = WALL.unixMillis();
    maria.sql(
        ("INSERT INTO ratelimit_blocklist VALUES ('default', 'key-tpm', 'told', 60000, %d, 'far',"
                + " 70, %d, %d)")
            .formatted(now / MINUTE_MILLIS, (now / MINUTE_MILLIS + 2) * MINUTE_MILLIS, now));
    double took = within(Duration.ofSeconds(12), () -> left("told") == 30);
    System.out.printf("a denial is known after %.1f s (12 s asked)%n", took);
    assertThat(ask(west, "told", 31)).isEqualTo(429);
    assertThat(ask(west, "told", 30)).isEqualTo(200);
  }

  @Test
  void spendOfOneRegion_countsInTheOtherWithin11Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "spent", 60)).isEqualTo(200);
    double took = within(Duration.ofSeconds(11), () -> left("spent") == 40);
    System.out.printf("spend counts in the other region after %.1f s (11 s asked)%n", took);
    assertThat(ask(west, "spent", 41)).isEqualTo(429);
    assertThat(ask(west, "spent", 40)).isEqualTo(200);
  }

  /**
   * Returns the tokens that a key has left in the west, as its status tells; asking spends nothing.
   */
  private static long left(String key) {
    String answer = west.gateway("GET /v1/penstock/status", "x-penstock-key: " + SECRETS.get(key));
    String word = "\"remaining\":";
    int at = answer.indexOf(word);
    assertThat(at).as(answer).isPositive();
    String rest = answer.substring(at + word.length());
    return Long.parseLong(rest.split("[,}]", 2)[0].strip());
  }

  /** A way to damage the database, and its repair. */
  private record Hurt(String key, Consumer<OwnMariaDb> begin, Consumer<OwnMariaDb> end) {}

  private static final List<Hurt> HURTS =
      List.of(
          new Hurt("stopped", OwnMariaDb::pause, OwnMariaDb::resume),
          new Hurt("killed", OwnMariaDb::kill, OwnMariaDb::start),
          new Hurt("slow", server -> way.delay(6_000), server -> way.delay(0)),
          new Hurt(
              "full",
              server -> server.fill("ratelimit_counts"),
              server -> server.sql("ALTER TABLE ratelimit_counts ENGINE = InnoDB")));

  /** The medians of requests that were sent in turn, in milliseconds. */
  private record Medians(double east, double control) {
    static Medians of(int asks) {
      List<Long> east = new ArrayList<>();
      List<Long> control = new ArrayList<>();
      for (int i = 0; i < asks; i++) {
        long begin = TICKER.nanos();
        spend();
        long between = TICKER.nanos();
        assertThat(ask(RegionsIT.control, "busy", (int) TOKENS)).isEqualTo(200);
        east.add(between - begin);
        control.add(TICKER.nanos() - between);
      }
      return new Medians(middle(east), middle(control));
    }

    private static double middle(List<Long> nanos) {
      return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow() / 1e6;
    }
  }

  /** Makes the busy key spend tokens in the east; returns whether it is certain in which minute. */
  private static boolean spend() {
    long minute = WALL.unixMillis() / MINUTE_MILLIS;
    assertThat(ask(east, "busy", (int) TOKENS)).isEqualTo(200);
    boolean certain = WALL.unixMillis() / MINUTE_MILLIS == minute;
    if (certain) {
      SPENT.merge(minute, TOKENS, Long::sum);
    }
    return certain;
  }

  /**
   * Makes it spend tokens until it is certain in which minute, and returns that minute. A minute
   * that ended meanwhile may never be told: all its counts may have been dropped.
   */
  private static long spendInOneMinute() {
    boolean certain = spend();
    while (!certain) {
      certain = spend();
    }
    return SPENT.lastKey();
  }

  /** Returns whether the database has got everything that the busy key spent in a minute. */
  private static boolean isTold(long minute) {
    return maria
        .query(
            "SELECT amount FROM ratelimit_counts WHERE identifier = 'busy' AND region = 'east'"
                + " AND sequence = "
                + minute)
        .stream()
        .anyMatch(amount -> Long.parseLong(amount) >= SPENT.getOrDefault(minute, TOKENS));
  }

  @Test
  void sickDatabase_changesNoDecision_dropsAndCounts_andHeals() {
    for (Hurt hurt : HURTS) {
      String key = hurt.key();
      Medians well = Medians.of(MEASURED);
      double before = dropped("counts");
      hurt.begin().accept(maria);
      assertThat(ask(east, key, 90)).isEqualTo(200);
      assertThat(ask(east, key, 20)).isEqualTo(429);
      // a fixed number each second, however fast the machine is: otherwise the key would reach its
      // limit
      AtomicInteger seconds = new AtomicInteger();
      await()
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                if (seconds.incrementAndGet() <= MOST_SECONDS) {
                  for (int i = 0; i < EACH_SECOND; i++) {
                    spend();
                  }
                }
                return dropped("counts") >= before + 2;
              });
      Medians sick = Medians.of(MEASURED);
      hurt.end().accept(maria);
      long minute = spendInOneMinute(); // a minute with counts that cannot have been sent before
      double healed = within(Duration.ofSeconds(30), () -> isTold(minute));
      System.out.printf(
          "database %s: a request took %.1f ms, before %.1f, without a database %.1f; %.0f batches"
              + " of counts and %.0f denials dropped; counts were told again after %.1f s%n",
          key,
          sick.east(),
          well.east(),
          sick.control(),
          dropped("counts") - before,
          dropped("denials"),
          healed);
      assertThat(sick.east()).as(key).isLessThan(5 * sick.control() + 20);
    }
  }
}
