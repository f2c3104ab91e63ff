package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.pool.Upstream;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.quota.Line;
import io.penstock.quota.Metered;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One way a ticket can go.
 *
 * @param upstream where to, or null for a permit
 * @param model the name under which a model is asked for this way: the client's, or that of one
 *     that serves in its place; null when none is asked for
 * @param pool what the upstream gives, settled with each attempt; null for a permit
 * @param ofModel what that model may be asked, whoever serves it; null when nothing limits that, or
 *     it has given already
 * @param quotas all that must admit it, in the order in which they are taken: the endpoint's last
 */
record Route(
    @Nullable Upstream upstream,
    @Nullable String model,
    @Nullable Quota pool,
    @Nullable Quota ofModel,
    List<Quota> quotas) {
  private static final Route NO_WAY = new Route(null, null, null, null, List.of());

  Route {
    quotas = List.copyOf(quotas);
  }

  /** Returns what there is of some ways that is the tickets' own key's: the same of each. */
  static Route ofKey(List<Route> ways) {
    // It is checked before all else.
    boolean any =
        !ways.isEmpty()
            && !ways.getFirst().quotas.isEmpty()
            && ways.getFirst().quotas.getFirst().personal();
    return any ? NO_WAY.with(ways.getFirst().quotas) : NO_WAY;
  }

  private Route with(List<Quota> all) {
    return new Route(upstream, model, pool, ofModel, all.stream().filter(Quota::personal).toList());
  }

  /** Sets {@code room} to what is free now, pacing aside; false when nothing at all would go. */
  boolean room(Sizes room, long now) {
    room.reset();
    for (Quota quota : quotas) {
      if (!quota.lower(room, now)) {
        return false;
      }
    }
    return true;
  }

  /** Ends what is kept for a ticket. */
  void release(Ticket ticket) {
    for (Quota quota : quotas) {
      quota.line().release(ticket);
    }
  }

  /** Returns whether any of its quotas is kept from those who hold something, or who do not. */
  boolean kept(boolean holds) {
    for (Quota quota : quotas) {
      if (quota.line().kept(holds)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether any of its quotas is kept for a ticket other than that one. */
  boolean keptFrom(Ticket ticket) {
    for (Quota quota : quotas) {
      if (quota.line().keptFrom(ticket)) {
        return true;
      }
    }
    return false;
  }

  /** Returns a ticket of {@code waiter} that something is kept for, or null. */
  @Nullable Ticket keptFor(Line.Waiter waiter) {
    for (Quota quota : quotas) {
      Ticket ticket = quota.line().keptFor(waiter);
      if (ticket != null) {
        return ticket;
      }
    }
    return null;
  }

  /**
   * Returns whether no ticket that comes before a choice claims what it would take; then those it
   * skips are in {@code skipped}. Only when all have been asked is it known: who waits for one
   * quota may claim another, and take over what one of the choice's own lane had just claimed.
   */
  boolean yields(Choice choice, Set<Line.Waiter> skipped, long now) {
    Pending pending = choice.pending();
    boolean claimed = false;
    for (Quota quota : quotas) {
      claimed |= !quota.personal() && quota.line().ask(choice.lane(), pending, now);
    }
    if (keptFrom(pending) || (claimed && !choice.lane().passes(pending, this, now))) {
      return false;
    }
    for (Quota quota : quotas) {
      if (!quota.personal()) {
        quota.line().skipped(choice.lane(), pending, skipped);
      }
    }
    return true;
  }

  boolean admits(Sizes sizes, long now) {
    for (Quota quota : quotas) {
      if (!quota.admits(sizes, now)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the instant from which the pace of all lets a ticket pass, at most now if it does. */
  long paced(Sizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.paced(sizes, now));
    }
    return instant;
  }

  /** Returns whether all that the pace holds back of a ticket of {@code sizes} is kept for it. */
  boolean paceKeptFor(Ticket ticket, Sizes sizes, long now) {
    for (Quota quota : quotas) {
      if (!quota.line().keptFor(ticket.order()) && quota.paced(sizes, now) > now) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the quota that alone keeps a ticket from going: it has no room, its pace holds it back,
   * or it is kept for another. Null: there is none, or more than one, or one that is its own key's,
   * or it can never go this way.
   */
  @Nullable Quota onlyLacking(Sizes sizes, Ticket ticket, long now) {
    if (obstacle(ticket.cost()) != null) {
      return null;
    }
    Quota lacking = null;
    for (Quota quota : quotas) {
      boolean lacks =
          quota.line().keptFrom(ticket)
              || !quota.admits(sizes, now)
              || quota.paced(sizes, now) > now;
      if (lacks) {
        if (lacking != null || quota.personal()) {
          return null;
        }
        lacking = quota;
      }
    }
    return lacking;
  }

  long earliest(Sizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.earliest(sizes, now));
    }
    return instant;
  }

  /** Returns {@link #earliest}, pacing aside. */
  long opens(Sizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.opens(sizes, now));
    }
    return instant;
  }

  /** Returns what was taken from all quotas, or null when one had no room: then nothing was. */
  @Nullable Spends take(Pending pending, long now) {
    Spends spends = new Spends(quotas);
    for (Quota quota : quotas) {
      if (!quota.take(pending.cost(), now, quota == pool ? spends.attempt() : spends.kept())) {
        spends.giveBack(now);
        leaveTrial(pending, now);
        return null;
      }
    }
    leaveTrial(pending, now);
    if (pool != null && pool.dayEndsNanos(now) > now) {
      pool.line().wake(); // that was the last of the day: who waits for it waits in vain
    }
    return spends;
  }

  /** For a shadow nothing is sent: the trial of an upstream is left to a request that is. */
  private void leaveTrial(Pending pending, long now) {
    if (pending.shadow() != null && upstream != null) {
      upstream.health().untried(now);
    }
  }

  /** Wakes all who wait for any of its quotas: something was given back. */
  void wake() {
    for (Quota quota : quotas) {
      quota.line().wake();
    }
  }

  /** Returns the obstacle that makes this way impossible for {@code cost}, or null. */
  Quota.@Nullable Obstacle obstacle(Cost cost) {
    for (Quota quota : quotas) {
      Quota.Obstacle obstacle = quota.obstacle(cost);
      if (obstacle != null) {
        return obstacle;
      }
    }
    return null;
  }

  /** Returns why nobody may go or wait here while a limit is cut off from others, or null. */
  @Nullable Refusal refusal() {
    for (Quota quota : quotas) {
      for (Metered metered : quota.limits()) {
        Refusal refusal = metered.limit().refusal();
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return null;
  }

  /** How full it is, 0 to 1: the way least used is taken. */
  double utilization(long now) {
    double most = 0;
    for (Quota quota : quotas) {
      most = Math.max(most, quota.utilizationEverywhere(now));
    }
    return most;
  }

  /** Returns the least used of some routes for a ticket, of which there is at least one. */
  static Route leastUsed(List<Route> routes, Pending pending, long now) {
    Route least = routes.getFirst();
    double used = least.utilization(now);
    for (Route each : routes) {
      double use = each.utilization(now);
      if (use < used || (use == used && each.score(pending) > least.score(pending))) {
        least = each;
        used = use;
      }
    }
    return least;
  }

  /** Returns whether its upstream is on trial. */
  boolean onTrial() {
    return upstream != null && upstream.health().onTrial();
  }

  /** Returns the instant from which nothing but limits holds a request here, at most now if so. */
  long gateOpens(long now) {
    return pool == null ? now : pool.gatesOpen(now);
  }

  /** Returns whether nothing but limits that pass within a minute holds a request here now. */
  boolean open(long now) {
    return gateOpens(now) <= now && (pool == null || pool.dayEndsNanos(now) <= now);
  }

  /** Returns whether it can be relied on to open soon: see {@link Upstream#available}. */
  boolean available(long now) {
    return upstream == null || pool == null || (upstream.available(pool, now) && refusal() == null);
  }

  /** Returns whether it goes to the upstream of that id. */
  boolean goesTo(@Nullable String id) {
    return upstream != null && upstream.spec().id().equals(id);
  }

  /** Of ways used alike the one with the highest is taken: each as often as its weight says. */
  double score(Pending pending) {
    return upstream == null ? 0 : Rendezvous.score(pending.order(), upstream.spec());
  }
}
