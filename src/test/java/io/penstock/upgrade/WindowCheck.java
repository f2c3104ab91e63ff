package io.penstock.upgrade;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks the total releases of several gateways, by what their clients observed. A permit counts in
 * a window only if it was certainly released in it, so that a slow machine causes no false alarm.
 *
 * @param limit the capacity of a window
 * @param windowMillis the length of a window
 */
record WindowCheck(long limit, long windowMillis) {
  /** Returns a sentence for each window of the Unix clock that exceeds the limit. */
  List<String> overCells(List<TimedPermit> permits) {
    Map<Long, Long> cells = new TreeMap<>();
    for (TimedPermit permit : permits) {
      long cell = Math.floorDiv(permit.earliestMillis(), windowMillis);
      if (cell == Math.floorDiv(permit.latestMillis(), windowMillis)) {
        cells.merge(cell, permit.amount(), Long::sum);
      }
    }
    List<String> over = new ArrayList<>();
    cells.forEach((cell, sum) -> judge(over, cell * windowMillis, sum));
    return over;
  }

  /** Returns a sentence for each trailing window that exceeds the limit. */
  List<String> overTrailing(List<TimedPermit> permits) {
    List<TimedPermit> sorted =
        permits.stream().sorted(Comparator.comparingLong(TimedPermit::earliestMillis)).toList();
    List<String> over = new ArrayList<>();
    for (int first = 0; first < sorted.size(); first++) {
      long begin = sorted.get(first).earliestMillis();
      long sum = 0;
      for (TimedPermit permit : sorted.subList(first, sorted.size())) {
        if (permit.latestMillis() < begin + windowMillis) {
          sum += permit.amount();
        }
      }
      judge(over, begin, sum);
    }
    return over;
  }

  private void judge(List<String> over, long beginMillis, long sum) {
    if (sum > limit) {
      over.add(
          "the window of %d ms from %d on let go %d, at most %d are allowed"
              .formatted(windowMillis, beginMillis, sum, limit));
    }
  }

  /** Returns the used fraction of the limit between the first permit and the last one. */
  double usedShare(List<TimedPermit> permits) {
    long first = permits.stream().mapToLong(TimedPermit::latestMillis).min().orElse(0);
    long last = permits.stream().mapToLong(TimedPermit::latestMillis).max().orElse(0);
    long sum = permits.stream().mapToLong(TimedPermit::amount).sum();
    // one window more than there was time for: the first one may be used up at once
    return sum / ((last - first + (double) windowMillis) / windowMillis * limit);
  }
}
