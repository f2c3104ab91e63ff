package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/** Divides a limit into equal parts, which together let pass no more than the whole. */
final class LimitParts {
  /** The most seconds that a {@link ExactRate} can have. */
  private static final long LONGEST_SECONDS = 1_000_000_000L;

  private LimitParts() {}

  /**
   * Returns one of {@code members} equal parts, rounded down, or null when it lets nothing pass.
   * For rates, the time between two releases is multiplied. A bucket has at least one token,
   * because otherwise it would never release any.
   */
  static @Nullable LimitSpec of(LimitSpec whole, long members) {
    return switch (whole) {
      case LimitSpec.Unlimited unlimited -> unlimited;
      case LimitSpec.Strict strict -> {
        ExactRate exactRate = rate(strict.rate(), members);
        yield exactRate == null ? null : new LimitSpec.Strict(exactRate, strict.earlyNanos());
      }
      case LimitSpec.TokenBucket bucket -> {
        ExactRate exactRate = rate(bucket.rate(), members);
        long burst = Math.max(1, bucket.burst() / members);
        yield exactRate == null ? null : new LimitSpec.TokenBucket(exactRate, burst);
      }
      case LimitSpec.SlidingWindow(long capacity, long window) ->
          capacity < members ? null : new LimitSpec.SlidingWindow(capacity / members, window);
      case LimitSpec.FixedWindow(long capacity, long window) ->
          capacity < members ? null : new LimitSpec.FixedWindow(capacity / members, window);
      case LimitSpec.TrailingWindow(long capacity, long window, long guard, long burst) ->
          capacity < members
              ? null
              : new LimitSpec.TrailingWindow(capacity / members, window, guard, burst);
      case LimitSpec.Concurrency(long max) ->
          max < members ? null : new LimitSpec.Concurrency(max / members);
      case LimitSpec.Day day ->
          day.capacity() < members
              ? null
              : new LimitSpec.Day(day.capacity() / members, day.midnight(), day.guardNanos());
    };
  }

  private static @Nullable ExactRate rate(ExactRate whole, long members) {
    return whole.seconds() > LONGEST_SECONDS / members
        ? null
        : new ExactRate(whole.releases(), whole.seconds() * members);
  }
}
