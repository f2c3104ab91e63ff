package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.OwnMariaDb;
import io.penstock.fake.RedisServer;
import io.penstock.key.Secrets;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Gateways of two regions, each with a Redis of its own, and one real MariaDB. */
@Timeout(900)
class RegionsIT {
  private static final List<String> KEYS =
      List.of("exhausted", "exact", "told", "spent", "busy", "stopped", "killed", "slow", "full");
  private static final Map<String, String> SECRETS =
      KEYS.stream().collect(Collectors.toMap(Function.identity(), key -> Secrets.make()));
  private static final long MINUTE_MILLIS = 60_000;
  private static final Ticker TICKER = Ticker.system();
  private static final WallClock WALL = WallClock.system();

  @TempDir private static Path directory;

  private static OwnMariaDb maria;
  private static FaultProxy way;
  private static RedisServer redisOfEast;
  private static RedisServer redisOfWest;
  private static StartedGateway east;
  private static StartedGateway west;

  @BeforeAll
  static void start() throws IOException {
    maria = new OwnMariaDb(Files.createDirectory(directory.resolve("maria")));
    way = new FaultProxy(maria.port());
    redisOfEast = RedisServer.started();
    redisOfWest = RedisServer.started();
    east = gateway("east", redisOfEast, way.port());
    west = gateway("west", redisOfWest, maria.port());
    await().atMost(Duration.ofSeconds(60)).until(() -> answered(east) > 2 && answered(west) > 2);
  }

  private static StartedGateway gateway(String region, RedisServer redis, int port)
      throws IOException {
    StringBuilder routes = new StringBuilder("keys:\n");
    SECRETS.forEach(
        (key, secret) ->
            routes.append(
                "  - {name: %s, sha256: %s, rate_limit_tpm: %d, sharing: %s}\n"
                    .formatted(
                        key,
                        Secrets.sha256(secret),
                        key.equals("busy") ? 1_000_000 : 100,
                        key.equals("exact") ? "exact" : "eventual")));
    routes.append("endpoints: [{path: /a, algorithm: none}]\n");
    return StartedGateway.start(
        Files.createDirectory(directory.resolve(region)),
        routes.toString(),
        "--penstock.region.name=" + region,
        "--penstock.database.url=" + maria.url(port),
        "--penstock.redis.url=" + redis.url());
  }

  @AfterAll
  static void stop() {
    east.close();
    west.close();
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

  /** What counts in a cell fades in the next one: none of the two is to end within the test. */
  private static void awaitBeginOfACell() {
    await().atMost(Duration.ofSeconds(70)).until(() -> WALL.unixMillis() % MINUTE_MILLIS < 25_000);
  }

  /**
   * Returns after how many seconds it is so, asked often, and at the latest at the end of a cell.
   */
  private static double within(double seconds, Callable<Boolean> so) {
    long begin = TICKER.nanos();
    await()
        .atMost(Duration.ofMillis((long) (seconds * 1_000)))
        .pollInterval(Duration.ofMillis(100))
        .until(so);
    return (TICKER.nanos() - begin) / 1e9;
  }

  @Test
  void keyExhaustedInOneRegion_isDeniedInTheOtherWithin12Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "exhausted", 90)).isEqualTo(200);
    assertThat(ask(east, "exhausted", 20)).isEqualTo(429);
    double took = within(12, () -> left("exhausted") == 0);
    assertThat(ask(west, "exhausted", 1)).isEqualTo(429);
    System.out.printf("denied in the other region after %.1f s (12 s asked)%n", took);
    assertThat(maria.query("SELECT region FROM ratelimit_blocklist WHERE identifier = 'exhausted'"))
        .containsExactly("east"); // and nobody sends it on
  }

  @Test
  void exactKeyExhaustedInOneRegion_isDeniedInTheOtherWithin12Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "exact", 60)).isEqualTo(200);
    assertThat(ask(east, "exact", 60)).isEqualTo(429);
    await()
        .atMost(Duration.ofSeconds(12))
        .pollInterval(Duration.ofSeconds(1)) // each asks for a little
        .until(() -> ask(west, "exact", 1) == 429);
  }

  /** Only a denial says so here: of what was used nobody says anything. */
  @Test
  void denialAlone_raisesItsCell() {
    awaitBeginOfACell();
    long now = WALL.unixMillis();
    maria.sql(
        ("INSERT INTO ratelimit_blocklist VALUES ('default', 'key-tpm', 'told', 60000, %d, 'far',"
                + " 70, %d, %d)")
            .formatted(now / MINUTE_MILLIS, (now / MINUTE_MILLIS + 2) * MINUTE_MILLIS, now));
    double took = within(12, () -> left("told") == 30);
    System.out.printf("a denial is known after %.1f s (12 s asked)%n", took);
    assertThat(ask(west, "told", 31)).isEqualTo(429);
    assertThat(ask(west, "told", 30)).isEqualTo(200);
  }

  @Test
  void spendOfOneRegion_countsInTheOtherWithin11Seconds() {
    awaitBeginOfACell();
    assertThat(ask(east, "spent", 60)).isEqualTo(200);
    double took = within(11, () -> left("spent") == 40);
    System.out.printf("spend counts in the other region after %.1f s (11 s asked)%n", took);
    assertThat(ask(west, "spent", 41)).isEqualTo(429);
    assertThat(ask(west, "spent", 40)).isEqualTo(200);
  }

  /** What a key has left in the west, as it is told; asking does not spend. */
  private static long left(String key) {
    String answer = west.gateway("GET /v1/penstock/status", "x-penstock-key: " + SECRETS.get(key));
    String word = "\"remaining\":";
    int at = answer.indexOf(word);
    assertThat(at).as(answer).isPositive();
    String rest = answer.substring(at + word.length());
    return Long.parseLong(rest.split("[,}]", 2)[0].strip());
  }

  /** What happens to the database, and how it is well again. */
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

  /** Spends one token of a million a minute each time: no machine asks that often. */
  private static double medianMillis(int asks) {
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < asks; i++) {
      long begin = TICKER.nanos();
      assertThat(ask(east, "busy", 1)).isEqualTo(200);
      took.add(TICKER.nanos() - begin);
    }
    return took.stream().sorted().skip(asks / 2).findFirst().orElseThrow() / 1e6;
  }

  @Test
  void sickDatabase_changesNoDecision_dropsAndCounts_andHeals() {
    for (Hurt hurt : HURTS) {
      String key = hurt.key();
      double well = medianMillis(200);
      double before = dropped("counts");
      hurt.begin().accept(maria);
      assertThat(ask(east, key, 90)).isEqualTo(200);
      assertThat(ask(east, key, 20)).isEqualTo(429);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> medianMillis(20) >= 0 && dropped("counts") >= before + 2);
      double sick = medianMillis(200);
      hurt.end().accept(maria);
      double healed =
          within(
              30,
              () ->
                  maria
                      .query(
                          "SELECT amount FROM ratelimit_counts WHERE region = 'east'"
                              + " AND identifier = '"
                              + key
                              + "'")
                      .stream()
                      .anyMatch(amount -> Long.parseLong(amount) >= 90));
      System.out.printf(
          "database %s: a request took %.1f ms, before %.1f; %.0f batches of counts and %.0f"
              + " denials dropped; counts were told again after %.1f s%n",
          key, sick, well, dropped("counts") - before, dropped("denials"), healed);
      assertThat(sick).as(key).isLessThan(5 * well + 20);
    }
  }
}
