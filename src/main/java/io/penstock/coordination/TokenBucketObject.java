package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Token bucket that is refilled to its size at the start of every interval; intervals are measured
 * from its creation without drift. Tokens taken in the running interval stay taken when size or
 * interval change.
 */
final class TokenBucketObject extends CoordinationObject {
  private final long createdNanos;
  private long size;
  private long intervalNanos;
  private long taken;

  /** Instant of the next refill; the field below is the number of refills so far. */
  private long refillNanos;

  private long refills;

  TokenBucketObject(ObjectOperation.TakeToken first, long createdMillis, long nowNanos) {
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
  void adjust(ObjectOperation operation, long nowNanos) {
    ObjectOperation.TakeToken take = (ObjectOperation.TakeToken) operation;
    refill(nowNanos);
    size = take.size();
    if (intervalNanos != take.intervalNanos()) {
      intervalNanos = take.intervalNanos();
      refillNanos = edgeAfter(nowNanos);
    }
  }

  @Override
  ObjectReply act(ObjectOperation operation, long nowMillis, long nowNanos) {
    throw new IllegalArgumentException("a bucket has nothing to do at once: " + operation);
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    refill(nowNanos);
    if (taken >= size) {
      return null;
    }
    taken++;
    served(first, refills, nowNanos);
    return ObjectReplies.DONE;
  }

  @Override
  long nextNanos() {
    return size == 0 ? Ticker.NEVER : refillNanos;
  }

  /** Returns a token of the running interval; tokens of earlier ones have already been replaced. */
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
