package io.penstock.simulator;

import java.util.ArrayList;
import java.util.List;

/** The least that was missing from a bucket, or of a pace, since each of a number of takes. */
final class OracleLows {
  private static final int STRETCHES = 64;

  private final List<Stretch> stretches = new ArrayList<>();

  private static final class Stretch {
    final long from;
    long low;

    Stretch(long from, long low) {
      this.from = from;
      this.low = low;
    }
  }

  OracleLows(long from, long missing) {
    stretches.add(new Stretch(from, missing));
  }

  /** So many times as much is missing. */
  void scale(double scale) {
    stretches.forEach(each -> each.low = (long) (each.low * scale));
  }

  /** A take left {@code missing}; a new stretch begins only if that is a good deal more. */
  void taken(long from, long missing) {
    long low = stretches.getLast().low;
    if (missing > low + low / 32) {
      stretches.add(new Stretch(from, missing));
    }
    if (stretches.size() > STRETCHES) {
      stretches.remove(1);
    }
  }

  /** No more than that is missing. */
  void atMost(long missing) {
    stretches.forEach(each -> each.low = Math.min(each.low, missing));
    join();
  }

  /** Gives back what a take can still give back, and returns how much that is. */
  long give(long take, long amount) {
    Stretch since = null;
    for (Stretch each : stretches) {
      since = each.from <= take ? each : since;
    }
    if (since == null) {
      return 0;
    }
    long back = Math.min(amount, since.low);
    for (int each = stretches.indexOf(since); each < stretches.size(); each++) {
      stretches.get(each).low = Math.max(0, stretches.get(each).low - back);
    }
    join();
    return back;
  }

  /** Joins stretches with later ones that are at least as low. */
  private void join() {
    for (int each = stretches.size() - 1; each > 0; each--) {
      Stretch before = stretches.get(each - 1);
      if (stretches.get(each).low <= before.low) {
        before.low = stretches.get(each).low;
        stretches.remove(each);
      }
    }
  }
}
