package io.penstock.load;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** What became of the attempts of a tenant: a word for each kind, and how many. Thread-safe. */
final class Outcomes {
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

  void add(String outcome) {
    counts.computeIfAbsent(outcome, each -> new LongAdder()).increment();
  }

  /** Returns how many there were of each kind. */
  Map<String, Long> counts() {
    Map<String, Long> all = new TreeMap<>();
    counts.forEach((outcome, many) -> all.put(outcome, many.sum()));
    return all;
  }

  /** Returns them as a table shows them, the most frequent first. */
  static String shown(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(each -> "%s ×%,d".formatted(each.getKey(), each.getValue()))
        .collect(Collectors.joining(", "));
  }
}
