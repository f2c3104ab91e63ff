package io.penstock.store;

import io.penstock.cost.Measure;
import io.penstock.limit.Cell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Ledger;
import io.penstock.quota.LimitId;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Snapshots;
import io.penstock.quota.Snapshots.Snapshot;
import io.penstock.quota.Snapshots.Spent;
import io.penstock.time.Ticker;
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
      new LimitId(LimitId.Kind.KEY, "counter", "", Measure.REQUESTS, MINUTE);

  private SavingProcess() {}

  /** Saves to the file in the first argument, counting from the second. */
  public static void main(String[] arguments) throws IOException {
    Ticker ticker = Ticker.system();
    LocalLimitSource source = new LocalLimitSource();
    List<Limit> limits = new ArrayList<>();
    LimitSpec spec = new LimitSpec.TrailingWindow(1_000_000_000, MINUTE, 0, 1_000_000_000);
    for (int key = 0; key < KEYS; key++) {
      LimitId id = new LimitId(LimitId.Kind.KEY, "key" + key, "", Measure.TOKENS, MINUTE);
      limits.add(source.limit(id, spec, ticker.nanos()));
    }
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              for (int turn = 0; true; turn = (turn + 1) % KEYS) {
                limits.get(turn).admit(1, ticker.nanos());
              }
            });
    try (Snapshots snapshots = StateFiles.of(Path.of(arguments[0]))) {
      for (long number = Long.parseLong(arguments[1]); true; number++) {
        snapshots.save(state(source.owed(ticker.nanos()), number));
        System.out.println(number);
      }
    }
  }

  /** Returns a state that contains the number in every part. */
  private static Snapshot state(Map<LimitId, List<Cell>> owed, long number) {
    Map<LimitId, List<Spent>> spent = new HashMap<>();
    owed.forEach(
        (id, cells) ->
            spent.put(
                id, cells.stream().map(cell -> new Spent(cell.atNanos(), cell.amount())).toList()));
    spent.put(COUNTER, List.of(new Spent(1, number)));
    List<Ledger.Row> usage = new ArrayList<>();
    for (int row = 0; row < USAGE_ROWS; row++) {
      usage.add(new Ledger.Row(DAY, "k" + row, "", "", number, 0, 0));
    }
    return new Snapshot(Map.of(), spent, usage);
  }
}
