package io.penstock.limit;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.BucketState;
import io.github.bucket4j.BucketState64BitsInteger;
import io.penstock.time.Ticker;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a token bucket, with the arithmetic of Bucket4j. The bucket is never changed once it is
 * here: a successor changes a copy.
 *
 * <p>When tokens are given back late, the bucket may have been filled in the meantime. No more
 * comes back than if they had never been taken.
 *
 * @param bucket the bucket as it is at {@code at}; below zero is debt
 * @param lows how much of an earlier take can still be given back
 * @param reserved reserved output, kept free in the bucket
 */
record TokenBucketState(
    LimitSpec.TokenBucket spec, BucketState bucket, long at, BucketLows lows, long reserved)
    implements LocalState {
  private static final long SECOND = 1_000_000_000L;

  static TokenBucketState starting(LimitSpec.TokenBucket spec, LimitBalance owed, long now) {
    long spent = AmountBound.sum(owed.charged(), owed.debt());
    BucketState bucket = bucket(configuration(spec), spec.burst() - spent, 0, now);
    return new TokenBucketState(spec, bucket, now, BucketLows.since(now, spent), owed.reserved());
  }

  private static BucketConfiguration configuration(LimitSpec.TokenBucket spec) {
    long releases = spec.rate().releases();
    long nanos = spec.rate().seconds() * SECOND;
    long common = BigInteger.valueOf(releases).gcd(BigInteger.valueOf(nanos)).longValue();
    return configuration(spec.burst(), releases / common, nanos / common);
  }

  private static BucketConfiguration configuration(long burst, long tokens, long nanos) {
    Bandwidth bandwidth =
        Bandwidth.builder().capacity(burst).refillGreedy(tokens, Duration.ofNanos(nanos)).build();
    return BucketConfiguration.builder().addLimit(bandwidth).build();
  }

  /**
   * Returns a bucket with {@code tokens} tokens and {@code part} ÷ period of the next one. A part
   * of a token cannot be set, only filled in: at one token a period that takes {@code part}
   * nanoseconds.
   */
  private static BucketState bucket(
      BucketConfiguration configuration, long tokens, long part, long now) {
    Bandwidth fill = configuration.getBandwidths()[0];
    BucketState bucket =
        new BucketState64BitsInteger(
            configuration(fill.getCapacity(), 1, fill.getRefillPeriodNanos()), now - part);
    bucket.consume(fill.getCapacity() - tokens);
    bucket.refillAllBandwidth(now);
    bucket.setConfiguration(configuration);
    return bucket;
  }

  private Bandwidth fill() {
    return bucket.getConfiguration().getBandwidths()[0];
  }

  private long tokens() {
    return bucket.getCurrentSize(0);
  }

  private long spent() {
    return missing(bucket);
  }

  /**
   * Returns the tokens missing from a full bucket, rounded up: a late refund is too large by less
   * than one token.
   */
  private long missing(BucketState of) {
    return spec.burst() - of.getCurrentSize(0);
  }

  private TokenBucketState with(BucketState next, BucketLows bucketLows, long held) {
    return new TokenBucketState(spec, next, at, bucketLows, held);
  }

  /** Returns this state at {@code now}. */
  private TokenBucketState at(long now) {
    if (now <= at) {
      return this;
    }
    BucketState next = filled(now);
    return new TokenBucketState(spec, next, now, lows.filled(missing(next)), reserved);
  }

  private BucketState filled(long now) {
    Bandwidth fill = fill();
    long period = fill.getRefillPeriodNanos();
    long elapsed = now - at;
    // Bucket4j is exact while tokens × nanoseconds of a period fit a long, and rounds beyond that.
    if (Math.min(elapsed, period) <= (Long.MAX_VALUE - period) / fill.getRefillTokens()) {
      BucketState next = bucket.copy();
      next.refillAllBandwidth(now);
      return next;
    }
    BigInteger[] parts =
        BigInteger.valueOf(fill.getRefillTokens())
            .multiply(BigInteger.valueOf(elapsed))
            .add(BigInteger.valueOf(bucket.getRoundingError(0)))
            .divideAndRemainder(BigInteger.valueOf(period));
    long more = parts[0].longValueExact(); // at most one token a nanosecond
    return more >= spent()
        ? bucket(bucket.getConfiguration(), spec.burst(), 0, now)
        : bucket(bucket.getConfiguration(), tokens() + more, parts[1].longValueExact(), now);
  }

  /**
   * Returns the nanoseconds from {@code at} until {@code missing} &gt; 0 more tokens are there,
   * rounded up.
   */
  private long nanosUntil(long missing) {
    Bandwidth fill = fill();
    long period = fill.getRefillPeriodNanos();
    long part = bucket.getRoundingError(0);
    if (missing <= Long.MAX_VALUE / period) {
      return Math.ceilDiv(missing * period - part, fill.getRefillTokens());
    }
    BigInteger tokens = BigInteger.valueOf(fill.getRefillTokens());
    BigInteger nanos =
        BigInteger.valueOf(missing)
            .multiply(BigInteger.valueOf(period))
            .subtract(BigInteger.valueOf(part))
            .add(tokens)
            .subtract(BigInteger.ONE)
            .divide(tokens);
    return nanos.min(BigInteger.valueOf(AmountBound.MOST)).longValueExact();
  }

  @Override
  public long room(long now) {
    return Math.max(0, at(now).tokens() - reserved);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    TokenBucketState state = at(now);
    long missing = amount + reserved - state.tokens();
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
        state.spending(taken, this.reserved + held),
        new LimitAnswer.Receipt(state.at, taken, held));
  }

  private TokenBucketState spending(long amount, long held) {
    BucketState next = bucket.copy();
    next.consume(amount);
    return with(next, lows.taken(at, missing(next)), held);
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
    BucketState next = state.bucket.copy();
    next.addTokens(back);
    BucketLows lower = state.lows.given(cell, back).filled(missing(next));
    return state.with(next, lower, Math.max(0, this.reserved - held));
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
    if (tokens() >= 0) {
      return this;
    }
    BucketState empty = bucket.copy();
    empty.addTokens(-tokens());
    return with(empty, lows.filled(missing(empty)), reserved);
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
    if (next.equals(spec) && most > 0 && tokens() <= most) {
      return this;
    }
    TokenBucketState state = at(now);
    long left = Math.min(state.tokens(), Math.min(most, next.burst()));
    boolean kept = left < next.burst() && left < most && left == state.tokens();
    long part = kept ? state.partOf(next) : 0;
    BucketState resized = bucket(configuration(next), left, part, state.at);
    long missing = next.burst() - left;
    return new TokenBucketState(next, resized, state.at, state.lows.filled(missing), reserved);
  }

  /** Returns the part of the next token that is filled in, in nanoseconds of another period. */
  private long partOf(LimitSpec.TokenBucket other) {
    return BigInteger.valueOf(bucket.getRoundingError(0))
        .multiply(
            BigInteger.valueOf(configuration(other).getBandwidths()[0].getRefillPeriodNanos()))
        .divide(BigInteger.valueOf(fill().getRefillPeriodNanos()))
        .longValueExact();
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
    BucketState resized =
        bucket(configuration(other), other.burst() - state.spent(), state.partOf(other), state.at);
    return new TokenBucketState(other, resized, state.at, state.lows, reserved);
  }
}
