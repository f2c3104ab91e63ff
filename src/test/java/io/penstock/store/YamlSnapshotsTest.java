package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.SnapshotStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlSnapshotsTest extends SnapshotStoreContract {
  @TempDir private Path directory;

  private Path file() {
    return directory.resolve("state.yaml");
  }

  @Override
  protected SnapshotStore snapshots() throws IOException {
    return StateFiles.of(file());
  }

  private SnapshotStore holding(String text) throws IOException {
    Files.writeString(file(), text);
    return snapshots();
  }

  @Test
  void writtenByHand_isRead() throws IOException {
    SnapshotStore.Snapshot read =
        holding(
                """
                quotas:
                  gpt-4o: {max_rpm: 1, max_tpm: 2, max_rpd: 3}
                state:
                  gpt-4o:
                    requests: [1700000000000000000, 1700000000000000000, 1700000000000000001]
                    tokens:
                      - time: 1700000000000000000
                        count: 7
                    day_start: 1700000000000000000
                    day_count: 4
                """)
            .load();
    assertThat(read.overrides()).containsOnlyKeys("gpt-4o");
    assertThat(read.overrides().get("gpt-4o")).isEqualTo(new ModelLimits(1, 2, 3));
    assertThat(read.spent()).hasSize(3);
    assertThat(read.spent().get(LimitId.parse("model", "gpt-4o", "requests:60000000000")))
        .isEqualTo(
            List.of(
                new Spent(1_700_000_000_000_000_000L, 2),
                new Spent(1_700_000_000_000_000_001L, 1)));
    assertThat(read.spent().get(LimitId.parse("model", "gpt-4o", "requests:86400000000000")))
        .isEqualTo(List.of(new Spent(1_700_086_400_000_000_000L, 4)));
  }

  @Test
  void shape_isThatOfTheContract() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
    }
    assertThat(Files.readString(file()))
        .contains("quotas:\n  \"gpt-4o\": {max_rpm: 0, max_tpm: 1, max_rpd: 0}\n")
        .contains("  \"gpt-4o\":\n    requests: [" + NOW + ", " + NOW)
        .contains("tokens: [{time: " + NOW + ", count: 5}, {time: ")
        .contains("    day_count: 5\n")
        .contains("- {kind: upstream, id: \"b:a%2Fb%20%25\", measure: \"input_tokens:60000000000\"")
        .contains("- {day: \"2026-11-22\", key: \"k\", group: \"g\", model: ");
  }

  @Test
  void file_isForItsOwnerOnly_andNothingIsLeftAside() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(file());
    }
  }

  @Test
  void fileBehindALink_isReplacedThere() throws IOException {
    Path real = Files.createDirectory(directory.resolve("real")).resolve("s.yaml");
    Files.writeString(real, "version: 1\n");
    Files.createSymbolicLink(file(), real);
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      assertThat(file()).isSymbolicLink();
      assertThat(snapshotStore.load()).isEqualTo(everything(1));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | :1:1: the file is empty, expected a state",
        "'a: [' | :1:5: ",
        "'[]' | :1:1: the file is no mapping",
        "'{rows: 1, version: 2, more: 3}' | :1:20: the file has format 2, but this version of"
            + " Penstock reads format 1: use another file, or the version that wrote it",
        "'usage: [{day: 2026-01-01, key: k, group: g, model: m, requests: 1, input: 9, output: 1,"
            + " cache_read: 1, cache_write: 2, cache_write_1h: 3}]' | cache_write is 2, expected at"
            + " least 3",
        "'rows: 3' | :1:7: the file is not whole: 0 rows, expected 3",
        "'quota: {}' | :1:1: quota is not known in the file",
        "'quotas: {m: {max_rpm: -1, max_tpm: 0, max_rpd: 0}}' | max_rpm is -1, expected at least 0",
        "'quotas: {m: {max_rpm: 1, max_tpm: 0}}' | :1:10: max_rpd is missing",
        "'state: {m: {requests: [-5]}}' | :1:24: a request is -5, expected nanoseconds since 1970",
        "'state: {m: {requests: [x]}}' | :1:24: a request is 'x', expected a whole number",
        "'state: {m: {requests: 5}}' | :1:23: requests is no list",
        "'state: {m: {tokens: [{time: 1, count: -1}]}}' | count is -1, expected at least 0",
        "'state: {m: {day_count: 1}}' | day_start is missing",
        "'state: {m: {}, m: {}}' | :1:16: m is there twice",
        "'state: &a {m: *a}' | :1:",
        "'spend: [{kind: x, id: a, measure: tokens:1, cell_start: 1, amount: 1}]' | kind 'x'",
        "'spend: [{kind: key, id: a, measure: tokens, cell_start: 1, amount: 1}]' | measure is",
        "'spend: [{kind: key, id: a, measure: tokens:1, cell_start: 1, amount: 0}]' | amount is 0",
        "'spend: [{kind: key, id: a%, measure: tokens:1, cell_start: 1, amount: 1}]' | not percent",
        "'usage: [{day: x, key: a, group: b, model: c, requests: 1, input: 1, output: 1}]' | day is"
      })
  void nonsense_isRefusedInOneLineWithItsPlace_andLeftAsItIs(String text, String says)
      throws IOException {
    SnapshotStore snapshotStore = holding(text);
    assertThatThrownBy(snapshotStore::load)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file() + ":")
        .hasMessageContaining(says)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("\n");
    assertThat(Files.readString(file())).isEqualTo(text);
  }

  @Test
  void usageThatIsThereTwice_isRefused() throws IOException {
    String row = "{day: 2026-01-01, key: a, group: b, model: c, requests: 1, input: 1, output: 1}";
    SnapshotStore snapshotStore = holding("usage:\n- " + row + "\n- " + row + "\n");
    assertThatThrownBy(snapshotStore::load).hasMessageContaining(":3:3: usage of this day");
  }

  @Test
  void bytesThatAreNoText_areRefused() throws IOException {
    Files.write(file(), new byte[] {'a', (byte) 0xFF});
    assertThatThrownBy(snapshots()::load).hasMessageContaining("not UTF-8");
  }

  /** A file that was cut off at any line must be refused, not loaded in part. */
  @Test
  void cutShort_isRefusedAtEveryLine() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      String whole = Files.readString(file());
      int end = whole.lastIndexOf('\n', whole.length() - 2);
      for (; end > whole.indexOf("rows:"); end = whole.lastIndexOf('\n', end - 1)) {
        Files.writeString(file(), whole.substring(0, end + 1));
        assertThatThrownBy(snapshotStore::load)
            .as("cut at %d", end)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void directoryThatIsMissing_isSaid() throws IOException {
    SnapshotStore snapshotStore = StateFiles.of(directory.resolve("none").resolve("state.yaml"));
    assertThat(snapshotStore.load()).isEqualTo(SnapshotStore.Snapshot.EMPTY);
    assertThatThrownBy(() -> snapshotStore.save(everything(1)))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("state.yaml: there is no such directory");
  }

  @Test
  void directoryThatMayNotBeWrittenTo_keepsWhatIsThere() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      // Not even root can create a file in place of a non-empty directory.
      Files.createDirectories(directory.resolve("state.yaml.tmp").resolve("in the way"));
      assertThatThrownBy(() -> snapshotStore.save(everything(2)))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(file() + ": ");
      assertThat(snapshotStore.load()).isEqualTo(everything(1));
    }
  }

  @Test
  void directoryInItsPlace_isRefused() throws IOException {
    Files.createDirectory(file());
    assertThatThrownBy(snapshots()::load).isInstanceOf(IOException.class);
  }

  @Test
  void fileThatMayNotBeRead_isRefused() throws IOException {
    Files.writeString(file(), "version: 1\n");
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("---------"));
    assumeThat(Files.isReadable(file())).as("run by root").isFalse();
    assertThatThrownBy(snapshots()::load).isInstanceOf(IOException.class);
  }

  @Test
  void nameOfNeitherKind_isRefused() {
    assertThatThrownBy(() -> StateFiles.of(Path.of("state.json")))
        .isInstanceOf(IOException.class)
        .hasMessage("state.json: expected a name that ends in .yaml or .db");
  }
}
