package io.penstock.limit;

import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Room of one limit for which refused requests were told to come back. Requests that are refused
 * later are told times behind it, so that not all of them come back at once and find room for one.
 *
 * <p>A promise keeps nothing free: it only changes what later refusals say, and is forgotten at its
 * instant. At most {@link #MOST} are kept, and none further ahead than {@link #FARTHEST_NANOS}, so
 * that a client which repeats a refused request all the time does not move the times away without
 * end. Safe from any thread.
 */
final class PromisedRoom {
  static final int MOST = 256;
  static final long FARTHEST_NANOS = 900_000_000_000L;

  /** An amount that is expected to be taken at an instant. */
  private record Promise(long amount, long atNanos) {}

  @SharedState("times told with refusals")
  private final Deque<Promise> promises = new ArrayDeque<>();

  /** The state of the limit from which the expected one was computed. */
  private @Nullable LimitState base;

  /** The state once all promised amounts are taken. */
  private @Nullable LocalState expected;

  /**
   * Returns the instant at which an amount is admitted after all that was promised, and promises
   * it; {@link Ticker#NEVER} when that is not known.
   *
   * @param current the state of the limit
   */
  synchronized long promise(LimitState current, long amount, long now) {
    forget(now);
    long cut = Math.min(amount, current.capacity(now));
    long alone = current.admittedAt(cut, now);
    if (alone == Ticker.NEVER) {
      return alone;
    }
    LocalState local = expected(current, now);
    long last = promises.isEmpty() ? now : promises.getLast().atNanos();
    long at = Math.max(alone, admittedAt(local, cut, last));
    if (at - now <= FARTHEST_NANOS && promises.size() < MOST) {
      promises.add(new Promise(cut, at));
      expected = local.take(cut, 0, at).next();
    }
    return at;
  }

  private void forget(long now) {
    while (!promises.isEmpty() && promises.getFirst().atNanos() <= now) {
      promises.removeFirst();
      base = null;
    }
  }

  /** Returns the state once all promises are kept, each as soon as it can be. */
  private LocalState expected(LimitState current, long now) {
    // an open window changes in place, so its state does not tell whether it has changed
    if (expected == null || current.openWindow() != null || !current.equals(base)) {
      LocalState local = current.alignedLocal(now).frozen();
      for (Promise each : promises) {
        long at = admittedAt(local, each.amount(), each.atNanos());
        local = at == Ticker.NEVER ? local : local.take(each.amount(), 0, at).next();
      }
      base = current;
      expected = local;
    }
    return expected;
  }

  private static long admittedAt(LocalState local, long amount, long from) {
    long cut = Math.min(amount, local.capacity(from));
    return Math.max(local.roomFreeAt(cut, from), local.paceAllowsAt(cut, from));
  }
}
