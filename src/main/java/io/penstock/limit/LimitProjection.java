package io.penstock.limit;

import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a limit from which requests are taken in advance, to see when they would go. Taking
 * from it changes nothing in the limit itself. Belongs to one thread.
 *
 * <p>Reserved output counts as charged at once, as if all answers used what is expected of them and
 * ended now. Permits of a limit on concurrency count as free, because nobody knows when answers
 * end. {@link #uncertain} says where that or another unknown matters.
 */
public final class LimitProjection {
  /** The state after what was taken in advance; null when the limit delays nothing for now. */
  private @Nullable LimitState state;

  /** Permits that are still free; {@link Long#MAX_VALUE} unless the limit is on concurrency. */
  private long permits = Long.MAX_VALUE;

  /** Whether what it admits depends on running answers or on others that spend it. */
  private boolean dependsOnOthers;

  private final boolean outage;

  /** The instant of the last take: nobody goes before those that go first. */
  private long last = Long.MIN_VALUE;

  private boolean uncertain;

  LimitProjection(LimitState now, long nanos) {
    dependsOnOthers = now.isShared();
    outage = now.outageCap() != null;
    if (now.local() instanceof ConcurrencyState concurrency) {
      permits = concurrency.room(nanos);
    } else if (!outage && !(now.local() instanceof UnlimitedState)) {
      dependsOnOthers |= now.balance(nanos).reserved() > 0;
      state = now.projected(nanos);
    }
  }

  /** Returns the largest amount that could be admitted at once at {@code at}. */
  private static long cut(LimitState state, long amount, long at) {
    return Math.min(amount, state.capacity(at));
  }

  /**
   * Returns the first instant from {@code from} on at which {@code amount}, cut to the capacity, is
   * admitted; {@link Ticker#NEVER} when it never is.
   */
  public long admittedAt(long amount, long from) {
    LimitState current = state;
    if (current == null) {
      uncertain = permits <= 0 || outage;
      return from;
    }
    long start = Math.max(from, last);
    long instant = Math.max(start, current.admittedAt(cut(current, amount, start), start));
    uncertain = dependsOnOthers && instant > start;
    return instant;
  }

  /** Returns the amount that would be admitted at {@code at}, its pace included. */
  public long passable(long at) {
    LimitState current = state;
    return current == null ? Long.MAX_VALUE : passable(current, at);
  }

  private static long passable(LimitState current, long at) {
    long room = current.room(at);
    return current.local() instanceof TrailingWindowState window
        ? Math.min(room, window.paceRoom(at))
        : room;
  }

  /**
   * Returns how much may be taken in one step without blurring when it leaves the limit again:
   * {@link Long#MAX_VALUE} where nothing leaves.
   */
  public long finest() {
    LimitState current = state;
    return current == null
            || current.local() instanceof StrictState
            || current.local() instanceof TokenBucketState
        ? Long.MAX_VALUE
        : current.capacity() / AmountRing.SUB_CELLS;
  }

  /**
   * Takes {@code amount}, spread evenly over {@code tickets} ≥ 1 requests, one after the other as
   * soon as each is admitted. Returns the instant at which the last one goes.
   *
   * @param reserves whether part of the amount is only reserved until answers end
   */
  public long pass(long tickets, long amount, boolean reserves, long from) {
    LimitState current = state;
    if (current == null || amount == 0) {
      permits -= permits == Long.MAX_VALUE ? 0 : tickets;
      return from;
    }
    dependsOnOthers |= reserves;
    long each = Math.ceilDiv(amount, tickets);
    long at = Math.max(from, last);
    long left = tickets;
    long amountLeft = amount;
    while (left > 0) {
      long some = passable(current, at) / each;
      if (some < 1) {
        at = Math.max(at, current.admittedAt(cut(current, Math.min(each, amountLeft), at), at));
        if (at == Ticker.NEVER) {
          return at;
        }
        some = passable(current, at) / each;
      }
      some = Math.clamp(some, 1, left);
      long piece = some == left ? amountLeft : some * each;
      current = current.take(some == 1 ? cut(current, piece, at) : piece, 0, at).next();
      amountLeft = Math.max(0, amountLeft - piece);
      left -= some;
    }
    state = current;
    last = at;
    return at;
  }

  /**
   * Returns whether the last answer of {@link #admittedAt} may be too early, because it depends on
   * running answers or on others.
   */
  public boolean uncertain() {
    return uncertain;
  }
}
