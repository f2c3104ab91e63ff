package io.penstock.dispatch;

import io.penstock.dispatch.QueueCopy.Entry;
import io.penstock.quota.Quota;
import io.penstock.quota.QuotaProjection;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The earliest instant at which a ticket can go, whatever else happens: a lower bound of its wait,
 * as long as nothing is given back to a limit. Belongs to one thread.
 *
 * <p>Counted are those tickets before it that it cannot overtake: they need no more than it does,
 * and can go wherever it can. Larger ones may be overtaken, and those that have to leave sooner
 * than that instant may never go.
 */
final class EarliestGo {
  private final QueueCopy copy;
  private final Entry entry;
  private final IdentityHashMap<Quota, Boolean> ample = new IdentityHashMap<>();

  EarliestGo(QueueCopy copy, Entry entry) {
    this.copy = copy;
    this.entry = entry;
  }

  /** Returns the bound; unknown when there is no such instant. */
  WaitForecast forecast() {
    List<Entry> ahead = ahead(copy.entries());
    long instant = after(ahead);
    ahead.removeIf(each -> each.staysUntil() < instant);
    return bound(after(ahead));
  }

  /**
   * Returns a smaller bound in less time: the ticket does not go before those that it cannot
   * overtake.
   *
   * @param first the forecasts of some tickets before it, in order
   */
  WaitForecast forecastBehind(Map<Entry, WaitForecast> first) {
    long instant = alone(entry);
    for (Entry each : ahead(first.keySet())) {
      WaitForecast known = first.getOrDefault(each, WaitForecast.UNKNOWN);
      if (known.known()) {
        instant = Math.max(instant, Math.min(copy.now() + known.waitNanos(), each.staysUntil()));
      }
    }
    return bound(instant);
  }

  private WaitForecast bound(long instant) {
    long bound = Math.min(Math.min(instant, givenBackAt()), Math.max(copy.now(), inOtherLanes()));
    return bound == Ticker.NEVER ? WaitForecast.UNKNOWN : WaitForecast.of(bound - copy.now(), true);
  }

  /**
   * Returns an instant before which the ticket does not go in the lanes to which it changes; NEVER
   * when it changes to none.
   */
  private long inOtherLanes() {
    long soonest = Ticker.NEVER;
    Entry later = new Entry(entry);
    while (later.changesAt() < Ticker.NEVER) {
      long from = later.changesAt();
      later.change();
      soonest = Math.min(soonest, Math.max(from, alone(later)));
    }
    return soonest;
  }

  /** Returns the first instant at which another ticket leaves and gives back what it keeps. */
  private long givenBackAt() {
    long first = Ticker.NEVER;
    for (Entry each : copy.entries()) {
      if (each != entry && each.ticket.takenCharges() != null) {
        first = Math.min(first, each.deadline);
      }
    }
    return Math.max(copy.now(), first);
  }

  /**
   * Returns those of some tickets that it cannot overtake.
   *
   * @param some in the order of the copy
   */
  private List<Entry> ahead(Collection<Entry> some) {
    List<Entry> ahead = new ArrayList<>();
    if (copy.claims().containsValue(entry)) {
      return ahead; // with a claim it may go first
    }
    boolean beforeIt = true;
    for (Entry each : some) {
      beforeIt &= each != entry;
      boolean inQueue = !each.blocked || (entry.blocked && beforeIt);
      if (inQueue
          && copy.order().staysBefore(each.ticket, entry.ticket)
          && entry.sizes.admits(each.sizes)
          && goesWherever(each)) {
        ahead.add(each);
      }
    }
    // On each other route one of them may wait for its turn while this one goes here.
    int elsewhere = Math.min(ahead.size(), Math.max(0, entry.routes.size() - 1));
    return ahead.subList(0, ahead.size() - elsewhere);
  }

  /**
   * Returns whether another ticket has each route that this one has, and is held up by no claim
   * that this one may ignore.
   */
  private boolean goesWherever(Entry other) {
    if (entry.keepsCharges() && !other.keepsCharges()) {
      return false;
    }
    for (TicketRoute route : entry.routes) {
      if (route(other, route) == null) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable TicketRoute route(Entry other, TicketRoute alike) {
    for (TicketRoute each : other.routes) {
      if (each.upstream() == alike.upstream() && each.pool() == alike.pool()) {
        return each;
      }
    }
    return null;
  }

  /** Returns when a ticket is admitted if no other goes before it. */
  private long alone(Entry some) {
    long soonest = Ticker.NEVER;
    for (TicketRoute route : some.routes) {
      long instant = copy.now();
      for (Quota quota : route.quotas()) {
        instant = Math.max(instant, copy.untouched(quota).admittedAt(some.batch, 0, copy.now()));
      }
      soonest = Math.min(soonest, instant);
    }
    return soonest;
  }

  /** Returns when the ticket is admitted after all of those have gone as soon as each could. */
  private long after(List<Entry> ahead) {
    Projections shared = new Projections();
    for (Entry each : ahead) {
      TicketRoute way = soonest(each, shared);
      if (way != null) {
        go(each, way, shared);
      }
    }
    TicketRoute way = soonest(entry, shared);
    return way == null ? Ticker.NEVER : shared.admittedAt(entry, way.quotas());
  }

  private static @Nullable TicketRoute soonest(Entry other, Projections projections) {
    TicketRoute best = null;
    long soonest = Ticker.NEVER;
    for (TicketRoute each : other.routes) {
      long instant = projections.admittedAt(other, each.quotas());
      if (instant < soonest) {
        best = each;
        soonest = instant;
      }
    }
    return best;
  }

  /** Lets a ticket go, unless a quota that only it needs may hold it up while this one passes. */
  private void go(Entry other, TicketRoute way, Projections shared) {
    TicketRoute here = route(entry, way);
    List<Quota> both = new ArrayList<>(way.quotas());
    List<Quota> onlyIts = new ArrayList<>(way.quotas());
    both.removeIf(quota -> here == null || !here.quotas().contains(quota));
    onlyIts.removeAll(both);
    if (!onlyIts.stream().allMatch(quota -> ample.computeIfAbsent(quota, this::isAmple))) {
      return;
    }
    long instant = shared.admittedAt(other, both);
    both.forEach(quota -> shared.go(other, quota, instant));
  }

  /** Returns whether a quota has room for all that wait for it, whatever their order. */
  private boolean isAmple(Quota quota) {
    if (copy.isAwaitedElsewhere(quota) || copy.claims().containsKey(quota)) {
      return false;
    }
    QuotaProjection projection = quota.projection(copy.now());
    for (Entry each : copy.entries()) {
      if (each.waitsFor(quota)) {
        if (projection.admittedAt(each.batch, 0, copy.now()) > copy.now()
            || projection.uncertain()) {
          return false;
        }
        projection.pass(each.batch, 0, 1, copy.now());
      }
    }
    return true;
  }

  /** Copies of quotas, from which tickets are taken. */
  private final class Projections {
    private final IdentityHashMap<Quota, QuotaProjection> byQuota = new IdentityHashMap<>();

    private QuotaProjection of(Quota quota) {
      return byQuota.computeIfAbsent(quota, each -> each.projection(copy.now()));
    }

    long admittedAt(Entry other, List<Quota> quotas) {
      long instant = copy.now();
      for (Quota quota : quotas) {
        instant = Math.max(instant, of(quota).admittedAt(other.batch, 0, copy.now()));
      }
      return instant;
    }

    void go(Entry other, Quota quota, long instant) {
      if (instant < Ticker.NEVER) {
        of(quota).pass(other.batch, 0, 1, instant);
      }
    }
  }
}
