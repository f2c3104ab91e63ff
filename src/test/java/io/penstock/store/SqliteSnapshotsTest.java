package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStoreContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteSnapshotsTest extends SnapshotStoreContract {
  @TempDir private Path directory;

  private Path file() {
    return directory.resolve("state.db");
  }

  @Override
  protected SnapshotStore snapshots() throws IOException {
    return StateFiles.of(file());
  }

  private void saved(int number) throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(number));
    }
  }

  private List<String> query(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void assertRefused(String says) throws IOException {
    byte[] before = Files.readAllBytes(file());
    try (SnapshotStore snapshotStore = snapshots()) {
      assertThatThrownBy(snapshotStore::load)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(file() + ": ")
          .hasMessageContaining(says)
          .extracting(Throwable::getMessage)
          .asString()
          .doesNotContain("\n");
    }
    assertThat(Files.readAllBytes(file())).isEqualTo(before);
  }

  @Test
  void tables_areThoseOfTheContract() throws Exception {
    saved(1);
    assertThat(query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"))
        .containsExactly("daily", "quotas", "requests", "spend", "tokens", "usage");
    assertThat(query("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
        .containsExactlyInAnyOrder("requests_model_ts", "tokens_model_ts", "spend_cells");
    assertThat(query("PRAGMA user_version")).containsExactly("1");
    assertThat(query("PRAGMA journal_mode")).containsExactly("wal");
    assertThat(query("SELECT ts FROM requests WHERE model = 'gpt-4o' ORDER BY ts"))
        .containsExactly("" + NOW, "" + NOW, "" + NOW, "" + (NOW + 7));
    assertThat(query("SELECT max_tpm FROM quotas WHERE model = 'gpt-4o'")).containsExactly("1");
    assertThat(query("SELECT grp FROM usage WHERE key = 'k'")).containsExactly("g", "g");
  }

  @Test
  void file_isForItsOwnerOnly() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      try (var files = Files.list(directory)) {
        assertThat(files)
            .hasSizeGreaterThan(1) // the log next to it
            .allSatisfy(
                file ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
      }
    }
  }

  @Test
  void fileOfNothing_isEmpty() throws IOException {
    Files.createFile(file());
    try (SnapshotStore snapshotStore = snapshots()) {
      assertThat(snapshotStore.load()).isEqualTo(SnapshotStore.Snapshot.EMPTY);
      snapshotStore.save(everything(1));
      assertThat(snapshotStore.load()).isEqualTo(everything(1));
    }
  }

  @Test
  void somethingElse_isRefusedAndLeftAsItIs() throws Exception {
    Files.writeString(file(), "version: 1\n");
    assertRefused("not one of SQLite");
    Files.delete(file());
    execute("CREATE TABLE keys(name TEXT)");
    assertRefused("holds something else");
    Files.delete(file());
    saved(1);
    execute("PRAGMA user_version = 2");
    assertRefused("the file has format 2, but this version of Penstock reads format 1");
  }

  @Test
  void somethingElse_isNotWrittenOverEither() throws Exception {
    Files.writeString(file(), "version: 1\n");
    try (SnapshotStore snapshotStore = snapshots()) {
      assertThatThrownBy(() -> snapshotStore.save(everything(1))).isInstanceOf(IOException.class);
    }
    assertThat(Files.readString(file())).isEqualTo("version: 1\n");
  }

  @Test
  void corruptPages_areRefusedAndLeftAsTheyAre() throws Exception {
    saved(1);
    byte[] bytes = Files.readAllBytes(file());
    byte[] damaged = bytes.clone();
    Arrays.fill(damaged, 4096, damaged.length, (byte) 0x5A);
    Files.write(file(), damaged);
    assertRefused("damaged");
    Files.write(file(), Arrays.copyOf(bytes, 6_000));
    assertRefused("damaged");
  }

  @Test
  void rowsOfNonsense_areRefused() throws Exception {
    saved(1);
    execute("UPDATE daily SET day_count = -1");
    assertRefused("expected more than 0");
    execute("UPDATE daily SET day_count = 1");
    execute("UPDATE requests SET ts = -1");
    assertRefused("expected nanoseconds since 1970");
    execute("DELETE FROM requests");
    execute("UPDATE spend SET kind = 'x'");
    assertRefused("kind 'x' is not known");
    execute("DELETE FROM spend");
    execute("UPDATE usage SET day = 'yesterday' WHERE requests = 1");
    assertRefused("yesterday");
  }

  @Test
  void directoryThatIsMissing_isSaid() throws IOException {
    SnapshotStore snapshotStore = StateFiles.of(directory.resolve("none").resolve("state.db"));
    assertThat(snapshotStore.load()).isEqualTo(SnapshotStore.Snapshot.EMPTY);
    assertThatThrownBy(() -> snapshotStore.save(everything(1)))
        .hasMessageEndingWith("state.db: there is no such directory");
  }

  @Test
  void anotherProcessWrites_isSaidAndDoneTheNextTime() throws Exception {
    saved(1);
    try (SnapshotStore snapshotStore = snapshots()) {
      try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file());
          Statement statement = other.createStatement()) {
        statement.execute("BEGIN EXCLUSIVE");
        assertThatThrownBy(() -> snapshotStore.save(everything(2)))
            .hasMessageEndingWith("locked by another process");
        statement.execute("COMMIT");
      }
      snapshotStore.save(everything(3));
      assertThat(snapshotStore.load()).isEqualTo(everything(3));
    }
  }

  @Test
  void fileThatWasTakenAway_isMadeAnew() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      Files.delete(file());
      Files.deleteIfExists(directory.resolve("state.db-wal"));
      Files.deleteIfExists(directory.resolve("state.db-shm"));
      snapshotStore.save(everything(2));
    }
    try (SnapshotStore again = snapshots()) {
      assertThat(again.load()).isEqualTo(everything(2));
    }
  }

  @Test
  void headThatIsCutOff_isRefused() throws IOException {
    Files.write(file(), "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII));
    assertRefused("");
  }
}
