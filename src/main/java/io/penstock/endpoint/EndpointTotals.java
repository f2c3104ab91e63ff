package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.dispatch.TicketFate;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Totals of an endpoint's tickets by outcome, in requests, tokens of cost and bytes of body. Safe
 * from any thread; when nothing moves, {@link TicketFate#OFFERED} equals the sum of all others.
 */
public final class EndpointTotals {
  private static final class Sum {
    final LongAdder requests = new LongAdder();
    final LongAdder tokens = new LongAdder();
    final LongAdder bytes = new LongAdder();

    /** The bytes are skipped when they are 0, as for most tickets that do not wait. */
    void add(long moreTokens, long moreBytes) {
      tokens.add(moreTokens);
      if (moreBytes != 0) {
        bytes.add(moreBytes);
      }
    }
  }

  private final Map<TicketFate, Sum> sums = new EnumMap<>(TicketFate.class);
  private final LongAdder requestsBegun = new LongAdder();
  private final LongAdder requestsEnded = new LongAdder();

  EndpointTotals() {
    for (TicketFate fate : TicketFate.values()) {
      sums.put(fate, new Sum());
    }
  }

  private Sum sum(TicketFate fate) {
    Sum sum = sums.get(fate);
    if (sum == null) {
      throw new IllegalStateException("no sum of " + fate);
    }
    return sum;
  }

  void add(TicketFate fate, Cost cost, long bytes) {
    Sum sum = sum(fate);
    sum.requests.increment();
    sum.add(cost.totalTokens(), bytes);
  }

  void move(TicketFate from, TicketFate to, Cost cost, long bytes) {
    add(to, cost, bytes);
    Sum sum = sum(from);
    sum.requests.decrement();
    sum.add(-cost.totalTokens(), -bytes);
  }

  /** Counts a request that has a ticket now. */
  void requestBegins() {
    requestsBegun.increment();
  }

  /** Counts the end of such a request, at which its ticket has an outcome. */
  void requestEnds() {
    requestsEnded.increment();
  }

  /**
   * Returns how many tickets wait or run although their request has ended, which is 0 unless slots
   * and amounts of limits were lost. While requests come and go it may be less than the truth, but
   * never more.
   */
  public long withoutRequest() {
    // each sum only grows, so this order of reading them errs on the one side
    long ended = requestsEnded.sum();
    long tickets = requests(TicketFate.OFFERED);
    for (TicketFate fate : TicketFate.values()) {
      boolean open =
          fate == TicketFate.OFFERED || fate == TicketFate.WAITING || fate == TicketFate.RUNNING;
      tickets -= open ? 0 : requests(fate);
    }
    return Math.max(0, tickets - (requestsBegun.sum() - ended));
  }

  /** Returns the number of tickets with that outcome. */
  public long requests(TicketFate fate) {
    return sum(fate).requests.sum();
  }

  /** Returns their cost, input plus output tokens. */
  public long tokens(TicketFate fate) {
    return sum(fate).tokens.sum();
  }

  /** Returns the bytes of their bodies. */
  public long bytes(TicketFate fate) {
    return sum(fate).bytes.sum();
  }

  /** Adds the totals of an endpoint at which nothing happens any more. */
  void add(EndpointTotals others) {
    requestsBegun.add(others.requestsBegun.sum());
    requestsEnded.add(others.requestsEnded.sum());
    sums.forEach(
        (fate, sum) -> {
          sum.requests.add(others.requests(fate));
          sum.tokens.add(others.tokens(fate));
          sum.bytes.add(others.bytes(fate));
        });
  }
}
