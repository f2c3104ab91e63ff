package io.penstock.dispatch;

import io.penstock.cost.Cost;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamHold;
import io.penstock.pool.UpstreamReadiness;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One route a ticket can take: the upstream, the model asked there, and all quotas that must admit
 * the ticket.
 *
 * @param upstream the upstream, or null for a permit
 * @param model the name of the model asked on this route: the client's, or that of a fallback
 *     model; null when none is asked for
 * @param pool the quota of the upstream, settled with each attempt; null for a permit
 * @param ofModel the quota of the model over all upstreams; null when the model has no limits, or
 *     was charged already
 * @param quotas all quotas that must admit the ticket, in the order in which they are charged: the
 *     endpoint's last
 * @param rank its place where the order of the upstreams decides, ≥ 0: a route with a lower one
 *     goes first; the same for all where their use decides
 */
public record TicketRoute(
    @Nullable Upstream upstream,
    @Nullable String model,
    @Nullable Quota pool,
    @Nullable Quota ofModel,
    List<Quota> quotas,
    int rank) {
  private static final TicketRoute NO_QUOTAS = new TicketRoute(null, null, null, null, List.of());

  public TicketRoute {
    quotas = List.copyOf(quotas);
  }

  /** Creates a route that is chosen by its use. */
  public TicketRoute(
      @Nullable Upstream upstream,
      @Nullable String model,
      @Nullable Quota pool,
      @Nullable Quota ofModel,
      List<Quota> quotas) {
    this(upstream, model, pool, ofModel, quotas, 0);
  }

  /**
   * Returns a route of only the quotas of the tickets' own key, which are the same on each route.
   */
  static TicketRoute ofKey(List<TicketRoute> routes) {
    // Quotas of the key come first.
    boolean any =
        !routes.isEmpty()
            && !routes.getFirst().quotas.isEmpty()
            && routes.getFirst().quotas.getFirst().ofKey();
    return any ? NO_QUOTAS.with(routes.getFirst().quotas) : NO_QUOTAS;
  }

  /** Returns whether tickets of other endpoints wait for any of its quotas, too. Thread-safe. */
  boolean othersWait(Object endpoint) {
    for (Quota quota : quotas) {
      if (quota.waitList().othersWait(endpoint)) {
        return true;
      }
    }
    return false;
  }

  /** Returns this route without the quotas of the tickets' own key. */
  TicketRoute withoutKey() {
    List<Quota> others = quotas.stream().filter(quota -> !quota.ofKey()).toList();
    return new TicketRoute(upstream, model, pool, ofModel, others, rank);
  }

  private TicketRoute with(List<Quota> all) {
    return new TicketRoute(
        upstream, model, pool, ofModel, all.stream().filter(Quota::ofKey).toList(), rank);
  }

  /** Sets {@code room} to what is free now, pacing left out; false when nothing at all would go. */
  boolean room(DimensionSizes room, long now) {
    room.reset();
    for (Quota quota : quotas) {
      if (!quota.lower(room, now)) {
        return false;
      }
    }
    return true;
  }

  /** Ends all claims of a ticket. */
  void release(Ticket ticket) {
    for (Quota quota : quotas) {
      quota.waitList().release(ticket);
    }
  }

  /**
   * Returns whether any of its quotas has a claim that binds such tickets.
   *
   * @param holds whether something stays taken for those tickets while they wait
   */
  boolean isClaimed(boolean holds) {
    for (Quota quota : quotas) {
      if (quota.waitList().isClaimed(holds)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether any of its quotas is claimed for another ticket, which that one may not pass.
   */
  boolean isClaimedForOther(Ticket ticket) {
    for (Quota quota : quotas) {
      if (quota.waitList().isClaimedForOther(ticket)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the ticket of {@code waiter} that has a claim here, or null. */
  @Nullable Ticket claimedFor(WaitList.Waiter waiter) {
    for (Quota quota : quotas) {
      Ticket ticket = quota.waitList().claimedFor(waiter);
      if (ticket != null) {
        return ticket;
      }
    }
    return null;
  }

  boolean admits(DimensionSizes sizes, long now) {
    for (Quota quota : quotas) {
      if (!quota.admits(sizes, now)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the instant from which the pace of all quotas lets a ticket pass; at most now if it
   * does.
   */
  long paceAllowsAt(DimensionSizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.paceAllowsAt(sizes, now));
    }
    return instant;
  }

  /**
   * Returns whether each quota that delays a ticket of {@code sizes} by its pace is claimed for it.
   */
  boolean isPaceClaimedFor(Ticket ticket, DimensionSizes sizes, long now) {
    for (Quota quota : quotas) {
      if (!quota.waitList().claimedFor(ticket.order()) && quota.paceAllowsAt(sizes, now) > now) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the only quota that keeps a ticket from going: it has no room, delays it by its pace,
   * or is claimed for another. Null when there is none or more than one, when it is a quota of the
   * ticket's own key, and when the ticket can never take this route.
   */
  @Nullable Quota onlyLacking(DimensionSizes sizes, Ticket ticket, long now) {
    if (obstacle(ticket.cost()) != null) {
      return null;
    }
    Quota lacking = null;
    for (Quota quota : quotas) {
      boolean lacks =
          quota.waitList().isClaimedForOther(ticket)
              || !quota.admits(sizes, now)
              || quota.paceAllowsAt(sizes, now) > now;
      if (lacks) {
        if (lacking != null || quota.ofKey()) {
          return null;
        }
        lacking = quota;
      }
    }
    return lacking;
  }

  /** Records the demand of a ticket that waits; returns when all quotas admit it. */
  long requestAdmission(DimensionSizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.requestAdmission(sizes, now));
    }
    return instant;
  }

  /** Does what {@link #requestAdmission} does, pacing left out. */
  long requestRoom(DimensionSizes sizes, long now) {
    long instant = now;
    for (Quota quota : quotas) {
      instant = Math.max(instant, quota.requestRoom(sizes, now));
    }
    return instant;
  }

  /**
   * Returns the charges taken from all quotas; null when a quota had no room: then none is charged.
   */
  @Nullable TicketCharges take(ParkedTicket parkedTicket, long now) {
    TicketCharges ticketCharges = new TicketCharges(quotas);
    for (Quota quota : quotas) {
      if (!quota.take(
          parkedTicket.cost(),
          now,
          quota == pool ? ticketCharges.attempt() : ticketCharges.keptCharges())) {
        ticketCharges.giveBack(now);
        leaveTrials(now);
        return null;
      }
    }
    if (parkedTicket.shadow() != null) {
      leaveTrials(now);
    }
    if (pool != null && pool.dayEndsNanos(now) > now) {
      pool.waitList().wake(); // the day is used up: its tickets wait in vain
    }
    return ticketCharges;
  }

  /**
   * Gives up the trial of an unhealthy or paused upstream that began at {@code now}: it is for a
   * request that is sent, and a shadow's ticket, for example, sends nothing.
   */
  void leaveTrials(long now) {
    if (upstream != null) {
      quotas.forEach(each -> each.untried(now));
    }
  }

  /** Wakes all lanes that wait for any of its quotas, because something was given back. */
  void wake() {
    for (Quota quota : quotas) {
      quota.waitList().wake();
    }
  }

  /** Returns the obstacle that makes this route impossible for {@code cost}, or null. */
  Quota.@Nullable Obstacle obstacle(Cost cost) {
    for (Quota quota : quotas) {
      Quota.Obstacle obstacle = quota.obstacle(cost);
      if (obstacle != null) {
        return obstacle;
      }
    }
    return null;
  }

  /**
   * Returns the refusal of all tickets here while a limit is cut off from its other sharers, or
   * null.
   */
  @Nullable Refusal refusal() {
    for (Quota quota : quotas) {
      for (MeteredLimit metered : quota.limits()) {
        Refusal refusal = metered.limit().sharing().refusal();
        if (refusal != null) {
          return refusal;
        }
      }
    }
    return null;
  }

  /**
   * Returns how full its upstream is by the upstream's own limits, 0 to 1; of routes of the same
   * rank, tickets take the least used one. The quotas of endpoint, key and model are left out: they
   * are the same on all routes to one model, and a full one would hide the difference between
   * upstreams.
   */
  double utilization(long now) {
    return pool == null ? 0 : pool.globalUtilization(now);
  }

  /** Returns the route that a ticket takes first of some; there must be at least one. */
  public static TicketRoute first(List<TicketRoute> routes, ParkedTicket parkedTicket, long now) {
    TicketRoute first = routes.getFirst();
    for (TicketRoute each : routes) {
      first = each.precedes(first, parkedTicket, now) ? each : first;
    }
    return first;
  }

  /**
   * Returns whether a ticket that could take either takes this route: the one of the lower rank,
   * else the less used one.
   */
  boolean precedes(TicketRoute other, ParkedTicket parkedTicket, long now) {
    if (rank != other.rank) {
      return rank < other.rank;
    }
    int used = Double.compare(utilization(now), other.utilization(now));
    return used != 0 ? used < 0 : score(parkedTicket) > other.score(parkedTicket);
  }

  /**
   * Returns whether a request could go this way, and when. Limits per minute are left out, because
   * they soon have room again.
   */
  public UpstreamReadiness readiness(long now) {
    if (refusal() != null) {
      return UpstreamReadiness.CUT_OFF;
    }
    UpstreamReadiness ofUpstream = upstreamReadiness(now);
    return ofModel == null
        ? ofUpstream
        : ofUpstream.or(UpstreamReadiness.Cause.MODEL_DAY, ofModel.dayEndsNanos(now), now);
  }

  /** Returns the answer of its upstream alone, with its pauses that do not hold all requests. */
  public UpstreamReadiness upstreamReadiness(long now) {
    if (upstream == null) {
      return UpstreamReadiness.READY;
    }
    UpstreamReadiness readiness = upstream.readiness(pool, now);
    for (Quota quota : quotas) {
      if (!quota.ofKey() && !quota.equals(pool)) {
        readiness = readiness.or(UpstreamReadiness.Cause.PAUSED, quota.gatesOpenAt(now), now);
      }
    }
    return readiness;
  }

  /** Returns the instant from which its upstream is open, whatever its limits have left. */
  public long gatesOpenAt(long now) {
    return pool == null ? now : pool.gatesOpenAt(now);
  }

  /**
   * Returns the first instant at which a ticket may go this way, by what the provider has stated;
   * {@code now} when it has stated nothing that is still to come.
   */
  long statedPause(ParkedTicket parkedTicket, long now) {
    long instant = now;
    for (Quota quota : pausing(parkedTicket, now)) {
      if (quota.statedEnd(now) > now) {
        instant = Math.max(instant, quota.gatesOpenAt(now));
      }
    }
    return instant;
  }

  /** Returns the end of the pauses of a ticket that the provider has stated. */
  long statedEnd(ParkedTicket parkedTicket, long now) {
    long instant = now;
    for (Quota quota : pausing(parkedTicket, now)) {
      instant = Math.max(instant, quota.statedEnd(now));
    }
    return instant;
  }

  /** Returns the quotas with the gates of the pauses that may hold a ticket. */
  private List<Quota> pausing(ParkedTicket parkedTicket, long now) {
    if (upstream == null || pool == null) {
      return List.of();
    }
    List<UpstreamHold> holds = upstream.holds(parkedTicket.tenant(), model, now);
    if (holds.isEmpty()) {
      return List.of(pool);
    }
    List<Quota> all = new ArrayList<>();
    all.add(pool);
    holds.forEach(each -> all.add(each.quota()));
    return all;
  }

  /** As {@link Upstream#accountRefusal}; null for a permit. */
  @Nullable String accountRefusal() {
    return upstream == null ? null : upstream.accountRefusal();
  }

  /** Returns whether it leads to the upstream of that id. */
  public boolean leadsTo(@Nullable String id) {
    return upstream != null && upstream.spec().id().equals(id);
  }

  /** Returns whether it leads to one of those upstreams. */
  public boolean leadsTo(Set<String> ids) {
    return upstream != null && ids.contains(upstream.spec().id());
  }

  /**
   * Returns the score of this route for a ticket: among equally used routes the highest is taken,
   * so that each is taken in proportion to its weight.
   */
  double score(ParkedTicket parkedTicket) {
    return upstream == null ? 0 : RendezvousHash.score(parkedTicket.order(), upstream.spec());
  }
}
