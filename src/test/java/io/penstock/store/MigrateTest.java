package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrateTest {
  @TempDir private Path directory;

  private Path yaml() {
    return directory.resolve("state.yaml");
  }

  private Path db() {
    return directory.resolve("state.db");
  }

  private static void save(Path file, SnapshotStore.Snapshot state) throws IOException {
    try (SnapshotStore snapshotStore = StateFiles.of(file)) {
      snapshotStore.save(state);
    }
  }

  private static SnapshotStore.Snapshot load(Path file) throws IOException {
    try (SnapshotStore snapshotStore = StateFiles.of(file)) {
      return snapshotStore.load();
    }
  }

  @Test
  void migrated_losesNothing_andAgainChangesNothing() throws IOException {
    SnapshotStore.Snapshot state = SnapshotStoreContract.everything(5);
    save(yaml(), state);
    String before = Files.readString(yaml());
    assertThat(StateFiles.migrate(yaml(), db()))
        .isEqualTo(db() + ": 9 limits, 4 rows of usage, 2 overrides");
    assertThat(load(db())).isEqualTo(state);
    byte[] bytes = Files.readAllBytes(db());
    assertThat(StateFiles.migrate(yaml(), db())).endsWith(", all there already");
    assertThat(Files.readAllBytes(db())).isEqualTo(bytes);
    assertThat(Files.readString(yaml())).isEqualTo(before);
  }

  @Test
  void anotherStateThere_isKept() throws IOException {
    save(yaml(), SnapshotStoreContract.everything(5));
    save(db(), SnapshotStoreContract.everything(6));
    assertThatThrownBy(() -> StateFiles.migrate(yaml(), db()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holds another state already");
    assertThat(load(db())).isEqualTo(SnapshotStoreContract.everything(6));
  }

  @Test
  void nonsense_isRefused_andMakesNothing() throws IOException {
    assertThatThrownBy(() -> StateFiles.migrate(yaml(), db()))
        .hasMessage(yaml() + ": there is no such file");
    Files.writeString(yaml(), "state: [");
    assertThatThrownBy(() -> StateFiles.migrate(yaml(), db()))
        .hasMessageStartingWith(yaml() + ":1:");
    assertThatThrownBy(() -> StateFiles.migrate(db(), yaml()))
        .hasMessageContaining("ends in .yaml");
    assertThatThrownBy(() -> StateFiles.migrate(yaml(), yaml()))
        .hasMessageContaining("ends in .db");
    assertThat(db()).doesNotExist();
  }
}
