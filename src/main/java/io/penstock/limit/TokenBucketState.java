package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a token bucket, which is filled to the nanosecond.
 *
 * <p>When tokens are given back late, the bucket may have been filled in the meantime. No more
 * comes back than if they had never been taken.
 *
 * @param tokens the whole tokens in the bucket at {@code at}; below zero is debt
 * @param part the filled part of the next token, in nanoseconds of the rate's seconds; 0 when full
 * @param lows how much of an earlier take can still be given back
 * @param reserved reserved output, kept free in the bucket
 */
record TokenBucketState(
    LimitSpec.TokenBucket spec, long tokens, long part, long at, BucketLows lows, long reserved)
    implements LocalState {
  private static final long SECOND = 1_000_000_000L;

  static TokenBucketState starting(LimitSpec.TokenBucket spec, LimitBalance owed, long now) {
    long spent = AmountBound.sum(owed.charged(), owed.debt());
    BucketLows lows = BucketLows.since(now, spent);
    return new TokenBucketState(spec, spec.burst() - spent, 0, now, lows, owed.reserved());
  }

  /** Returns the nanoseconds of the rate's seconds. */
  private static long period(LimitSpec.TokenBucket spec) {
    return spec.rate().seconds() * SECOND;
  }

  private long spent() {
    return spec.burst() - tokens;
  }

  private TokenBucketState with(long nextTokens, BucketLows nextLows, long held) {
    long nextPart = nextTokens < spec.burst() ? part : 0;
    return new TokenBucketState(spec, nextTokens, nextPart, at, nextLows, held);
  }

  /** Returns this state at {@code now}. */
  private TokenBucketState at(long now) {
    if (now <= at) {
      return this;
    }
    long releases = spec.rate().releases();
    long filled = AmountBound.quotient(now - at, releases, part, period(spec));
    if (filled >= spent()) {
      return new TokenBucketState(spec, spec.burst(), 0, now, lows.filled(0), reserved);
    }
    // the terms may overflow, their difference is less than a period
    long rest = (now - at) * releases + part - filled * period(spec);
    BucketLows lower = lows.filled(spent() - filled);
    return new TokenBucketState(spec, tokens + filled, rest, now, lower, reserved);
  }

  /**
   * Returns the nanoseconds from {@code at} until {@code missing} &gt; 0 more tokens are there,
   * rounded up.
   */
  private long nanosUntil(long missing) {
    long releases = spec.rate().releases();
    return AmountBound.quotient(missing, period(spec), releases - 1 - part, releases);
  }

  @Override
  public long room(long now) {
    return Math.max(0, at(now).tokens - reserved);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    TokenBucketState state = at(now);
    long missing = amount + reserved - state.tokens;
    if (missing <= 0 || amount == 0) {
      return now;
    }
    if (amount > spec.burst() - reserved) {
      return Ticker.NEVER;
    }
    long nanos = state.nanosUntil(missing);
    return nanos > AmountBound.MOST - state.at ? Ticker.NEVER : state.at + nanos;
  }

  @Override
  public Taken take(long taken, long held, long now) {
    TokenBucketState state = at(now);
    return new Taken(
        state.spending(taken, reserved + held), new LimitAnswer.Receipt(state.at, taken, held));
  }

  private TokenBucketState spending(long amount, long held) {
    return with(tokens - amount, lows.taken(at, spent() + amount), held);
  }

  /**
   * Returns how many of {@code amount} tokens that were taken at {@code taken} can be given back.
   */
  long back(long taken, long amount, long now) {
    return taken > now ? 0 : Math.min(amount, at(now).lows.of(taken));
  }

  @Override
  public LocalState giveBack(long cell, long taken, long held, long now) {
    TokenBucketState state = at(now);
    long back = state.back(cell, taken, now);
    BucketLows lower = state.lows.given(cell, back).filled(state.spent() - back);
    return state.with(state.tokens + back, lower, Math.max(0, reserved - held));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    TokenBucketState state = at(now);
    long charged = Math.max(0, Math.min(amount, AmountBound.MOST - state.spent()));
    return new Taken(
        state.spending(charged, Math.max(0, reserved - released)),
        new LimitAnswer.Receipt(state.at, amount, 0));
  }

  @Override
  public LocalState withoutDebt() {
    return tokens >= 0 ? this : with(0, lows.filled(spec.burst()), reserved);
  }

  @Override
  public LimitBalance balance(long now) {
    long spent = at(now).spent();
    long charged = Math.min(spent, spec.burst());
    return new LimitBalance(charged, spent - charged, reserved);
  }

  /** Returns one cell with all that is missing now, rounded up to whole tokens. */
  @Override
  public List<ChargedCell> cells(long now) {
    TokenBucketState state = at(now);
    long missing = AmountBound.sum(state.spent(), reserved);
    return missing == 0 ? List.of() : List.of(new ChargedCell(state.at, missing));
  }

  /**
   * Returns this bucket with another spec, and no more than {@code most} of its tokens: tokens that
   * it did not have do not come.
   */
  TokenBucketState holding(LimitSpec.TokenBucket next, long most, long now) {
    if (next.equals(spec) && most > 0 && tokens <= most) {
      return this;
    }
    TokenBucketState state = at(now);
    long left = Math.min(state.tokens, Math.min(most, next.burst()));
    boolean kept = left < next.burst() && left < most && left == state.tokens;
    BucketLows lower = state.lows.filled(next.burst() - left);
    return new TokenBucketState(
        next, left, kept ? state.partOf(next) : 0, state.at, lower, reserved);
  }

  /** Returns the filled part of the next token, in nanoseconds of the seconds of another rate. */
  private long partOf(LimitSpec.TokenBucket other) {
    return AmountBound.quotient(part, period(other), 0, period(spec));
  }

  /**
   * Returns this bucket with another spec. Spent tokens stay spent: at the same rate the bucket
   * would be full at the same instant.
   */
  @Override
  public @Nullable LocalState withSpec(LimitSpec next, long now) {
    if (!(next instanceof LimitSpec.TokenBucket other)) {
      return null;
    }
    TokenBucketState state = at(now);
    long left = other.burst() - state.spent();
    return new TokenBucketState(other, left, state.partOf(other), state.at, state.lows, reserved);
  }
}
