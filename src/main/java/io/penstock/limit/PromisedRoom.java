package io.penstock.limit;

import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Room of one limit for which refused requests were told to come back. Requests that are refused
 * later are told times behind it, so that not all of them come back at once and find room for one.
 *
 * <p>A promise keeps nothing free: it only changes what later refusals say, and is forgotten at its
 * instant. Each client has one. If it asks again before its time, it keeps that time, or gets an
 * earlier one. At most {@link #MOST} promises are kept, and none further ahead than {@link
 * #FARTHEST_NANOS}. Safe from any thread.
 */
final class PromisedRoom {
  static final int MOST = 256;
  static final long FARTHEST_NANOS = 900_000_000_000L;

  /** An amount that a client is expected to take at an instant. */
  private record Promise(PromiseHolder holder, long amount, long atNanos) {}

  /** The promises, in the order of their instants. */
  @SharedState("times told with refusals")
  private final List<Promise> promises = new ArrayList<>();

  /** The state of the limit from which the expected one was computed. */
  private @Nullable LimitState base;

  /** The state once all promised amounts are taken. */
  private @Nullable LocalState expected;

  /**
   * Returns the instant at which an amount is admitted after all that was promised to others, and
   * promises it; {@link Ticker#NEVER} when that is not known.
   *
   * @param current the state of the limit
   */
  synchronized long promise(LimitState current, PromiseHolder client, long amount, long now) {
    forget(now);
    long cut = Math.min(amount, current.capacity(now));
    long alone = current.admittedAt(cut, now);
    if (alone == Ticker.NEVER) {
      return alone;
    }
    PromiseHolder holder = client.among(promises.stream().map(Promise::holder).toList());
    long held = withdraw(holder);
    LocalState local = expected(current, now);
    long last = promises.isEmpty() ? now : promises.getLast().atNanos();
    long at = Math.max(alone, Math.min(held, admittedAt(local, cut, last)));
    if (at - now <= FARTHEST_NANOS && promises.size() < MOST) {
      add(new Promise(holder, cut, at), local);
    }
    return at;
  }

  /** Forgets the promise of a client; returns its instant, or NEVER if there was none. */
  private long withdraw(PromiseHolder holder) {
    for (Promise each : promises) {
      if (each.holder().equals(holder)) {
        promises.remove(each);
        base = null;
        return each.atNanos();
      }
    }
    return Ticker.NEVER;
  }

  private void add(Promise promise, LocalState local) {
    int at = promises.size();
    while (at > 0 && promises.get(at - 1).atNanos() > promise.atNanos()) {
      at--;
    }
    if (at == promises.size()) {
      expected = local.take(promise.amount(), 0, promise.atNanos()).next();
    } else {
      base = null;
    }
    promises.add(at, promise);
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
