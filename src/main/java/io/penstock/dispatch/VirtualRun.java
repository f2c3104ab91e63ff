package io.penstock.dispatch;

import io.penstock.quota.Quota;
import io.penstock.quota.QuotaProjection;
import io.penstock.quota.TicketBatch;
import io.penstock.time.Ticker;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of waiting tickets through copies of their quotas, on a clock of its own, to see when the
 * last of them would go. It changes nothing outside. Belongs to one thread.
 *
 * <p>Tickets that go at the same instant are taken in one step. Where they go one by one, a step
 * takes at most a {@value #PRECISION}th of those that went before, and at most a sub-cell of each
 * window. So the number of steps grows with the length of the wait, not with the number of tickets,
 * and instants are exact for the first {@value #PRECISION} tickets and within a few percent after
 * that. After {@value #MOST_LOOKS} looks at the next ticket of a group the run ends, and what it
 * has reached is a lower bound.
 */
final class VirtualRun {
  private static final int PRECISION = 32;
  static final int MOST_LOOKS = 2_000;

  private final IdentityHashMap<Quota, QuotaProjection> projections = new IdentityHashMap<>();
  private final long now;
  private long at;
  private long passed;
  private int looks;
  private boolean bound;

  /** Tickets of one lane that are still to go. */
  static final class Group {
    final List<TicketRoute> routes;
    final TicketBatch batch;
    long done;

    Group(List<TicketRoute> routes, TicketBatch batch) {
      this.routes = routes;
      this.batch = batch;
    }

    long left() {
      return batch.tickets() - done;
    }

    /** Returns which part of it has gone, 0 to 1. */
    double progress() {
      return (double) done / batch.tickets();
    }
  }

  /**
   * A group, and the route on which its next ticket goes first.
   *
   * @param limiting the quota that admits it last; null when none delays it
   * @param uncertain whether it may go later, because of events unknown
   */
  private record Next(
      Group group, TicketRoute route, long instant, @Nullable Quota limiting, boolean uncertain) {
    /** Returns whether what delays it is a quota of any of those routes. */
    boolean limitsAny(List<TicketRoute> routes) {
      return limiting != null
          && routes.stream().anyMatch(other -> other.quotas().contains(limiting));
    }

    boolean before(Next other) {
      return instant == other.instant
          ? group.progress() < other.group.progress()
          : instant < other.instant;
    }
  }

  VirtualRun(long now) {
    this.now = now;
    this.at = now;
  }

  private QuotaProjection projection(Quota quota) {
    return projections.computeIfAbsent(quota, each -> each.projection(now));
  }

  /** Notes that tickets were left out that may go first. */
  void leavesOut() {
    bound = true;
  }

  /**
   * Returns how long a ticket waits behind all tickets of some groups. It goes before tickets that
   * wait for something else: for a limit of their own keys, or for another upstream.
   */
  WaitForecast behind(List<Group> groups, List<TicketRoute> routes, TicketBatch ticket) {
    Group own = new Group(routes, ticket);
    while (true) {
      Next first = null;
      boolean waits = false;
      for (Group group : groups) {
        if (looks >= MOST_LOOKS) {
          return WaitForecast.of(at - now, true);
        }
        Next next = group.left() > 0 ? next(group, at) : null;
        if (next != null && next.instant() < Ticker.NEVER) {
          first = first == null || next.before(first) ? next : first;
          waits |= next.limitsAny(routes);
        }
      }
      Next mine = waits ? null : next(own, at);
      if (first == null || (mine != null && mine.instant() < first.instant())) {
        return mine == null || mine.instant() == Ticker.NEVER
            ? WaitForecast.UNKNOWN
            : WaitForecast.of(mine.instant() - now, bound || mine.uncertain());
      }
      step(first);
    }
  }

  private void step(Next next) {
    Group group = next.group();
    at = Math.max(at, next.instant());
    bound |= next.uncertain();
    long fit = group.left();
    long finest = Math.min(group.left(), Math.max(1, passed / PRECISION));
    for (Quota quota : next.route().quotas()) {
      QuotaProjection projection = projection(quota);
      fit = projection.passable(group.batch, group.done, fit, at);
      finest = projection.finest(group.batch, group.done, finest);
    }
    long count = Math.max(fit, finest);
    long last = at;
    for (Quota quota : next.route().quotas()) {
      last = Math.max(last, projection(quota).pass(group.batch, group.done, count, at));
    }
    at = last;
    group.done += count;
    passed += count;
  }

  /**
   * Returns how long the next ticket waits, and takes it. Tickets before it may go later than it,
   * if their own keys hold them.
   */
  WaitForecast next(List<TicketRoute> routes, TicketBatch own) {
    Next next = next(new Group(routes, own), now);
    if (next == null || next.instant() == Ticker.NEVER) {
      return WaitForecast.UNKNOWN;
    }
    long key = now;
    long others = now;
    for (Quota quota : next.route().quotas()) {
      long instant = projection(quota).admittedAt(own, 0, now);
      key = quota.ofKey() ? Math.max(key, instant) : key;
      others = quota.ofKey() ? others : Math.max(others, instant);
    }
    for (Quota quota : next.route().quotas()) {
      if (quota.ofKey() || key <= others) {
        projection(quota).pass(own, 0, 1, next.instant());
      }
    }
    return WaitForecast.of(next.instant() - now, next.uncertain());
  }

  private @Nullable Next next(Group group, long from) {
    looks++;
    Next best = null;
    for (TicketRoute route : group.routes) {
      Next next = next(group, route, from);
      if (best == null
          || next.instant() < best.instant()
          || (next.instant() == best.instant() && !next.uncertain())) {
        best = next;
      }
    }
    return best;
  }

  private Next next(Group group, TicketRoute route, long from) {
    long instant = from;
    Quota limiting = null;
    boolean uncertain = false;
    for (Quota quota : route.quotas()) {
      QuotaProjection projection = projection(quota);
      long admits = projection.admittedAt(group.batch, group.done, from);
      uncertain |= projection.uncertain();
      if (admits > instant) {
        instant = admits;
        limiting = quota;
      }
    }
    return new Next(group, route, instant, limiting, uncertain);
  }
}
