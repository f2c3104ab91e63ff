package io.penstock.shares;

import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Told;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shares of long windows, as other instances told of them, also of limits that this one does not
 * use. If the store loses its data, nobody else may know them any more. Used by one thread at a
 * time.
 */
final class ToldShares {
  private static final long MILLI = 1_000_000;
  private static final int LEAST_CLEANED = 1_000;

  /**
   * @param untilNanos when nothing of it counts any more
   */
  private record Kept(Row row, long untilNanos) {}

  private final Map<LimitId, Map<String, Kept>> all = new HashMap<>();
  private int most = LEAST_CLEANED;

  void hear(List<Told> told, String self, long now) {
    clean(now);
    for (Told each : told) {
      if (each instanceof Told.Share share && !each.member().equals(self)) {
        hear(each.id(), share.row(), now);
      }
    }
  }

  /** Takes in the shares that the answer to a call states. */
  void hear(LimitId id, List<Row> rows, long now) {
    rows.forEach(row -> hear(id, row, now));
  }

  private void hear(LimitId id, Row row, long now) {
    long until = now + ShareTerms.watched(row.decayMillis() * MILLI);
    all.computeIfAbsent(id, absent -> new HashMap<>())
        .merge(row.member(), new Kept(row, until), ToldShares::larger);
  }

  /** The larger share counts, because the newer one may be heard first. */
  private static Kept larger(Kept known, Kept next) {
    boolean later = known.row().cell().isBefore(next.row().cell());
    boolean earlier = next.row().cell().isBefore(known.row().cell());
    return later || (!earlier && next.row().share() > known.row().share()) ? next : known;
  }

  boolean knows(LimitId id, long now) {
    Map<String, Kept> rows = all.getOrDefault(id, Map.of());
    return rows.values().stream().anyMatch(each -> each.untilNanos() > now);
  }

  /** Returns what is known of the shares of others of a limit. */
  List<Row> of(LimitId id, long now) {
    Map<String, Kept> rows = all.get(id);
    if (rows == null) {
      return List.of();
    }
    rows.values().removeIf(each -> each.untilNanos() <= now);
    List<Row> known = new ArrayList<>();
    rows.values().forEach(each -> known.add(each.row()));
    return known;
  }

  /** Forgets what counts no more, whenever as many limits as before have come to it. */
  private void clean(long now) {
    if (all.size() > most) {
      all.values()
          .removeIf(rows -> rows.values().stream().allMatch(each -> each.untilNanos() <= now));
      most = 2 * all.size() + LEAST_CLEANED;
    }
  }
}
