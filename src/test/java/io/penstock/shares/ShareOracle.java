package io.penstock.shares;

import io.penstock.sharing.LimitId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts all releases of all instances in true time, by the terms of each limit alone. It knows
 * nothing of shares.
 */
final class ShareOracle {
  /**
   * One release.
   *
   * @param trueNanos when it went
   * @param unixNanos the same by the wall clock of its instance, with which a window or day ends
   * @param endNanos when its permit ends; for permits only
   */
  record Release(
      LimitId id, int instance, long amount, long trueNanos, long unixNanos, long endNanos) {
    /** Returns this release without its amount; it may still begin a day. */
    Release free() {
      return new Release(id, instance, 0, trueNanos, unixNanos, endNanos);
    }
  }

  /** The most that any limit was exceeded by, and when. */
  record Worst(LimitId id, long over, long trueNanos) {}

  /** By how much a day that begins with its first use may be longer or shorter. */
  private static final long UNSURE_NANOS = 2_000_000_000L;

  /** The time before a stop in which the beginning of a day may not have been told. */
  private static final long UNTOLD_NANOS = 2_000_000_000L;

  private final List<Release> releases = new ArrayList<>();

  /** The instants of releases right before their instance stopped. */
  private final Set<Long> untold = new HashSet<>();

  void released(Release release) {
    releases.add(release);
  }

  /** Records that an instance stops, so that its last releases may be known to nobody. */
  void stopped(int instance, long now) {
    for (Release each : releases.reversed()) {
      if (each.trueNanos() < now - UNTOLD_NANOS) {
        return;
      }
      if (each.instance() == instance) {
        untold.add(each.trueNanos());
      }
    }
  }

  int count() {
    return releases.size();
  }

  /** Returns the least time between two releases. */
  long closestNanos() {
    long closest = Long.MAX_VALUE;
    for (int each = 1; each < releases.size(); each++) {
      closest =
          Math.min(closest, releases.get(each).trueNanos() - releases.get(each - 1).trueNanos());
    }
    return closest;
  }

  /** Returns by how many more releases went in any span than times of that length begin in it. */
  double mostAbove(double apartNanos) {
    double most = 0;
    double least = Double.MAX_VALUE;
    for (int each = 0; each < releases.size(); each++) {
      double above = each - releases.get(each).trueNanos() / apartNanos;
      least = Math.min(least, above);
      most = Math.max(most, above - least);
    }
    return most;
  }

  /** Returns the sum of what went of a limit in a span of true time. */
  long sum(LimitId id, long fromNanos, long toNanos) {
    long sum = 0;
    for (Release each : releases) {
      if (each.id().equals(id) && each.trueNanos() >= fromNanos && each.trueNanos() < toNanos) {
        sum += each.amount();
      }
    }
    return sum;
  }

  /** Returns the sum of what one instance let go of a limit in a span of true time. */
  long sum(LimitId id, int instance, long fromNanos, long toNanos) {
    long sum = 0;
    for (Release each : releases) {
      if (each.id().equals(id)
          && each.instance() == instance
          && each.trueNanos() >= fromNanos
          && each.trueNanos() < toNanos) {
        sum += each.amount();
      }
    }
    return sum;
  }

  Worst worst(Map<LimitId, SpentLimit.Terms> limits) {
    return worst(limits, 0);
  }

  /** Counts only what went from that instant on, in days that may have begun before. */
  Worst worst(Map<LimitId, SpentLimit.Terms> limits, long fromNanos) {
    Map<LimitId, List<Release>> byLimit = new HashMap<>();
    for (Release each : releases) {
      boolean counts = each.trueNanos() >= fromNanos;
      if (counts || limits.get(each.id()).kind() == SpentLimit.Kind.FIRST_USE) {
        byLimit
            .computeIfAbsent(each.id(), id -> new ArrayList<>())
            .add(counts ? each : each.free());
      }
    }
    Worst worst = new Worst(limits.keySet().iterator().next(), Long.MIN_VALUE, 0);
    for (Map.Entry<LimitId, List<Release>> each : byLimit.entrySet()) {
      SpentLimit.Terms terms = limits.get(each.getKey());
      Worst of =
          switch (terms.kind()) {
            case TRAILING, STRICT -> trailing(each.getKey(), terms, each.getValue());
            case FIXED, DAY -> cells(each.getKey(), terms, each.getValue());
            case FIRST_USE -> firstUse(each.getKey(), terms, each.getValue());
            case BUCKET -> bucket(each.getKey(), terms, each.getValue());
            case PERMITS -> permits(each.getKey(), terms, each.getValue());
          };
      worst = of.over() > worst.over() ? of : worst;
    }
    return worst;
  }

  private static Worst trailing(LimitId id, SpentLimit.Terms terms, List<Release> releases) {
    Deque<Release> window = new ArrayDeque<>();
    long sum = 0;
    Worst worst = new Worst(id, Long.MIN_VALUE, 0);
    for (Release each : releases) {
      while (!window.isEmpty()
          && window.peekFirst().trueNanos() <= each.trueNanos() - terms.windowNanos()) {
        sum -= window.removeFirst().amount();
      }
      window.addLast(each);
      sum += each.amount();
      worst = more(worst, new Worst(id, sum - terms.capacity(), each.trueNanos()));
    }
    return worst;
  }

  private static Worst more(Worst one, Worst other) {
    return other.over() > one.over() ? other : one;
  }

  private static Worst cells(LimitId id, SpentLimit.Terms terms, List<Release> releases) {
    Map<Long, Long> sums = new TreeMap<>();
    Worst worst = new Worst(id, Long.MIN_VALUE, 0);
    for (Release each : releases) {
      long sum = sums.merge(each.unixNanos() / terms.windowNanos(), each.amount(), Long::sum);
      worst = more(worst, new Worst(id, sum - terms.capacity(), each.trueNanos()));
    }
    return worst;
  }

  /**
   * Counts days that begin with a release after the day before has ended. By when exactly it ended
   * is not known: two instances may begin a day before they hear of each other, and their clocks
   * differ. So a day may be longer or shorter by that, and the days count that exceed the least. If
   * nobody heard of the beginning of a day, the next one may begin sooner.
   */
  private Worst firstUse(LimitId id, SpentLimit.Terms terms, List<Release> releases) {
    List<Release> sorted =
        releases.stream().sorted(Comparator.comparingLong(Release::unixNanos)).toList();
    int count = sorted.size();
    long[] at = sorted.stream().mapToLong(Release::unixNanos).toArray();
    long[] before = new long[count + 1]; // the sum of those before each
    for (int i = 0; i < count; i++) {
      before[i + 1] = before[i] + sorted.get(i).amount();
    }
    Worst[] begun = new Worst[count + 1]; // the least that is over if a day begins with each
    begun[0] = new Worst(id, -terms.capacity(), 0);
    for (int next = 1; next <= count; next++) {
      long last = at[next - 1] - terms.windowNanos() - UNSURE_NANOS;
      long latest = next == count ? Long.MAX_VALUE : at[next] - terms.windowNanos() + UNSURE_NANOS;
      for (int first = next - 1; first >= 0 && at[first] >= last; first--) {
        boolean isUnheard = untold.contains(sorted.get(first).trueNanos());
        if (begun[first] != null && (at[first] <= latest || isUnheard)) {
          long over = before[next] - before[first] - terms.capacity();
          Worst of = more(begun[first], new Worst(id, over, sorted.get(first).trueNanos()));
          begun[next] = begun[next] == null || of.over() < begun[next].over() ? of : begun[next];
        }
      }
    }
    return Objects.requireNonNull(begun[count], "releases that are in no day");
  }

  /** Counts one bucket for all, which is full at first and fills in one window. */
  private static Worst bucket(LimitId id, SpentLimit.Terms terms, List<Release> releases) {
    double level = terms.capacity();
    long at = 0;
    Worst worst = new Worst(id, Long.MIN_VALUE, 0);
    for (Release each : releases) {
      double filled = (double) terms.capacity() / terms.windowNanos() * (each.trueNanos() - at);
      level = Math.min((double) terms.capacity(), level + filled) - each.amount();
      at = each.trueNanos();
      worst = more(worst, new Worst(id, (long) Math.floor(-level + 0.001), at));
    }
    return worst;
  }

  private static Worst permits(LimitId id, SpentLimit.Terms terms, List<Release> releases) {
    Worst worst = new Worst(id, Long.MIN_VALUE, 0);
    for (Release each : releases) {
      long sum = 0;
      for (Release other : releases) {
        if (other.trueNanos() <= each.trueNanos() && other.endNanos() > each.trueNanos()) {
          sum += other.amount();
        }
      }
      worst = more(worst, new Worst(id, sum - terms.capacity(), each.trueNanos()));
    }
    return worst;
  }
}
