package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MariaDb;
import io.penstock.fake.RedisServer;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the previous jar and the current one as two regions with one database, each with files of
 * its own that the other one takes over. The current jar creates the tables.
 */
@Order(2) // takes long
@Timeout(240)
class RegionUpgradeIT {
  private static final String CLIENTS = KeySecrets.make();
  private static final StoredFiles FILES_OF_EAST =
      new StoredFiles(KeySecrets.make(), "budget-east");
  private static final StoredFiles FILES_OF_WEST =
      new StoredFiles(KeySecrets.make(), "budget-west");
  private static final List<String> COUNTED = List.of(KeySecrets.make(), KeySecrets.make());
  private static final List<String> DENIED = List.of(KeySecrets.make(), KeySecrets.make());
  private static final WindowCheck WINDOW = new WindowCheck(10_000, 2_000);
  private static final PermitClients.Demand ASK_WINDOW =
      new PermitClients.Demand("/window", 8, 10, 400, Duration.ofMillis(40));

  @TempDir private static Path directory;

  private static GatewayPlace east;
  private static GatewayPlace west;

  @BeforeAll
  static void start() throws IOException {
    PreviousJar.built();
    Path routes = Files.writeString(directory.resolve("routes.yaml"), routes());
    String database = MariaDb.url(MariaDb.database(), MariaDb.port());
    east = place("east", "state.db", routes, database);
    west = place("west", "state.yaml", routes, database);
    west.begin(JarVersion.CURRENT);
    assertThat(west.serves("nothing")).isTrue();
    east.begin(JarVersion.PREVIOUS);
    assertThat(east.serves("the database")).isTrue();
  }

  private static GatewayPlace place(String region, String stateFile, Path routes, String database)
      throws IOException {
    Path files = Files.createDirectory(directory.resolve(region));
    return new GatewayPlace(
        region,
        routes,
        List.of(
            "--penstock.redis.url=" + RedisServer.shared().url(),
            "--penstock.redis.namespace=" + region + "-" + UUID.randomUUID(),
            "--penstock.region.name=" + region,
            "--penstock.database.url=" + database,
            "--penstock.keys.store=file:" + files.resolve("keys.db"),
            "--penstock.state.file=" + files.resolve(stateFile),
            "--penstock.state.interval=1h"));
  }

  private static String routes() {
    StringBuilder routes = new StringBuilder("keys:\n");
    key(routes, "clients", CLIENTS, "");
    key(routes, FILES_OF_EAST.keyName(), FILES_OF_EAST.key(), "");
    key(routes, FILES_OF_WEST.keyName(), FILES_OF_WEST.key(), "");
    String budget = ", budget_tokens_per_day: 1000, sharing: eventual";
    for (int i = 0; i < 2; i++) {
      key(routes, "counted-" + i, COUNTED.get(i), budget);
      key(routes, "denied-" + i, DENIED.get(i), budget);
    }
    return routes
        .append("endpoints:\n  - {path: /open, algorithm: none}\n")
        .append("  - {path: /window, algorithm: token_window, window_seconds: 2,")
        .append(" tokens_per_window: %d}%n".formatted(WINDOW.limit()))
        .append("  - ")
        .append(StoredFiles.endpoint())
        .append('\n')
        .toString();
  }

  private static void key(StringBuilder routes, String name, String secret, String terms) {
    routes.append(
        "  - {name: %s, sha256: %s%s}%n".formatted(name, KeySecrets.sha256(secret), terms));
  }

  @AfterAll
  static void stop() {
    if (east != null) {
      east.close();
    }
    if (west != null) {
      west.close();
    }
  }

  private static List<JarGateway> both() {
    return List.of(east.gateway(), west.gateway());
  }

  @Test
  void rowOfOneVersion_isReadByTheOther() {
    for (int i = 0; i < 2; i++) {
      JarGateway here = both().get(i);
      assertThat(here.ask(COUNTED.get(i), "/open?tokens=700").status()).isEqualTo(200);
      assertThat(here.ask(DENIED.get(i), "/open?tokens=900").status()).isEqualTo(200);
      assertThat(here.ask(DENIED.get(i), "/open?tokens=200").status()).isEqualTo(429);
    }
    for (int i = 0; i < 2; i++) {
      JarGateway there = both().get(1 - i);
      KeyStatus.awaitRemaining(there, COUNTED.get(i), 300);
      KeyStatus.awaitRemaining(there, DENIED.get(i), 0);
      assertThat(there.ask(COUNTED.get(i), "/open?tokens=301").status()).isEqualTo(429);
      assertThat(there.ask(DENIED.get(i), "/open?tokens=1").status()).isEqualTo(429);
    }
  }

  /** Two namespaces share nothing, which shows that the assertion of the other test can fail. */
  @Test
  void namespacesOfTheirOwn_letTooMuchGo_andTheCheckSaysSo() {
    try (PermitClients clients = new PermitClients(CLIENTS, both())) {
      clients.ask(ASK_WINDOW);
      for (JarGateway each : both()) {
        clients.awaitWindows(each, "/window", WINDOW.windowMillis(), 4);
      }
      clients.finish();
      assertThat(clients.failures()).isEmpty();
      assertThat(WINDOW.overCells(clients.permits("/window")))
          .isNotEmpty()
          .allMatch(sentence -> sentence.contains("at most 10000 are allowed"));
    }
  }

  @Test
  void filesOfOneVersion_areReadByTheOther() throws Exception {
    List<Long> usedByEast = FILES_OF_EAST.spend(east.gateway());
    List<Long> usedByWest = FILES_OF_WEST.spend(west.gateway());
    String keyOfEast = KeyOperator.make(east.gateway(), "made-in-east");
    String keyOfWest = KeyOperator.make(west.gateway(), "made-in-west");
    List<JarGateway> ended = both();
    ended.forEach(JarGateway::terminate);
    ended.forEach(JarGateway::awaitEnd);
    east.begin(ended.getFirst().version().other());
    west.begin(ended.getLast().version().other());
    if (!east.serves("the files of the east") || !west.serves("the files of the west")) {
      return; // one refused the other's stored data, which is accepted
    }
    FILES_OF_EAST.verify(east.gateway(), usedByEast);
    FILES_OF_WEST.verify(west.gateway(), usedByWest);
    KeyOperator.verifyTerms(east.gateway(), "made-in-east");
    KeyOperator.verifyTerms(west.gateway(), "made-in-west");
    KeyOperator.awaitAccepted(east.gateway(), keyOfEast, "/open", true);
    KeyOperator.awaitAccepted(west.gateway(), keyOfWest, "/open", true);
  }
}
