package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Is set to its size at once every interval, measured from its creation without drift. What is
 * taken of the running interval stays taken when size or interval change.
 */
final class TokenBucket extends Named {
  private final long createdNanos;
  private long size;
  private long intervalNanos;
  private long taken;

  /** When it is filled next, and how often it was. */
  private long refillNanos;

  private long refills;

  TokenBucket(Operation.TakeToken first, long createdMillis, long nowNanos) {
    super(createdMillis);
    this.createdNanos = nowNanos;
    this.size = first.size();
    this.intervalNanos = first.intervalNanos();
    this.refillNanos = edgeAfter(nowNanos);
  }

  private long edgeAfter(long nowNanos) {
    long passed = (nowNanos - createdNanos) / intervalNanos;
    return later(createdNanos, Math.multiplyExact(passed, intervalNanos) + intervalNanos);
  }

  private void refill(long nowNanos) {
    if (nowNanos >= refillNanos) {
      taken = 0;
      refills++;
      refillNanos = edgeAfter(nowNanos);
    }
  }

  @Override
  void adjust(Operation operation, long nowNanos) {
    Operation.TakeToken take = (Operation.TakeToken) operation;
    refill(nowNanos);
    size = take.size();
    if (intervalNanos != take.intervalNanos()) {
      intervalNanos = take.intervalNanos();
      refillNanos = edgeAfter(nowNanos);
    }
  }

  @Override
  Reply act(Operation operation, long nowMillis, long nowNanos) {
    throw new IllegalArgumentException("a bucket has nothing to do at once: " + operation);
  }

  @Override
  @Nullable Reply serve(Turn first, long nowNanos) {
    refill(nowNanos);
    if (taken >= size) {
      return null;
    }
    taken++;
    served(first, refills, nowNanos);
    return Replies.DONE;
  }

  @Override
  long nextNanos() {
    return size == 0 ? Ticker.NEVER : refillNanos;
  }

  /** A token of an interval that is over was replaced already. */
  @Override
  void takeBack(Object given, long nowNanos) {
    refill(nowNanos);
    if (given.equals(refills)) {
      taken--;
    }
  }

  @Override
  boolean blank(long nowNanos) {
    refill(nowNanos);
    return taken == 0;
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    describeWaits(statistics, "acquired");
    describeTimes(statistics);
  }
}
