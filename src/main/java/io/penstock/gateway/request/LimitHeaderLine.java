package io.penstock.gateway.request;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitRemainder;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Size of one limit and the rest of it, as told to clients.
 *
 * @param name the name of the limit
 * @param measure what it counts
 * @param quota how much it allows in a window, or at the same time
 * @param windowSeconds the length of its window; 0 when it has none
 * @param remaining how much of it is left
 * @param resetNanos the time until all of it is available again; {@link Ticker#NEVER} when that is
 *     unknown
 */
public record LimitHeaderLine(
    String name,
    LimitMeasure measure,
    long quota,
    long windowSeconds,
    long remaining,
    long resetNanos) {
  private static final long SECOND = 1_000_000_000L;

  /** How much a limit allows, and in how many seconds. */
  private record Terms(long quota, long seconds) {}

  /** Returns the size of a limit and what is left of it, or null when it has no bound. */
  static @Nullable LimitHeaderLine of(String name, MeteredLimit metered, long now) {
    Limit limit = metered.limit();
    Terms terms = terms(limit.spec());
    if (terms == null) {
      return null;
    }
    long capacity = limit.capacity(now);
    LimitRemainder limitRemainder = limit.remainder(now);
    long remaining = Math.max(0, Math.min(limitRemainder.amount(), capacity));
    boolean unknown = remaining < capacity && limitRemainder.fullNanos() <= now;
    long full = unknown ? Ticker.NEVER : limitRemainder.fullNanos();
    return new LimitHeaderLine(
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
      case LimitSpec.Strict(ExactRate rate, long early) ->
          new Terms(1, seconds(rate.intervalNanos()));
      case LimitSpec.TokenBucket(ExactRate rate, long burst) ->
          new Terms(burst, Math.max(1, Math.ceilDiv(burst * rate.seconds(), rate.releases())));
      case LimitSpec.Concurrency(long max) -> new Terms(max, 0);
      case LimitSpec.SlidingWindow _,
          LimitSpec.FixedWindow _,
          LimitSpec.TrailingWindow _,
          LimitSpec.Day _ ->
          new Terms(spec.capacity(), seconds(spec.windowNanos()));
    };
  }

  private static long seconds(long nanos) {
    return Math.max(1, Math.ceilDiv(nanos, SECOND));
  }

  /** Returns the name of a limit of a key or an upstream, after its measure and its window. */
  static String name(String owner, MeteredLimit metered) {
    boolean day = metered.limit().spec() instanceof LimitSpec.Day;
    if (metered.reason() != null) {
      return metered.reason().code().replace('_', '-');
    }
    return owner
        + switch (metered.measure()) {
          case REQUESTS -> day ? "-rpd" : "-rpm";
          case CONCURRENCY -> "-concurrency";
          case TOKENS -> day ? "-budget" : "-tpm";
          case INPUT_TOKENS -> "-itpm";
          case OUTPUT_TOKENS -> "-otpm";
        };
  }

  /** Returns the unit of its measure. */
  public String unit() {
    return switch (measure) {
      case REQUESTS -> "requests";
      case CONCURRENCY -> "concurrent-requests";
      case TOKENS, INPUT_TOKENS, OUTPUT_TOKENS -> "penstock-tokens";
    };
  }

  /** Returns its item in {@code RateLimit-Policy}. */
  String policy() {
    String unit = measure == LimitMeasure.REQUESTS ? "" : ";qu=\"" + unit() + "\"";
    String window = windowSeconds == 0 ? "" : ";w=" + windowSeconds;
    return "\"" + name + "\";q=" + quota + unit + window;
  }

  /** Returns its item in {@code RateLimit}. */
  String left() {
    String reset = resetNanos == Ticker.NEVER ? "" : ";t=" + Math.ceilDiv(resetNanos, SECOND);
    return "\"" + name + "\";r=" + remaining + reset;
  }
}
