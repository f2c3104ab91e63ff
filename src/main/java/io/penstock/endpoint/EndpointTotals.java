package io.penstock.endpoint;

import io.penstock.cost.Cost;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Totals of an endpoint's tickets by outcome, in requests, tokens of cost and bytes of body. Safe
 * from any thread; when nothing moves, {@link Fate#OFFERED} equals the sum of all others.
 */
public final class EndpointTotals {
  /** Stage or outcome of a ticket. */
  public enum Fate {
    /** It arrived. */
    OFFERED,
    /** Its answer reached its end. */
    SERVED,
    /** It was refused. */
    REFUSED,
    /** It waited until its deadline. */
    EXPIRED,
    /** Its client went away. */
    CANCELLED,
    /** It waits. */
    WAITING,
    /** It was granted and is not settled yet. */
    RUNNING
  }

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

  private final Map<Fate, Sum> sums = new EnumMap<>(Fate.class);

  EndpointTotals() {
    for (Fate fate : Fate.values()) {
      sums.put(fate, new Sum());
    }
  }

  private Sum sum(Fate fate) {
    Sum sum = sums.get(fate);
    if (sum == null) {
      throw new IllegalStateException("no sum of " + fate);
    }
    return sum;
  }

  void add(Fate fate, Cost cost, long bytes) {
    Sum sum = sum(fate);
    sum.requests.increment();
    sum.add(cost.totalTokens(), bytes);
  }

  void move(Fate from, Fate to, Cost cost, long bytes) {
    add(to, cost, bytes);
    Sum sum = sum(from);
    sum.requests.decrement();
    sum.add(-cost.totalTokens(), -bytes);
  }

  /** Returns the number of tickets with that outcome. */
  public long requests(Fate fate) {
    return sum(fate).requests.sum();
  }

  /** Returns their cost, input plus output tokens. */
  public long tokens(Fate fate) {
    return sum(fate).tokens.sum();
  }

  /** Returns the bytes of their bodies. */
  public long bytes(Fate fate) {
    return sum(fate).bytes.sum();
  }

  /** Adds the totals of an endpoint at which nothing happens any more. */
  void add(EndpointTotals others) {
    sums.forEach(
        (fate, sum) -> {
          sum.requests.add(others.requests(fate));
          sum.tokens.add(others.tokens(fate));
          sum.bytes.add(others.bytes(fate));
        });
  }
}
