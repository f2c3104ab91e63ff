package io.penstock.sharing;

import io.penstock.time.WallClock;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Denial store for regions within one process. */
public final class MemoryDenialStore implements DenialStore {
  private record Row(String region, Denial denial) {
    boolean sameCell(Row other) {
      Denial mine = denial;
      Denial its = other.denial;
      return region.equals(other.region)
          && mine.namespace().equals(its.namespace())
          && mine.identifier().equals(its.identifier())
          && mine.durationMillis() == its.durationMillis()
          && mine.sequence() == its.sequence();
    }
  }

  private final WallClock clock;
  private final TreeMap<Long, Row> rows = new TreeMap<>();
  private long newest = Page.START;

  /** Creates a store without denials. */
  public MemoryDenialStore(WallClock clock) {
    this.clock = clock;
  }

  @Override
  public CompletionStage<Void> publish(String region, List<Denial> denials) {
    add(region, List.copyOf(denials));
    return CompletableFuture.completedFuture(null);
  }

  private synchronized void add(String region, List<Denial> denials) {
    expire();
    for (Denial denial : denials) {
      Row row = new Row(region, denial);
      if (rows.values().stream().noneMatch(row::sameCell)) {
        newest++;
        rows.put(newest, row);
      }
    }
  }

  @Override
  public CompletionStage<Page> since(String region, long cursor) {
    return CompletableFuture.completedFuture(page(region, cursor));
  }

  private synchronized Page page(String region, long cursor) {
    expire();
    List<Denial> others =
        rows.tailMap(cursor, false).values().stream()
            .filter(row -> !row.region().equals(region))
            .map(Row::denial)
            .toList();
    return new Page(others, newest);
  }

  private void expire() {
    long now = clock.unixMillis();
    rows.values().removeIf(row -> expiresAtMillis(row.denial()) <= now);
  }

  /** Returns the Unix time in milliseconds at the end of the next cell. */
  private static long expiresAtMillis(Denial denial) {
    return (denial.sequence() + 2) * denial.durationMillis();
  }
}
