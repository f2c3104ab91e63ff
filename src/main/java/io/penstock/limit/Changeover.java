package io.penstock.limit;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shares of one limit, whose kind a reload may change while instances run. Belongs to one
 * thread at a time. The same in Lua is {@code grant.lua} of package {@code sync}; both answer
 * alike.
 *
 * <p>For a while some members have the old kind and some the new one. The shares of the kind that
 * was there first count everything, and all members are granted only what these have room for.
 * Those of the other kind say in which of its cells it may be spent. When every member has changed,
 * or was not heard for longer than a living member is silent, the shares of the new kind take over:
 * what was spent in the running window of the old kind counts in their running cell.
 */
public final class Changeover {
  private final long durationMicros;
  private final Map<Partition.Kind, Shares> guests = new EnumMap<>(Partition.Kind.class);
  private @Nullable Shares first;

  /**
   * Makes shares of which none is granted.
   *
   * @param durationMicros the length of the limit's window, 0 where it has none
   */
  public Changeover(long durationMicros) {
    this.durationMicros = durationMicros;
  }

  /**
   * Takes in what a member says, and grants.
   *
   * @param at how the member cuts the limit
   * @param now the shared clock, in microseconds
   * @param ttl how long a slice may be spent, and how long a member lives that is silent
   */
  public Shares.Granted round(Shares.Report report, Partition at, long now, long ttl) {
    Shares host = first == null ? new Shares(at) : first;
    first = host;
    if (host.fits(at, now)) {
      return host.round(report, at, now, ttl);
    }
    Shares known = guests.get(at.kind());
    Shares guest = known != null && known.fits(at, now) ? known : new Shares(at);
    if (guest.late(report) || host.late(report)) {
      return Shares.LATE;
    }
    guests.put(at.kind(), guest);
    guest.follow(host);
    Host visited = new Host(host, guest, report, at, durationMicros, now, ttl);
    Shares.Granted granted = guest.round(report, at, now, ttl, visited);
    if (!visited.binds()) {
      first = guest;
      guests.remove(at.kind());
    }
    return granted;
  }

  /** Returns whether nobody would notice that these shares are no more. */
  public boolean ends(long now, long ttl) {
    return (first == null || first.ends(now, ttl))
        && guests.values().stream().allMatch(each -> each.ends(now, ttl));
  }
}
