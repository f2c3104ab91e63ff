package io.penstock.coordination;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Semaphore: a number of permits, each held under a key until it is released or expires. A smaller
 * size takes no permit from its holder.
 */
final class SemaphoreObject extends CoordinationObject {
  /** A held permit. */
  private record Hold(String key, long expiresNanos, long order) {}

  private static final Comparator<Hold> BY_EXPIRY =
      Comparator.comparingLong(Hold::expiresNanos).thenComparingLong(Hold::order);

  private final BoundedCount boundedCount;

  @SharedState("coordination objects")
  private final Map<String, Hold> byKey = new HashMap<>();

  @SharedState("coordination objects")
  private final TreeSet<Hold> byExpiry = new TreeSet<>(BY_EXPIRY);

  private long size;
  private long order;
  private long reacquired;
  private long released;
  private long expired;
  private long mostHeld;

  /**
   * Creates a semaphore without held permits.
   *
   * @param boundedCount bounds the held permits of all semaphores together
   */
  SemaphoreObject(ObjectOperation.Acquire first, BoundedCount boundedCount, long createdMillis) {
    super(createdMillis);
    this.size = first.size();
    this.boundedCount = boundedCount;
  }

  private void expire(long nowNanos) {
    while (!byExpiry.isEmpty() && byExpiry.getFirst().expiresNanos() <= nowNanos) {
      free(byExpiry.getFirst());
      expired++;
    }
  }

  private void free(Hold hold) {
    byKey.remove(hold.key());
    byExpiry.remove(hold);
    boundedCount.free(1);
  }

  @Override
  void adjust(ObjectOperation objectOperation, long nowNanos) {
    size = ((ObjectOperation.Acquire) objectOperation).size();
  }

  @Override
  ObjectReply act(ObjectOperation objectOperation, long nowMillis, long nowNanos) {
    expire(nowNanos);
    Hold hold = byKey.get(((ObjectOperation.Release) objectOperation).key());
    if (hold == null) {
      return ObjectReplies.NOT_HELD;
    }
    free(hold);
    released++;
    return ObjectReplies.DONE;
  }

  /** Answers a client with a permit at once, even when others wait. */
  @Override
  @Nullable ObjectReply again(ObjectOperation objectOperation, long nowNanos) {
    expire(nowNanos);
    return reacquired(((ObjectOperation.Acquire) objectOperation).key());
  }

  /**
   * Returns the answer to a key that already holds a permit, or null. From then on the permit is
   * kept even if an earlier answer, to this or another request with the key, is not taken.
   */
  private @Nullable ObjectReply reacquired(String key) {
    Hold hold = byKey.get(key);
    if (hold == null) {
      return null;
    }
    byExpiry.remove(hold);
    Hold kept = new Hold(key, hold.expiresNanos(), order++);
    byKey.put(key, kept);
    byExpiry.add(kept);
    reacquired++;
    return new ObjectReply.Result(key);
  }

  @Override
  @Nullable ObjectReply serve(ClientTurn first, long nowNanos) {
    expire(nowNanos);
    ObjectOperation.Acquire acquire = (ObjectOperation.Acquire) first.operation();
    ObjectReply again = reacquired(acquire.key());
    if (again != null) {
      return again;
    }
    if (byKey.size() >= size) {
      return null;
    }
    if (!boundedCount.take()) {
      return ObjectReplies.tooManyHeld(boundedCount.most());
    }
    long expires =
        acquire.expiresNanos() == 0 ? Ticker.NEVER : later(nowNanos, acquire.expiresNanos());
    Hold hold = new Hold(acquire.key(), expires, order++);
    byKey.put(hold.key(), hold);
    byExpiry.add(hold);
    mostHeld = Math.max(mostHeld, byKey.size());
    served(first, hold, nowNanos);
    return new ObjectReply.Result(hold.key());
  }

  @Override
  long nextNanos() {
    return byExpiry.isEmpty() || size == 0 ? Ticker.NEVER : byExpiry.getFirst().expiresNanos();
  }

  /**
   * Frees the permit only if it is still the same one: another client may hold one under the same
   * key by now.
   */
  @Override
  void takeBack(Object given, long nowNanos) {
    expire(nowNanos);
    if (given instanceof Hold hold && hold.equals(byKey.get(hold.key()))) {
      free(hold);
    }
  }

  @Override
  boolean blank(long nowNanos) {
    expire(nowNanos);
    return byKey.isEmpty();
  }

  @Override
  int held() {
    return byKey.size();
  }

  @Override
  boolean grantsAtOnce() {
    return waiting() == 0 && byKey.size() < size;
  }

  /** Frees all permits when the semaphore is removed. */
  void clear() {
    boundedCount.free(byKey.size());
    byKey.clear();
    byExpiry.clear();
  }

  @Override
  void describe(Map<String, Object> statistics, long nowNanos) {
    expire(nowNanos);
    describeWaits(statistics, "acquired");
    statistics.put("reacquired", reacquired);
    statistics.put("released", released);
    statistics.put("expired", expired);
    statistics.put("max_ever_held", mostHeld);
    describeTimes(statistics);
  }
}
