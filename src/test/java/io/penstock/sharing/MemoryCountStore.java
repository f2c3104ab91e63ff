package io.penstock.sharing;

import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Count store for writers within one process. */
public final class MemoryCountStore implements CountStore {
  private record Cell(LimitId id, long cell) {}

  private final WallClock clock;
  private final Map<Cell, Map<String, Count>> cells = new HashMap<>();

  /** Creates a store in which all counts are 0. */
  public MemoryCountStore(WallClock clock) {
    this.clock = clock;
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    return CompletableFuture.completedFuture(merge(writer, List.copyOf(own)));
  }

  private synchronized List<Count> merge(String writer, List<Count> own) {
    for (Count count : own) {
      cells
          .computeIfAbsent(new Cell(count.id(), count.cell()), absent -> new HashMap<>())
          .merge(writer, count, (a, b) -> a.amount() >= b.amount() ? a : b);
    }
    long now = clock.unixMillis();
    cells
        .values()
        .removeIf(
            writers -> writers.values().stream().allMatch(count -> count.expiresAtMillis() <= now));
    List<Count> others = new ArrayList<>();
    cells.forEach(
        (cell, writers) -> {
          if (writers.size() > 1 || !writers.containsKey(writer)) {
            others.add(new Count(cell.id(), cell.cell(), sumWithout(writer, writers)));
          }
        });
    return others;
  }

  private static long sumWithout(String writer, Map<String, Count> writers) {
    long sum = 0;
    for (Map.Entry<String, Count> each : writers.entrySet()) {
      if (!each.getKey().equals(writer)) {
        long amount = each.getValue().amount();
        sum = sum > Long.MAX_VALUE - amount ? Long.MAX_VALUE : sum + amount;
      }
    }
    return sum;
  }
}
