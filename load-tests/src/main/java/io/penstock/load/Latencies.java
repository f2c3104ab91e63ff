package io.penstock.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What became of requests that were sent at a steady rate. Times are counted from when a request
 * was due, so that one that could not be sent in time is not taken for a fast one.
 *
 * @param answers how many were 200 and whole
 * @param failures how many were not, or never came
 * @param events how many events of streams came
 * @param firstMicros until the first byte of the body of an answer
 * @param wholeMicros until its last one
 * @param reasons why those that failed did, and how many
 */
record Latencies(
    long answers,
    long failures,
    long events,
    Histogram firstMicros,
    Histogram wholeMicros,
    Map<String, Long> reasons) {
  static Latencies none() {
    return new Latencies(0, 0, 0, new Histogram(3), new Histogram(3), Map.of());
  }

  /** Returns both as one. */
  Latencies plus(Latencies other) {
    Histogram first = firstMicros.copy();
    first.add(other.firstMicros);
    Histogram whole = wholeMicros.copy();
    whole.add(other.wholeMicros);
    Map<String, Long> why = new TreeMap<>(reasons);
    other.reasons.forEach((reason, many) -> why.merge(reason, many, Long::sum));
    return new Latencies(
        answers + other.answers,
        failures + other.failures,
        events + other.events,
        first,
        whole,
        why);
  }

  /** Returns a percentile of the time until the whole answer was there. */
  double whole(double percentile) {
    return wholeMicros.getValueAtPercentile(percentile);
  }

  /** Returns a percentile of the time until the first byte of the body of an answer was there. */
  double first(double percentile) {
    return firstMicros.getValueAtPercentile(percentile);
  }

  /** Returns all of it, for JSON. */
  Map<String, Object> details() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("answers", answers);
    all.put("failures", failures);
    all.put("events", events);
    all.put("reasons", reasons);
    for (double percentile : new double[] {50, 99}) {
      all.put("first_p%.0f_us".formatted(percentile), first(percentile));
      all.put("whole_p%.0f_us".formatted(percentile), whole(percentile));
    }
    return all;
  }
}
