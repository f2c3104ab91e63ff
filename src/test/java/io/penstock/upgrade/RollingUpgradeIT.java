package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MariaDb;
import io.penstock.fake.RedisServer;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the previous jar and the current one side by side on one Redis and one database. Each is
 * replaced by the other one under load, so that every test finds one of each, whatever ran before.
 */
@Order(2) // takes long
@Timeout(240)
class RollingUpgradeIT {
  private static final String CLIENTS = KeySecrets.make();
  private static final StoredFiles FILES_OF_FIRST =
      new StoredFiles(KeySecrets.make(), "budget-one");
  private static final StoredFiles FILES_OF_SECOND =
      new StoredFiles(KeySecrets.make(), "budget-two");
  private static final List<String> EVENTUAL = List.of(KeySecrets.make(), KeySecrets.make());
  private static final WindowCheck WINDOW = new WindowCheck(10_000, 2_000);
  private static final WindowCheck SLIDING = new WindowCheck(300, 10_000);
  private static final PermitClients.Demand ASK_WINDOW =
      new PermitClients.Demand("/window", 8, 10, 400, Duration.ofMillis(40));

  /** A fifth more than the limit, so that no request waits for a whole window. */
  private static final PermitClients.Demand ASK_SLIDING =
      new PermitClients.Demand("/sliding", 6, 1, 1, Duration.ofMillis(166));

  /** Smallest used fraction of a limit while gateways are continuously stopped and started. */
  private static final double LEAST_USED = 0.5;

  @TempDir private static Path directory;

  private static GatewayPlace first;
  private static GatewayPlace second;

  @BeforeAll
  static void start() throws IOException {
    PreviousJar.built();
    Path routes = Files.writeString(directory.resolve("routes.yaml"), routes());
    List<String> shared =
        List.of(
            "--penstock.redis.url=" + RedisServer.shared().url(),
            "--penstock.redis.namespace=upgrade-" + UUID.randomUUID(),
            "--penstock.database.url=" + MariaDb.url(MariaDb.database(), MariaDb.port()),
            "--penstock.keys.store=sql",
            "--penstock.region.name=here",
            "--penstock.coordination.enabled=true",
            "--penstock.drain-pause=1s");
    first = place("first", "state.yaml", routes, shared);
    second = place("second", "state.db", routes, shared);
    first.begin(JarVersion.PREVIOUS);
    assertThat(first.serves("nothing")).isTrue();
    second.begin(JarVersion.CURRENT);
    assertThat(second.serves("Redis and the database")).isTrue();
  }

  private static GatewayPlace place(String name, String stateFile, Path routes, List<String> shared)
      throws IOException {
    Path state = Files.createDirectory(directory.resolve(name)).resolve(stateFile);
    List<String> arguments = new ArrayList<>(shared);
    arguments.add("--penstock.state.file=" + state);
    arguments.add("--penstock.state.interval=1h");
    return new GatewayPlace(name, routes, arguments);
  }

  private static String routes() {
    return """
    keys:
      - {name: clients, sha256: %s}
      - {name: %s, sha256: %s}
      - {name: %s, sha256: %s}
      - {name: eventual-one, sha256: %s, tpm: 1000, sharing: eventual}
      - {name: eventual-two, sha256: %s, tpm: 1000, sharing: eventual}
    endpoints:
      - {path: /open, algorithm: none}
      - {path: /window, algorithm: token_window, tokens_per_window: %d, window_seconds: 2}
      - {path: /sliding, algorithm: sliding_window, rate: 30, window_seconds: 10}
      - %s
    """
        .formatted(
            KeySecrets.sha256(CLIENTS),
            FILES_OF_FIRST.keyName(),
            KeySecrets.sha256(FILES_OF_FIRST.key()),
            FILES_OF_SECOND.keyName(),
            KeySecrets.sha256(FILES_OF_SECOND.key()),
            KeySecrets.sha256(EVENTUAL.getFirst()),
            KeySecrets.sha256(EVENTUAL.getLast()),
            WINDOW.limit(),
            StoredFiles.endpoint());
  }

  @AfterAll
  static void stop() {
    if (first != null) {
      first.close();
    }
    if (second != null) {
      second.close();
    }
  }

  private static List<JarGateway> both() {
    return List.of(first.gateway(), second.gateway());
  }

  @Test
  void keyOfOneVersion_isMadeRotatedAndRevokedForTheOther() {
    for (JarGateway here : both()) {
      JarGateway there = here == first.gateway() ? second.gateway() : first.gateway();
      String name = "made-" + here.version();
      String secret = KeyOperator.make(here, name);
      KeyOperator.awaitAccepted(there, secret, "/open", true);
      KeyOperator.verifyTerms(there, name);
      String rotated = KeyOperator.rotate(there, name);
      KeyOperator.awaitAccepted(here, rotated, "/open", true);
      KeyOperator.awaitAccepted(here, secret, "/open", false);
      KeyOperator.revoke(here, name);
      KeyOperator.awaitAccepted(there, rotated, "/open", false);
    }
  }

  private static JarGateway running(JarVersion version) {
    return both().stream().filter(each -> each.version() == version).findFirst().orElseThrow();
  }

  @Test
  void keyRevokedAndCreatedAgain_hasOneFullLimitForBothVersions() {
    String status = "/v1/penstock/status";
    JarGateway previous = running(JarVersion.PREVIOUS);
    JarGateway current = running(JarVersion.CURRENT);
    for (JarGateway revoker : both()) {
      String name = "again-after-" + revoker.version();
      String first = KeyOperator.makeWithBudget(current, name, 1_000);
      KeyOperator.awaitAccepted(previous, first, status, true);
      assertThat(previous.ask(first, "/open?tokens=700").status()).isEqualTo(200);
      KeyStatus.awaitRemaining(current, first, 300);
      KeyOperator.revoke(revoker, name);
      KeyOperator.awaitAccepted(current, first, status, false);

      String second = KeyOperator.makeWithBudget(current, name, 1_000);
      KeyOperator.awaitAccepted(previous, second, status, true);
      assertThat(KeyStatus.remaining(previous, second)).isEqualTo(1_000);
      assertThat(current.ask(second, "/open?tokens=700").status()).isEqualTo(200);
      KeyStatus.awaitRemaining(previous, second, 300);
      assertThat(previous.ask(second, "/open?tokens=301").status()).isEqualTo(429);
      assertThat(previous.ask(second, "/open?tokens=300").status()).isEqualTo(200);
      KeyStatus.awaitRemaining(current, second, 0);
    }
  }

  @Test
  void eventualCountOfOneVersion_isHeardByTheOther() {
    for (int i = 0; i < EVENTUAL.size(); i++) {
      JarGateway here = both().get(i);
      JarGateway there = both().get(1 - i);
      String key = EVENTUAL.get(i);
      assertThat(KeyStatus.remaining(there, key)).isEqualTo(1_000);
      assertThat(here.ask(key, "/open?tokens=700").status()).isEqualTo(200);
      KeyStatus.awaitRemaining(there, key, 300);
      assertThat(there.ask(key, "/open?tokens=301").status()).isEqualTo(429);
      assertThat(there.ask(key, "/open?tokens=200").status()).isEqualTo(200);
      KeyStatus.awaitRemaining(here, key, 100);
    }
  }

  @Test
  void coordinationOfOneVersion_isSeenByTheOther() {
    for (JarGateway here : both()) {
      JarGateway there = here == first.gateway() ? second.gateway() : first.gateway();
      SharedObjects objects = new SharedObjects(CLIENTS, "side-by-side-" + here.version());
      objects.take(here);
      objects.verifyTaken(there);
    }
  }

  @Test
  void updatedAndRolledBackUnderLoad_everyPermitIsGivenAndNoneTooMuch() throws Exception {
    List<Long> usedByFirst = FILES_OF_FIRST.spend(first.gateway());
    List<Long> usedBySecond = FILES_OF_SECOND.spend(second.gateway());
    SharedObjects held = new SharedObjects(CLIENTS, "replaced");
    held.take(first.gateway());
    try (PermitClients clients = new PermitClients(CLIENTS, both())) {
      clients.ask(ASK_WINDOW);
      clients.ask(ASK_SLIDING);
      awaitPermits(clients);
      boolean goesOn = replace(clients, first, second) && replace(clients, second, first);
      clients.finish();
      assertThat(clients.failures()).as("what was not answered with a permit").isEmpty();
      List<TimedPermit> window = clients.permits("/window");
      List<TimedPermit> sliding = clients.permits("/sliding");
      assertThat(WINDOW.overCells(window)).isEmpty();
      assertThat(SLIDING.overTrailing(sliding)).isEmpty();
      if (!goesOn) {
        return; // one refused the other's stored data, which is accepted
      }
      System.out.printf(
          "while gateways were replaced, %.1f %% of the token window and %.1f %% of the sliding"
              + " window were used (at least %.0f %% asked)%n",
          100 * WINDOW.usedShare(window), 100 * SLIDING.usedShare(sliding), 100 * LEAST_USED);
      assertThat(WINDOW.usedShare(window)).isGreaterThan(LEAST_USED);
      assertThat(SLIDING.usedShare(sliding)).isGreaterThan(LEAST_USED);
    }
    FILES_OF_FIRST.verify(first.gateway(), usedByFirst);
    FILES_OF_SECOND.verify(second.gateway(), usedBySecond);
    held.verifyTaken(second.gateway());
  }

  /**
   * Replaces a gateway by one of the other version, on the same files, while another one serves.
   */
  private static boolean replace(PermitClients clients, GatewayPlace place, GatewayPlace other)
      throws IOException {
    JarVersion next = place.gateway().version().other();
    clients.serveBy(List.of(other.gateway()));
    place.gateway().terminate();
    place.gateway().awaitEnd();
    place.begin(next);
    if (!place.serves("the state file, Redis and the database")) {
      return false;
    }
    clients.serveBy(both());
    awaitPermits(clients);
    return true;
  }

  private static void awaitPermits(PermitClients clients) {
    for (JarGateway each : both()) {
      clients.awaitWindows(each, "/window", WINDOW.windowMillis(), 2);
      clients.awaitWindows(each, "/sliding", 1_000, 2);
    }
  }
}
