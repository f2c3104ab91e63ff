package io.penstock.operator;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.TimeWindowPercentileHistogram;
import io.micrometer.core.instrument.distribution.ValueAtPercentile;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Waiting times of the tickets released in the last minute, for each endpoint, as percentiles with
 * one digit of precision. Listens to all events; safe from any thread.
 */
final class RecentWaits implements EventSink {
  private static final Duration LATELY = Duration.ofMinutes(1);
  private static final double MILLI = 1e6;

  private static final DistributionStatisticConfig CONFIG =
      DistributionStatisticConfig.builder()
          .percentiles(0.5, 0.9, 0.99)
          .percentilePrecision(1)
          .expiry(LATELY)
          .bufferLength(6)
          .build()
          .merge(DistributionStatisticConfig.DEFAULT);

  private final Map<String, TimeWindowPercentileHistogram> byPath = new ConcurrentHashMap<>();

  @Override
  public void publish(Event event) {
    if (event instanceof Event.Released released) {
      byPath
          .computeIfAbsent(
              released.endpoint(),
              path -> new TimeWindowPercentileHistogram(Clock.SYSTEM, CONFIG, false))
          .recordLong(released.waitedNanos());
    }
  }

  /** Returns the waiting times at an endpoint; null if no ticket was released lately. */
  @Nullable ObjectNode of(String path) {
    TimeWindowPercentileHistogram known = byPath.get(path);
    if (known == null) {
      return null;
    }
    HistogramSnapshot now = known.takeSnapshot(0, 0, 0);
    ValueAtPercentile[] values = now.percentileValues();
    boolean none = values.length < 3 || values[2].value() <= 0;
    return none
        ? null
        : OperatorJson.object()
            .put("p50_ms", millis(values[0]))
            .put("p90_ms", millis(values[1]))
            .put("p99_ms", millis(values[2]));
  }

  private static long millis(ValueAtPercentile value) {
    return Math.round(value.value() / MILLI);
  }

  /** Forgets all endpoints except the given ones. */
  void keep(Collection<String> paths) {
    byPath.keySet().retainAll(paths);
  }

  /** Forgets all waiting times. */
  void clear() {
    byPath.clear();
  }
}
