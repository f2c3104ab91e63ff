package io.penstock.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import java.io.IOException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contract of all snapshot stores. */
public abstract class SnapshotStoreContract {
  public static final long NOW = 1_700_000_000_123_456_789L;
  private static final long MINUTE = 60_000_000_000L;
  private static final long DAY = 1_440 * MINUTE;

  /** Returns an empty store. */
  protected abstract SnapshotStore snapshots() throws IOException;

  static LimitId id(String name) {
    return new LimitId(LimitId.Kind.UPSTREAM, name, "a/b %", LimitMeasure.INPUT_TOKENS, MINUTE);
  }

  static LimitId model(String name, LimitMeasure measure, long duration) {
    return new LimitId(LimitId.Kind.MODEL, name, "", measure, duration);
  }

  /** Returns a snapshot with all kinds of content. */
  public static Snapshot everything(int number) {
    String odd = "ü:#{}\"\\ '\n\t\u2028\ud83d\ude00- ";
    LocalDate day = LocalDate.of(2026, 11, 22);
    return new Snapshot(
        Map.of(odd, new ModelLimits(1, 2, 3), "gpt-4o", new ModelLimits(0, number, 0)),
        Map.of(
            id(odd),
            List.of(new Spent(NOW, 1), new Spent(NOW + 1, Long.MAX_VALUE)),
            id("b"),
            List.of(new Spent(NOW, number + 1L)),
            model("gpt-4o", LimitMeasure.REQUESTS, MINUTE),
            List.of(new Spent(NOW, 3), new Spent(NOW + 7, 1)),
            model(odd, LimitMeasure.REQUESTS, MINUTE),
            List.of(new Spent(NOW, 1_000_000)),
            model(odd, LimitMeasure.TOKENS, MINUTE),
            List.of(new Spent(NOW, 5), new Spent(NOW + 9, 6)),
            model(odd, LimitMeasure.REQUESTS, DAY),
            List.of(new Spent(NOW + DAY, 5)),
            model("early", LimitMeasure.REQUESTS, DAY),
            List.of(new Spent(5, 5)),
            model("gpt-4o", LimitMeasure.TOKENS, DAY),
            List.of(new Spent(NOW, 5)),
            new LimitId(LimitId.Kind.KEY, "k", "gpt-4o", LimitMeasure.REQUESTS, 0),
            List.of(new Spent(0, 5))),
        List.of(
            new UsageLedger.Row(day, "", "", "", 0, 0, 0, CachedInput.NONE),
            new UsageLedger.Row(day, "k", "g", odd, number, 2, 3, CachedInput.NONE),
            new UsageLedger.Row(
                day.plusDays(1),
                "c",
                "g",
                odd,
                1,
                9L + number,
                3,
                new CachedInput(4, 3L + number, 2)),
            new UsageLedger.Row(
                day.plusDays(1), "k", "g", odd, Long.MAX_VALUE, 2, 3, CachedInput.NONE)));
  }

  @Test
  void nothingSaved_loadsEmpty() throws IOException {
    assertThat(snapshots().load()).isEqualTo(Snapshot.EMPTY);
  }

  @Test
  void saved_loadsTheSame() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      assertThat(snapshotStore.load()).isEqualTo(everything(1));
      assertThat(snapshotStore.load()).isEqualTo(everything(1));
    }
  }

  @Test
  void savedAgain_replacesAllOfWhatWasThere() throws IOException {
    try (SnapshotStore snapshotStore = snapshots()) {
      snapshotStore.save(everything(1));
      snapshotStore.save(everything(2));
      assertThat(snapshotStore.load()).isEqualTo(everything(2));
      snapshotStore.save(Snapshot.EMPTY);
      assertThat(snapshotStore.load()).isEqualTo(Snapshot.EMPTY);
    }
  }
}
