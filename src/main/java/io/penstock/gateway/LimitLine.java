package io.penstock.gateway;

import io.penstock.cost.Measure;
import io.penstock.limit.Left;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.quota.Metered;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * What one limit gives and what of it is left, for clients.
 *
 * @param name what it is called
 * @param measure what it counts
 * @param quota how much it gives in a window, or at the same time
 * @param windowSeconds of each of its windows; 0 when it has none
 * @param remaining how much of it is left
 * @param resetNanos in how long it is as good as new; {@link Ticker#NEVER} when nobody knows
 */
record LimitLine(
    String name, Measure measure, long quota, long windowSeconds, long remaining, long resetNanos) {
  private static final long SECOND = 1_000_000_000L;

  /** How much a limit gives, in how many seconds. */
  private record Terms(long quota, long seconds) {}

  /** Returns what a limit gives and has left, or null when it has no bound. */
  static @Nullable LimitLine of(String name, Metered metered, long now) {
    Limit limit = metered.limit();
    Terms terms = terms(limit.spec());
    if (terms == null) {
      return null;
    }
    long capacity = limit.capacity(now);
    Left left = limit.left(now);
    long remaining = Math.max(0, Math.min(left.amount(), capacity));
    boolean unknown = remaining < capacity && left.fullNanos() <= now;
    long full = unknown ? Ticker.NEVER : left.fullNanos();
    return new LimitLine(
        name,
        metered.measure(),
        terms.quota(),
        terms.seconds(),
        remaining,
        full == Ticker.NEVER ? Ticker.NEVER : Math.max(0, full - now));
  }

  private static @Nullable Terms terms(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> null;
      case LimitSpec.Strict(Rate rate, long early) -> new Terms(1, seconds(rate.intervalNanos()));
      case LimitSpec.TokenBucket(Rate rate, long burst) ->
          new Terms(burst, Math.max(1, Math.ceilDiv(burst * rate.seconds(), rate.releases())));
      case LimitSpec.SlidingWindow(long capacity, long nanos) ->
          new Terms(capacity, seconds(nanos));
      case LimitSpec.FixedWindow(long capacity, long nanos) -> new Terms(capacity, seconds(nanos));
      case LimitSpec.TrailingWindow window ->
          new Terms(window.capacity(), seconds(window.windowNanos()));
      case LimitSpec.Concurrency(long max) -> new Terms(max, 0);
      case LimitSpec.Day day -> new Terms(day.capacity(), seconds(day.lengthNanos()));
    };
  }

  private static long seconds(long nanos) {
    return Math.max(1, Math.ceilDiv(nanos, SECOND));
  }

  /** Returns what a limit of a key or an upstream is called, by what it counts and how long. */
  static String name(String whose, Metered metered) {
    boolean day = metered.limit().spec() instanceof LimitSpec.Day;
    if (metered.reason() != null) {
      return metered.reason().code().replace('_', '-');
    }
    return whose
        + switch (metered.measure()) {
          case REQUESTS -> day ? "-rpd" : "-rpm";
          case CONCURRENCY -> "-concurrency";
          case TOKENS -> day ? "-budget" : "-tpm";
          case INPUT_TOKENS -> "-itpm";
          case OUTPUT_TOKENS -> "-otpm";
        };
  }

  /** Returns in what it counts. */
  String unit() {
    return switch (measure) {
      case REQUESTS -> "requests";
      case CONCURRENCY -> "concurrent-requests";
      case TOKENS, INPUT_TOKENS, OUTPUT_TOKENS -> "penstock-tokens";
    };
  }

  /** Returns what {@code RateLimit-Policy} says of it. */
  String policy() {
    String unit = measure == Measure.REQUESTS ? "" : ";qu=\"" + unit() + "\"";
    String window = windowSeconds == 0 ? "" : ";w=" + windowSeconds;
    return "\"" + name + "\";q=" + quota + unit + window;
  }

  /** Returns what {@code RateLimit} says of it. */
  String left() {
    String reset = resetNanos == Ticker.NEVER ? "" : ";t=" + Math.ceilDiv(resetNanos, SECOND);
    return "\"" + name + "\";r=" + remaining + reset;
  }
}
