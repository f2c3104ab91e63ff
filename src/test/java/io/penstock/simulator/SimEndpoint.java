package io.penstock.simulator;

import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.Quota;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One endpoint from its start to its removal, as the oracle models it. */
final class SimEndpoint {
  /** The limit of an endpoint, which no provider sees. */
  private static final ProviderLedger UNSEEN = new ProviderLedger(0);

  final Endpoint endpoint;
  final SimClaims line;

  /** Waiting tickets, in order of arrival. */
  final List<SimTicket> waiting = new ArrayList<>();

  final List<SimTicket> left = new ArrayList<>();
  final SimQueue queue;
  final SimWarmups warmups = new SimWarmups();
  OracleRanking ranking;
  private final boolean lifts;
  private final boolean sharesPlaces;
  private final Map<SimTicket.Stage, long[]> sums = new EnumMap<>(SimTicket.Stage.class);
  EndpointSpec spec;
  boolean paused;

  /**
   * Requests that entered and have not left, without their tickets; and since when there is none.
   */
  int inside;

  long emptySince;
  boolean removed;
  private @Nullable OracleLimit limit;

  /** Its own limit and measure, null when it has none. */
  OracleSpend.@Nullable Metering own;

  SimEndpoint(Endpoint endpoint, EndpointSpec spec, InjectedFault fault, long now) {
    this.endpoint = endpoint;
    this.spec = spec;
    this.lifts = fault != InjectedFault.NO_LIFT;
    this.sharesPlaces = fault != InjectedFault.UNSHARED_PLACES;
    this.queue =
        new SimQueue(
            spec.waiting().bounds(),
            spec.waiting().maxBlocked(),
            shares(spec),
            sharesPlaces,
            fault != InjectedFault.BOUND_AGAIN);
    this.ranking = new OracleRanking(spec.scheduling(), lifts);
    this.line = new SimClaims(quotaOf(endpoint));
    meter(limitOf(spec, 0, now));
  }

  private boolean shares(EndpointSpec of) {
    return sharesPlaces && of.scheduling().order() == QueueOrder.FAIR;
  }

  private void meter(@Nullable OracleLimit next) {
    limit = next;
    own = next == null ? null : new OracleSpend.Metering(measure(next.spec()), next, UNSEEN);
  }

  private static LimitMeasure measure(LimitSpec limit) {
    return limit instanceof LimitSpec.FixedWindow ? LimitMeasure.TOKENS : LimitMeasure.REQUESTS;
  }

  /** Returns the endpoint's own quota, a private field that only this test looks at. */
  static Quota quotaOf(Endpoint endpoint) {
    try {
      Field field = Endpoint.class.getDeclaredField("own");
      field.setAccessible(true);
      return (Quota) field.get(endpoint);
    } catch (ReflectiveOperationException gone) {
      throw new IllegalStateException("an endpoint keeps its own quota elsewhere now", gone);
    }
  }

  private static @Nullable OracleLimit limitOf(EndpointSpec spec, long owed, long now) {
    return spec.limit() instanceof LimitSpec.Unlimited
        ? null
        : OracleLimitFactory.create(spec.limit(), owed, now);
  }

  /** Returns the debt for the next limit: it is kept only if the measure stays the same. */
  private static long owed(OracleLimit before, LimitSpec next, long now) {
    return measure(before.spec()) == measure(next) ? before.owed(now) : 0;
  }

  void reconfigure(EndpointSpec next, long now) {
    OracleLimit before = limit;
    if (before != null && before.spec().getClass() == next.limit().getClass()) {
      if (!before.spec().equals(next.limit())) {
        before.resize(next.limit(), now);
      }
    } else {
      meter(limitOf(next, before == null ? 0 : owed(before, next.limit(), now), now));
    }
    spec = next;
    queue.change(next.waiting().bounds(), next.waiting().maxBlocked(), shares(next));
    queue.reloaded();
    if (!ranking.same(next.scheduling())) {
      rank(next.scheduling());
    }
  }

  /** Counts a ticket as waiting from here on, where that matters to the order. */
  void join(SimTicket ticket) {
    if (ranking.fair != null) {
      ticket.joined = true;
      ranking.joins(ticket);
      if (!ticket.more().isEmpty() || !ticket.arrival.isEmpty()) {
        ranking.fair.unsure(); // tickets held up by their key, or denied, count as absent
      }
    }
  }

  /** Notes that the dispatcher has looked at a ticket, and it waits. */
  void arrived(SimTicket ticket, long now) {
    left.removeIf(each -> each.leftAt != now);
    ticket.seen = true;
    if (!queue.arrived(ticket, left) && ranking.fair != null) {
      ranking.fair.unsure();
    }
  }

  /** Returns whether a ticket left at this very instant. */
  boolean justLeft(long now) {
    return !left.isEmpty() && left.getLast().leftAt == now;
  }

  private void rank(EndpointSpec.Scheduling scheduling) {
    ranking = new OracleRanking(scheduling, lifts);
    for (SimTicket each : waiting) {
      each.skips = 0;
      each.joined = false;
      join(each);
    }
    if (queue.blocked() > 0 && ranking.fair != null) {
      ranking.fair.unsure();
    }
  }

  void count(SimTicket.Stage stage, SimTicket ticket, int sign) {
    long[] sum = sum(stage);
    sum[0] += sign;
    sum[1] += sign * ticket.cost.totalTokens();
    sum[2] += sign * ticket.bytes;
  }

  /** Adds the totals of a reclaimed endpoint. */
  void inherit(SimEndpoint child) {
    child.sums.forEach(
        (stage, sum) -> {
          long[] own = sum(stage);
          for (int at = 0; at < own.length; at++) {
            own[at] += sum[at];
          }
        });
  }

  long[] sum(SimTicket.Stage stage) {
    return sums.computeIfAbsent(stage, absent -> new long[3]);
  }

  /**
   * Returns how many waiting tickets arrived before {@code order}: they are the first of the list.
   */
  int before(long order) {
    int low = 0;
    int high = waiting.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (waiting.get(middle).order < order) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Removes a ticket that no longer waits. */
  void remove(SimTicket ticket) {
    int place = before(ticket.order);
    if (place == waiting.size() || waiting.get(place) != ticket) {
      throw new IllegalStateException("does not wait: " + ticket);
    }
    waiting.remove(place);
    ticket.wasBlocked = ticket.blocked;
    if (ticket.joined) {
      ticket.joined = false;
      ranking.leaves(ticket);
    }
    queue.remove(ticket);
  }
}
