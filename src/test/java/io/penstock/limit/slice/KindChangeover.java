package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ledger of the slices of one limit for the case that a reload changes the kind of the limit while
 * instances run. Belongs to one thread at a time. The script {@code grant.lua} does the same in
 * Lua, with the same answers.
 *
 * <p>For a while some members have the old kind and some the new one. The ledger of the kind that
 * was there first counts everything, and all members are granted only what it has room for. The
 * ledger of the other kind determines in which of its cells that may be spent. When every member
 * has changed, or has been silent for longer than a living member can be, the ledger of the new
 * kind takes over: what was spent in the running window of the old kind counts in its running cell.
 */
public final class KindChangeover {
  private final long durationMicros;
  private final Map<CellPartition.Kind, SliceLedger> guests =
      new EnumMap<>(CellPartition.Kind.class);
  private @Nullable SliceLedger first;

  /**
   * Creates an empty ledger.
   *
   * @param durationMicros the length of the limit's window, 0 where it has none
   */
  public KindChangeover(long durationMicros) {
    this.durationMicros = durationMicros;
  }

  /**
   * Processes a member's report, and grants slices.
   *
   * @param at how the member divides the limit
   * @param now the shared clock, in microseconds
   * @param ttl how long a slice may be spent, and how long a silent member counts as living
   */
  public SliceLedger.Granted round(
      SliceLedger.Report report, CellPartition at, long now, long ttl) {
    SliceLedger host = first == null ? new SliceLedger(at) : first;
    first = host;
    if (host.fits(at, now)) {
      return host.round(report, at, now, ttl);
    }
    SliceLedger known = guests.get(at.kind());
    SliceLedger guest = known != null && known.fits(at, now) ? known : new SliceLedger(at);
    if (guest.late(report) || host.late(report)) {
      return SliceLedger.LATE;
    }
    guests.put(at.kind(), guest);
    guest.follow(host);
    OldKindShares visited = new OldKindShares(host, guest, report, at, durationMicros, now, ttl);
    SliceLedger.Granted granted = guest.round(report, at, now, ttl, visited);
    if (!visited.binds()) {
      first = guest;
      guests.remove(at.kind());
    }
    return granted;
  }

  /** Returns whether this ledger can be dropped without any effect. */
  public boolean ends(long now, long ttl) {
    return (first == null || first.ends(now, ttl))
        && guests.values().stream().allMatch(each -> each.ends(now, ttl));
  }
}
