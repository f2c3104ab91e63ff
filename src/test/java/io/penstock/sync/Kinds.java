package io.penstock.sync;

import static io.penstock.sync.World.MILLI;
import static io.penstock.sync.World.SECOND;
import static io.penstock.sync.World.START;

import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.sync.World.Release;
import io.penstock.time.Midnight;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToLongFunction;

/** Limits of all kinds that are shared exactly, and what of each passed at the most. */
final class Kinds {
  /** Where it is midnight ten seconds after the start of a {@link World}. */
  private static final ZoneId ZONE =
      ZoneOffset.ofTotalSeconds(
          (int) (86_400 - Math.floorMod((START + 10 * SECOND) / SECOND, 86_400L)));

  static final LimitSpec FIXED = new LimitSpec.FixedWindow(300, 5 * SECOND);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(600, 12 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  static final LimitSpec SLIDING = new LimitSpec.SlidingWindow(600, 12 * SECOND);

  /** By the clocks of its members it is always ten seconds to midnight: they are not asked. */
  static final LimitSpec DAY =
      new LimitSpec.Day(900, new Midnight(ZONE, () -> START / MILLI), 300 * MILLI);

  static final LimitSpec SPAN = new LimitSpec.Day(900, null, 300 * MILLI);
  static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new Rate(40, 1), 300);
  static final LimitSpec STRICT = new LimitSpec.Strict(new Rate(20, 1));
  static final LimitSpec PERMITS = new LimitSpec.Concurrency(40);
  static final List<LimitSpec> ALL =
      List.of(FIXED, TRAILING, SLIDING, DAY, SPAN, BUCKET, STRICT, PERMITS);

  private Kinds() {}

  static LimitSpec draw(Random random) {
    return ALL.get(random.nextInt(ALL.size()));
  }

  /** The most that is asked for at once. */
  static long largest(LimitSpec spec) {
    return spec instanceof LimitSpec.Strict || spec instanceof LimitSpec.Concurrency ? 1 : 20;
  }

  /**
   * The most that may pass.
   *
   * @param wayNanos the longest that an answer is under way: so badly the time is known
   */
  static long capacity(LimitSpec spec, long wayNanos) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> window.capacity();
      case LimitSpec.TrailingWindow window -> window.capacity();
      case LimitSpec.SlidingWindow window -> window.capacity();
      case LimitSpec.Day day -> day.capacity();
      case LimitSpec.TokenBucket bucket -> bucket.burst();
      case LimitSpec.Concurrency permits -> permits.max();
      case LimitSpec.Strict strict -> 20 * MILLI + MILLI + wayNanos + strict.rate().intervalNanos();
      default -> throw new IllegalArgumentException("not shared here: " + spec);
    };
  }

  /**
   * The most that was let go in any window, or was missing from the bucket, by the true time; of
   * slots, how much sooner than its slot after another one any was used, in nanoseconds.
   *
   * @param early how much before one of its cells a fixed window starts
   */
  static long most(LimitSpec spec, List<Release> releases, long early) {
    return switch (spec) {
      case LimitSpec.FixedWindow window ->
          mostIn(releases, at -> (at + early) / window.windowNanos());
      case LimitSpec.TrailingWindow window -> mostTrailing(releases, window.windowNanos());
      case LimitSpec.SlidingWindow window -> mostTrailing(releases, window.windowNanos());
      case LimitSpec.Day day ->
          day.midnight() == null
              ? mostSpanned(releases, LimitSpec.Day.NANOS)
              : mostIn(releases, at -> date(at - day.guardNanos()));
      case LimitSpec.TokenBucket bucket -> mostMissing(releases, bucket);
      case LimitSpec.Concurrency permits ->
          releases.stream().mapToLong(each -> each.together).max().orElse(0);
      case LimitSpec.Strict strict -> mostEarly(releases, strict.rate().intervalNanos());
      default -> throw new IllegalArgumentException("not shared here: " + spec);
    };
  }

  private static long date(long at) {
    return Instant.ofEpochMilli(at / MILLI).atZone(ZONE).toLocalDate().toEpochDay();
  }

  private static long mostIn(List<Release> releases, ToLongFunction<Long> window) {
    Map<Long, Long> sums = new HashMap<>();
    releases.forEach(each -> sums.merge(window.applyAsLong(each.at), each.amount, Long::sum));
    return sums.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private static long mostTrailing(List<Release> releases, long window) {
    long most = 0;
    long sum = 0;
    int first = 0;
    for (Release last : releases) {
      sum += last.amount;
      while (releases.get(first).at <= last.at - window) {
        sum -= releases.get(first++).amount;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** Each begins with the first release after the one before it. */
  private static long mostSpanned(List<Release> releases, long span) {
    long most = 0;
    long sum = 0;
    long begins = Long.MIN_VALUE / 2;
    for (Release each : releases) {
      if (each.at - begins >= span) {
        begins = each.at;
        sum = 0;
      }
      sum += each.amount;
      most = Math.max(most, sum);
    }
    return most;
  }

  /**
   * As if what was given back had never been taken. Rounded down: a nanosecond more or less is no
   * token.
   */
  private static long mostMissing(List<Release> releases, LimitSpec.TokenBucket bucket) {
    double perNano = (double) bucket.rate().releases() / bucket.rate().seconds() / SECOND;
    double missing = 0;
    double most = 0;
    long before = START;
    for (Release each : releases) {
      missing = Math.max(0, missing - (each.at - before) * perNano) + each.amount;
      most = Math.max(most, missing);
      before = each.at;
    }
    return (long) (most - 1e-3);
  }

  private static long mostEarly(List<Release> releases, long interval) {
    long most = 0;
    long latest = Long.MIN_VALUE / 2;
    for (int at = 0; at < releases.size(); at++) {
      long late = releases.get(at).at - at * interval;
      latest = Math.max(latest, late);
      most = Math.max(most, latest - late);
    }
    return most;
  }
}
