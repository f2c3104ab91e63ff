package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.key.KeyTerms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests two gateways with one MariaDB. */
class SharedKeysIT {
  @TempDir private static Path directory;

  private static StartedGateway start(String name, String url) throws Exception {
    return StartedGateway.start(
        Files.createDirectory(directory.resolve(name)),
        "endpoints: [{path: /a}]",
        "--penstock.keys.store=sql",
        "--penstock.database.url=" + url);
  }

  private static boolean knows(StartedGateway gateway, String secret) {
    return gateway.context().getBean(KeyRegistry.class).caller(secret, 0) != null;
  }

  @Test
  void keyMadeHere_isKnownThereAndRevokedLikewiseWithin10Seconds() throws Exception {
    String url = MariaDb.url(MariaDb.database(), MariaDb.port());
    try (StartedGateway here = start("here", url);
        StartedGateway there = start("there", url)) {
      String secret = KeySecrets.make();
      KeySpec key =
          new KeySpec(
              "a",
              List.of(new KeySpec.Secret(KeySecrets.sha256(secret), KeySpec.NEVER)),
              KeyTerms.PLAIN);
      assertThat(here.context().getBean(KeyStore.class).add(key).toCompletableFuture())
          .succeedsWithin(PatientWaits.LONGEST)
          .isInstanceOf(KeyStore.Done.class);
      assertThat(knows(here, secret)).isTrue();
      within10Seconds(() -> knows(there, secret));
      assertThat(there.operator("GET /keys/a")).contains("\"source\":\"store\"");
      assertThat(here.operator("DELETE /keys/a")).startsWith("HTTP/1.1 204");
      assertThat(knows(here, secret)).isFalse();
      within10Seconds(() -> !knows(there, secret));
    }
  }

  private static void within10Seconds(Callable<Boolean> so) {
    PatientWaits.within(Duration.ofSeconds(10), so);
  }
}
