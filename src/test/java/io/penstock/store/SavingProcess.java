package io.penstock.store;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A process that saves continuously while limits are used, and prints the number of each save. */
final class SavingProcess {
  private static final long MINUTE = 60_000_000_000L;
  private static final int KEYS = 20;
  private static final int USAGE_ROWS = 200;

  /** Day of the row of usage that contains the number of its save. */
  static final LocalDate DAY = LocalDate.of(2026, 11, 22);

  static final LimitId COUNTER =
      new LimitId(LimitId.Kind.KEY, "counter", "", LimitMeasure.REQUESTS, MINUTE);

  private SavingProcess() {}

  /** Saves to the file in the first argument, counting from the second. */
  public static void main(String[] arguments) throws IOException {
    Ticker ticker = Ticker.system();
    LocalLimitSource source = new LocalLimitSource();
    List<Limit> limits = new ArrayList<>();
    LimitSpec spec = new LimitSpec.TrailingWindow(1_000_000_000, MINUTE, 0, 1_000_000_000);
    for (int key = 0; key < KEYS; key++) {
      LimitId id = new LimitId(LimitId.Kind.KEY, "key" + key, "", LimitMeasure.TOKENS, MINUTE);
      limits.add(source.limit(id, spec, ticker.nanos()));
    }
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              for (int turn = 0; true; turn = (turn + 1) % KEYS) {
                limits.get(turn).take(Weight.exactly(1), ticker.nanos());
              }
            });
    try (SnapshotStore snapshotStore = StateFiles.of(Path.of(arguments[0]))) {
      for (long number = Long.parseLong(arguments[1]); true; number++) {
        snapshotStore.save(state(source.owed(ticker.nanos()), number));
        System.out.println(number);
      }
    }
  }

  /** Returns a state that contains the number in every part. */
  private static Snapshot state(Map<LimitId, List<ChargedCell>> owed, long number) {
    Map<LimitId, List<Spent>> spent = new HashMap<>();
    owed.forEach(
        (id, cells) ->
            spent.put(
                id, cells.stream().map(cell -> new Spent(cell.atNanos(), cell.amount())).toList()));
    spent.put(COUNTER, List.of(new Spent(1, number)));
    List<UsageLedger.Row> usage = new ArrayList<>();
    for (int row = 0; row < USAGE_ROWS; row++) {
      usage.add(new UsageLedger.Row(DAY, "k" + row, "", "", number, 0, 0, CachedInput.NONE));
    }
    return new Snapshot(Map.of(), spent, usage);
  }
}
