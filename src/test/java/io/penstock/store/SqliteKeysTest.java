package io.penstock.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.PatientWaits;
import io.penstock.key.KeySecrets;
import io.penstock.key.KeyStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteKeysTest extends KeyStorageContract {
  @TempDir private Path directory;

  @Override
  KeyStorage open() {
    return KeyStorage.open("file:" + file(), null, this::clockMillis);
  }

  private static KeyStorage open(Path file) {
    return KeyStorage.open("file:" + file, null);
  }

  private Path file() {
    return directory.resolve("keys.db");
  }

  private static void sql(Path file, String... all) throws SQLException {
    try (Connection open = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = open.createStatement()) {
      for (String each : all) {
        statement.execute(each);
      }
    }
  }

  private static void assertUnusable(Path file, String why) throws IOException {
    byte[] before = Files.readAllBytes(file);
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(UnusableStore.class)
        .hasMessage("keys in " + file + ": " + why);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }

  @Test
  void file_isForItsOwnerAlone() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
  }

  @Test
  void file_hasNoSecret() throws IOException {
    String secret = KeySecrets.make();
    try (KeyStorage storage = open(directory.resolve("other.db"))) {
      done(storage.add(key("a", secret)));
    }
    assertThat(Files.readString(directory.resolve("other.db"), ISO_8859_1))
        .contains(KeySecrets.sha256(secret))
        .doesNotContain(secret, secret.substring(4, 30));
  }

  @Test
  void emptyFile_isMadeOne() throws IOException {
    Path file = Files.createFile(directory.resolve("empty.db"));
    try (Instance instance = Instance.of(open(file))) {
      assertThat(done(instance.storage().add(key("a", "b")))).isInstanceOf(KeyStore.Done.class);
    }
  }

  @Test
  void fileThatIsSomethingElse_staysAsItIs() throws Exception {
    Path text = Files.writeString(directory.resolve("text.db"), "sk-live-secret\n".repeat(1_000));
    assertUnusable(text, "the file is not one of SQLite");
    Path other = directory.resolve("other.db");
    sql(other, "CREATE TABLE quotas (model TEXT)");
    assertUnusable(other, "the file holds something else");
  }

  @Test
  void fileOfAnotherFormat_staysAsItIs() throws Exception {
    Path file = directory.resolve("newer.db");
    open(file).close();
    sql(file, "UPDATE penstock_key_meta SET schema_version = 2");
    assertUnusable(
        file,
        "the file has format 2, but this version of Penstock reads format 1: use another file, or"
            + " the version that wrote it");
  }

  @Test
  void fileWithADamagedPage_staysAsItIs() throws Exception {
    Path file = directory.resolve("damaged.db");
    try (KeyStorage storage = open(file)) {
      for (int at = 0; at < 200; at++) {
        done(storage.add(key("key-" + at, "secret-" + at)));
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    int page = 4_096;
    assertThat(bytes.length).isGreaterThan(6 * page);
    Arrays.fill(bytes, 4 * page, 5 * page, (byte) 0x5a);
    Files.write(file, bytes);
    assertUnusable(file, "the file is damaged");
  }

  @Test
  void fileCutShort_staysAsItIs() throws Exception {
    Path file = directory.resolve("short.db");
    try (KeyStorage storage = open(file)) {
      for (int at = 0; at < 200; at++) {
        done(storage.add(key("key-" + at, "secret-" + at)));
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2 + 100));
    assertUnusable(file, "the file is damaged");
  }

  @Test
  void termsThatCannotBeRead_areNamedByTheirKey() throws Exception {
    Path file = directory.resolve("terms.db");
    try (KeyStorage storage = open(file)) {
      done(storage.add(key("alice", "b")));
    }
    sql(file, "UPDATE penstock_keys SET terms = '{\"rpm\":\"many\"}'");
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(UnusableStore.class)
        .hasMessage("keys in " + file + ": what it says of key alice cannot be read");
  }

  @Test
  void directoryThatIsMissing_isSaid() {
    Path file = directory.resolve("missing").resolve("keys.db");
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(UnusableStore.class)
        .hasMessageContaining("its directory is missing");
    assertThat(file.getParent()).doesNotExist();
  }

  @Test
  void directoryInPlaceOfTheFile_isSaid() {
    assertThatThrownBy(() -> open(directory)).isInstanceOf(UnusableStore.class);
  }

  @Test
  void fileLockedByAnother_changesNothingAndSaysSo() throws Exception {
    try (Instance instance = Instance.of(open());
        Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      assertThat(instance.storage().add(key("a", "b")).toCompletableFuture())
          .failsWithin(PatientWaits.LONGEST)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(KeyStore.Lost.class)
          .withMessage("keys in " + file() + ": the file is locked by another process");
      statement.execute("ROLLBACK");
      assertThat(done(instance.storage().add(key("a", "b")))).isInstanceOf(KeyStore.Done.class);
    }
  }

  private static void assertLost(Instance instance, String why) {
    assertThat(instance.storage().add(key("b", "secret-b")).toCompletableFuture())
        .failsWithin(PatientWaits.LONGEST)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(KeyStore.Lost.class)
        .withMessage(why);
  }

  @Test
  void fileThatWasTakenAway_losesNoKeyAndIsUsedAgainOnceItIsBack() throws Exception {
    Path file = directory.resolve("away.db");
    Path copy = directory.resolve("copy.db");
    try (Instance instance = Instance.of(open(file))) {
      done(instance.storage().add(key("a", "secret-a")));
      sql(file, "VACUUM INTO '" + copy + "'");
      for (String end : List.of("", "-wal", "-shm")) {
        Files.deleteIfExists(directory.resolve("away.db" + end));
      }
      assertLost(
          instance,
          "keys in "
              + file
              + ": the file was taken away: put it back, or start again without its keys");
      assertThat(file).doesNotExist();
      assertThat(instance.knows("secret-a")).isTrue();
      assertThat(instance.knows("secret-b")).isFalse();
      Files.createFile(file);
      assertLost(
          instance,
          "keys in "
              + file
              + ": the file was taken away: put it back, or start again without its keys");
      Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
      assertThat(done(instance.storage().add(key("b", "secret-b"))))
          .isInstanceOf(KeyStore.Done.class);
    }
    try (Instance again = Instance.of(open(file))) {
      assertThat(again.knows("secret-a")).isTrue();
      assertThat(again.knows("secret-b")).isTrue();
    }
  }

  @Test
  void fileThatWasReplaced_isReadAnew() throws Exception {
    Path file = directory.resolve("first.db");
    Path other = directory.resolve("second.db");
    for (Path each : List.of(file, other)) {
      try (KeyStorage storage = open(each)) {
        done(storage.add(key("a", "secret of " + each.getFileName())));
      }
    }
    try (Instance instance = Instance.of(open(file))) {
      assertThat(instance.knows("secret of first.db")).isTrue();
      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      PatientWaits.within(Duration.ofSeconds(10), () -> instance.knows("secret of second.db"));
      assertThat(instance.knows("secret of first.db")).isFalse();
    }
  }
}
