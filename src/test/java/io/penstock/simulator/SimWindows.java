package io.penstock.simulator;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Computes the most that a limit may let pass, and the most that passed, from the releases alone.
 */
final class SimWindows {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1_000 * MILLI;

  /** Clocks run too fast by one part in that many at most. */
  private static final long DRIFT_PARTS = 10_000;

  private SimWindows() {}

  /** Returns the most that may pass; of slots, by how many nanoseconds they may be too early. */
  static long capacity(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> window.capacity();
      case LimitSpec.TrailingWindow window -> window.capacity();
      case LimitSpec.SlidingWindow window -> window.capacity();
      case LimitSpec.Day day -> day.capacity();
      case LimitSpec.TokenBucket bucket -> bucket.burst();
      case LimitSpec.Concurrency permits -> permits.max();
      case LimitSpec.Strict strict -> MILLI + strict.rate().intervalNanos(); // a late one keeps it
      default -> throw new IllegalArgumentException("not shared here: " + spec);
    };
  }

  /** Returns the length of a limit's window, the time to fill a bucket, or a second. */
  static long length(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> window.windowNanos();
      case LimitSpec.TrailingWindow window -> window.windowNanos();
      case LimitSpec.SlidingWindow window -> window.windowNanos();
      case LimitSpec.TokenBucket bucket -> bucket.burst() * bucket.rate().intervalNanos();
      default -> SECOND;
    };
  }

  /**
   * Returns the fraction of a limit that was used, or null where that says nothing: of windows that
   * began and ended meanwhile, of the last trailing window, or of what came to a bucket.
   *
   * @param from the instant since which it could be used all the time
   * @param end the instant at which it is evaluated
   */
  static @Nullable Double used(LimitSpec spec, List<SimRelease> releases, long from, long end) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> {
        long first = Math.ceilDiv(from, window.windowNanos()) * window.windowNanos();
        long last = end / window.windowNanos() * window.windowNanos();
        yield last > first
            ? sum(releases, each -> each.unix, first, last)
                / ((double) window.capacity() * (last - first) / window.windowNanos())
            : null;
      }
      case LimitSpec.TrailingWindow window ->
          sum(releases, end - window.windowNanos(), end) / (double) window.capacity();
      case LimitSpec.SlidingWindow window ->
          sum(releases, end - window.windowNanos(), end) / (double) window.capacity();
      case LimitSpec.TokenBucket bucket -> rated(bucket.rate(), releases, from, end);
      case LimitSpec.Strict strict -> rated(strict.rate(), releases, from, end);
      case LimitSpec.Day day -> {
        long begin = day.midnight() == null ? 0 : begin(end - day.guardNanos(), day.midnight());
        yield sum(releases, each -> each.unix, begin, end + SECOND) / (double) day.capacity();
      }
      default -> null;
    };
  }

  /**
   * Returns whether more may pass a limit during an outage of the store than otherwise, which is
   * then owed until the bucket is filled again: that may take longer than a simulation lasts.
   */
  static boolean owesForLong(LimitSpec spec, OutagePolicy outagePolicy) {
    return outagePolicy == OutagePolicy.ALLOW && spec instanceof LimitSpec.TokenBucket;
  }

  /** Returns the least true time in which a duration passes on a clock. */
  private static long elapsed(long nanos) {
    return nanos - nanos / DRIFT_PARTS;
  }

  private static double rated(ExactRate exactRate, List<SimRelease> releases, long from, long end) {
    return sum(releases, from, end) * (double) exactRate.intervalNanos() / (end - from);
  }

  /** Returns the beginning of the day or month that contains an instant. */
  private static long begin(long at, ZoneMidnights zoneMidnights) {
    ZoneId zone = zoneMidnights.zone();
    LocalDate first = LocalDate.ofEpochDay(first(at, zoneMidnights));
    return first.atStartOfDay(zone).toInstant().toEpochMilli() * MILLI;
  }

  private static double sum(List<SimRelease> releases, long from, long until) {
    return sum(releases, each -> each.at, from, until);
  }

  private static double sum(
      List<SimRelease> releases, ToLongFunction<SimRelease> time, long from, long until) {
    return releases.stream()
        .filter(each -> time.applyAsLong(each) >= from && time.applyAsLong(each) < until)
        .mapToLong(each -> each.amount)
        .sum();
  }

  /**
   * Returns the most that was released in any window, or was missing from the bucket, by the true
   * time, or, where windows or days end at once, by the wall clock of each instance; for slots, how
   * much too early any was used after another, in nanoseconds.
   */
  static long most(LimitSpec spec, List<SimRelease> releases) {
    return switch (spec) {
      case LimitSpec.FixedWindow window -> mostIn(releases, at -> at / window.windowNanos());
      case LimitSpec.TrailingWindow window -> mostTrailing(releases, elapsed(window.windowNanos()));
      case LimitSpec.SlidingWindow window -> mostTrailing(releases, elapsed(window.windowNanos()));
      case LimitSpec.Day day ->
          day.midnight() == null
              ? mostSpanned(releases, LimitSpec.Day.NANOS)
              : mostIn(releases, at -> first(at - day.guardNanos(), day.midnight()));
      case LimitSpec.TokenBucket bucket -> mostMissing(releases, bucket);
      case LimitSpec.Concurrency permits ->
          releases.stream().mapToLong(each -> each.together).max().orElse(0);
      case LimitSpec.Strict strict -> mostEarly(releases, elapsed(strict.rate().intervalNanos()));
      default -> throw new IllegalArgumentException("not shared here: " + spec);
    };
  }

  /** Returns the first day of the day or month that contains an instant. */
  private static long first(long at, ZoneMidnights zoneMidnights) {
    LocalDate date = Instant.ofEpochMilli(at / MILLI).atZone(zoneMidnights.zone()).toLocalDate();
    return (zoneMidnights.each() == ZoneMidnights.Each.DAY ? date : date.withDayOfMonth(1))
        .toEpochDay();
  }

  private static long mostIn(List<SimRelease> releases, ToLongFunction<Long> window) {
    Map<Long, Long> sums = new HashMap<>();
    for (SimRelease each : releases) {
      long cell = window.applyAsLong(each.unix);
      if (cell
          == window.applyAsLong(
              each.unix - FleetProgress.CLOCK_NANOS)) { // else it may be of either
        sums.merge(cell, each.amount, Long::sum);
      }
    }
    return sums.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private static long mostTrailing(List<SimRelease> releases, long window) {
    long most = 0;
    long sum = 0;
    int first = 0;
    for (SimRelease last : releases) {
      sum += last.amount;
      while (releases.get(first).at <= last.at - window) {
        sum -= releases.get(first++).amount;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** Returns the most in windows that each begin with the first release after the previous one. */
  private static long mostSpanned(List<SimRelease> releases, long span) {
    long most = 0;
    long sum = 0;
    long begins = Long.MIN_VALUE / 2;
    for (SimRelease each : releases) {
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
   * Returns the most that was missing, as if amounts given back had never been taken; rounded down,
   * because a nanosecond more or less is no token.
   */
  private static long mostMissing(List<SimRelease> releases, LimitSpec.TokenBucket bucket) {
    double perNano = (double) bucket.rate().releases() / bucket.rate().seconds() / elapsed(SECOND);
    double missing = 0;
    double most = 0;
    long before = Long.MIN_VALUE / 4;
    for (SimRelease each : releases) {
      missing = Math.max(0, missing - (each.at - before) * perNano) + each.amount; // starts full
      most = Math.max(most, missing);
      before = each.at;
    }
    return (long) (most - 1e-3);
  }

  private static long mostEarly(List<SimRelease> releases, long interval) {
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
