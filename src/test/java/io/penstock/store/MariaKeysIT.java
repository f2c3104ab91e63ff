package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.penstock.fake.CuttableProxy;
import io.penstock.fake.LogCapture;
import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeyStore;
import io.penstock.suite.TaggedTests;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Tag(TaggedTests.READS_LOG)
@Isolated("reads the log")
class MariaKeysIT extends KeyStorageContract {
  private final String database = MariaDb.database();

  @Override
  KeyStorage open() {
    return open(MariaDb.port());
  }

  private KeyStorage open(int port) {
    return KeyStorage.open("sql", MariaDb.url(database, port), this::clockMillis);
  }

  private void sql(String text) throws SQLException {
    String url = "jdbc:mariadb://127.0.0.1:" + MariaDb.port() + "/" + database;
    try (Connection open = DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
        Statement statement = open.createStatement()) {
      statement.execute(text);
    }
  }

  @Test
  void lostDatabase_keepsTheKeysKnownAndComesBack() {
    String before = KeySecrets.make();
    String meanwhile = KeySecrets.make();
    try (CuttableProxy cuttableProxy = new CuttableProxy(MariaDb.port());
        Instance far = Instance.of(open(cuttableProxy.port()));
        Instance near = Instance.of(open());
        LogCapture logCapture = LogCapture.listen()) {
      ((Logger) LoggerFactory.getLogger("io.penstock.keys")).setLevel(Level.INFO);
      done(far.storage().add(key("before", before)));
      cuttableProxy.cut();
      assertThat(far.storage().add(key("lost", "lost")).toCompletableFuture())
          .failsWithin(PatientWaits.LONGEST)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(KeyStore.Lost.class)
          .withMessageEndingWith(": the server cannot be reached");
      done(near.storage().add(key("meanwhile", meanwhile)));
      until(() -> assertThat(lines(logCapture, "lost")).isEqualTo(1));
      assertThat(far.knows(before)).isTrue();
      assertThat(far.knows(meanwhile)).isFalse();
      cuttableProxy.restore();
      PatientWaits.within(Duration.ofSeconds(10), () -> far.knows(meanwhile));
      until(() -> assertThat(lines(logCapture, "is back")).isEqualTo(1));
      assertThat(lines(logCapture, "lost")).isEqualTo(1);
      assertThat(String.join("\n", logCapture.lines()))
          .doesNotContain(MariaDb.PASSWORD, "p%3Aw", KeySecrets.sha256(before));
    }
  }

  private static void until(Runnable check) {
    PatientWaits.await().untilAsserted(check::run);
  }

  private static long lines(LogCapture logCapture, String with) {
    return logCapture.lines().stream()
        .filter(line -> line.contains("key store") && line.contains(with))
        .count();
  }

  @Test
  void wrongPassword_isSaidWithoutIt() {
    String url = MariaDb.url(database, MariaDb.port()).replace("p%3Aw", "hunter2");
    assertThatThrownBy(() -> KeyStorage.open("sql", url))
        .isInstanceOf(UnusableStore.class)
        .hasMessageContaining("the server refuses the user or the password")
        .hasMessageNotContainingAny("hunter2", MariaDb.USER)
        .hasNoCause();
  }

  @Test
  void nobodyThere_isSaid() {
    int port = RunningGateway.freePort();
    assertThatThrownBy(() -> open(port))
        .isInstanceOf(UnusableStore.class)
        .hasMessage(
            "keys in 127.0.0.1:" + port + "/" + database + ": the server cannot be reached");
  }

  @Test
  void tablesOfAnotherFormat_areLeftAlone() throws Exception {
    sql("UPDATE penstock_key_meta SET schema_version = 2");
    assertThatThrownBy(this::open)
        .isInstanceOf(UnusableStore.class)
        .hasMessageEndingWith(
            "the table of keys has format 2, but this version of Penstock reads format 1: use"
                + " another database, or the version that wrote it");
  }
}
