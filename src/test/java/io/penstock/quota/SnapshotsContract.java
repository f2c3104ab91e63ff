package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Measure;
import io.penstock.limit.Balance;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every store of snapshots keeps. */
abstract class SnapshotsContract {
  abstract Snapshots snapshots();

  static LimitId id(String name) {
    return new LimitId(LimitId.Kind.UPSTREAM, name, "a/b %", Measure.INPUT_TOKENS, 60_000_000_000L);
  }

  static void save(Snapshots snapshots, Snapshots.Snapshot snapshot) {
    snapshots.save(snapshot).toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  static Snapshots.Snapshot load(Snapshots snapshots) {
    return snapshots.load().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
  }

  @Test
  void nothingSaved_loadsEmpty() {
    assertThat(load(snapshots())).isEqualTo(Snapshots.Snapshot.EMPTY);
  }

  @Test
  void saved_loadsTheSame() {
    Snapshots snapshots = snapshots();
    Snapshots.Snapshot saved =
        new Snapshots.Snapshot(
            1_700_000_000_123L,
            Map.of(
                id("ü:#{}"), new Balance(1, 2, 3),
                id("b"), new Balance(Long.MAX_VALUE, 0, 0)));
    save(snapshots, saved);
    assertThat(load(snapshots)).isEqualTo(saved);
    assertThat(load(snapshots)).isEqualTo(saved);
  }

  @Test
  void savedAgain_replacesAllOfWhatWasThere() {
    Snapshots snapshots = snapshots();
    save(snapshots, new Snapshots.Snapshot(1, Map.of(id("a"), new Balance(1, 0, 0))));
    Snapshots.Snapshot second = new Snapshots.Snapshot(2, Map.of(id("b"), new Balance(2, 0, 0)));
    save(snapshots, second);
    assertThat(load(snapshots)).isEqualTo(second);
  }
}
