package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Estimates how long tickets will wait that go one after the other: each for the best of its
 * routes, behind all earlier ones here that may take from the same quotas. Used by one thread at a
 * time.
 */
public final class TurnEstimate {
  /** Sums over the earlier tickets that may take from one quota. */
  private static final class Before {
    private final DimensionSizes sums = new DimensionSizes();
    private long tickets;

    Before() {
      sums.setAll(0);
    }

    void add(DimensionSizes sizes) {
      tickets++;
      sums.add(sizes, 1);
    }
  }

  /** Longest wait that is still given as a forecast. */
  private static final long FARTHEST_NANOS = Long.MAX_VALUE / 4;

  private final Map<Quota, Before> before = new HashMap<>();
  private final long now;

  public TurnEstimate(long now) {
    this.now = now;
  }

  /** Returns how long the next ticket will wait; {@link Ticker#NEVER} when that cannot be known. */
  public long next(ParkedTicket parkedTicket, List<TicketRoute> routes) {
    DimensionSizes own = new DimensionSizes();
    parkedTicket.sizesInto(own);
    long best = Ticker.NEVER;
    Set<Before> competing = new HashSet<>();
    for (TicketRoute route : routes) {
      long wait = 0;
      for (Quota quota : route.quotas()) {
        Before ahead = before.computeIfAbsent(quota, absent -> new Before());
        wait = Math.max(wait, quota.forecastNanos(ahead.tickets, ahead.sums, own, now));
        competing.add(ahead);
      }
      best = Math.min(best, wait);
    }
    DimensionSizes counted = parkedTicket.counted == null ? own : parkedTicket.counted;
    competing.forEach(ahead -> ahead.add(counted));
    return best > FARTHEST_NANOS ? Ticker.NEVER : best;
  }
}
