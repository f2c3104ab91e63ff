package io.penstock.simulator;

import java.util.Map;
import java.util.TreeMap;

/** Counts how often each kind of event happened: an event that never happens was never checked. */
final class EventCounts {
  private final Map<String, Long> counts = new TreeMap<>();

  void saw(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  void add(EventCounts others) {
    others.counts.forEach((what, times) -> counts.merge(what, times, Long::sum));
  }

  long times(String what) {
    return counts.getOrDefault(what, 0L);
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
