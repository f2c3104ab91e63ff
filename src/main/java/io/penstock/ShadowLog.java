package io.penstock;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.refusal.RefusalReason;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what shadow endpoints would have done: at most one line a minute for each, written with the
 * next decision after the minute. Safe from any thread.
 */
final class ShadowLog implements EventSink {
  /**
   * Number of endpoints with a line of their own; all others share one, because clients can invent
   * endpoints.
   */
  static final int MOST = 100;

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.shadow");
  private static final long QUIET_NANOS = 60_000_000_000L;
  private static final String OTHERS = "other endpoints";

  private final Map<String, Sum> sums = new LinkedHashMap<>();

  /** Decisions since the last line. */
  private static final class Sum {
    private final long sinceNanos;
    private long went;
    private long waited;
    private long longestNanos;
    private final Map<RefusalReason, Long> refused = new EnumMap<>(RefusalReason.class);

    Sum(long now) {
      this.sinceNanos = now;
    }

    void add(Event.Shadowed event) {
      if (event.refusal() != null) {
        refused.merge(event.refusal().reason(), 1L, Long::sum);
        return;
      }
      went++;
      waited += event.waitedNanos() > 0 ? 1 : 0;
      longestNanos = Math.max(longestNanos, event.waitedNanos());
    }

    String line(String endpoint) {
      StringBuilder line = new StringBuilder("shadow ").append(endpoint).append(": ").append(went);
      line.append(" would have gone, ").append(waited).append(" of them after a wait");
      if (waited > 0) {
        line.append(" of up to ").append(longestNanos / 1_000_000).append(" ms");
      }
      refused.forEach(
          (refusalReason, count) ->
              line.append("; ").append(count).append(' ').append(refusalReason.code()));
      return line.toString();
    }
  }

  @Override
  public void publish(Event event) {
    if (event instanceof Event.Shadowed shadowed) {
      String line = line(shadowed);
      if (line != null) {
        LOG.info(line);
      }
    }
  }

  /** Returns the line to log, or null. */
  synchronized @Nullable String line(Event.Shadowed event) {
    boolean known = sums.containsKey(event.endpoint()) || sums.size() < MOST;
    String endpoint = known ? event.endpoint() : OTHERS;
    Sum sum = sums.computeIfAbsent(endpoint, absent -> new Sum(event.atNanos()));
    sum.add(event);
    if (event.atNanos() - sum.sinceNanos < QUIET_NANOS) {
      return null;
    }
    sums.put(endpoint, new Sum(event.atNanos()));
    return sum.line(endpoint);
  }
}
