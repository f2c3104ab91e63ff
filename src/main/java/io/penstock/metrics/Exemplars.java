package io.penstock.metrics;

import io.prometheus.metrics.tracer.common.SpanContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Which traces tickets belong to, so that what is counted of a ticket names an example: for a
 * Prometheus that scrapes OpenMetrics. There is one where traces are kept, and none elsewhere.
 *
 * <p>What becomes of a ticket is counted on any thread, and not in the context of its request; so
 * whoever traces says which trace a ticket is part of, once it has its number. What happened to it
 * before has no example: a ticket that did not wait is let go by then, one that waits is not. Safe
 * from any thread.
 */
public final class Exemplars implements SpanContext {
  /** More tickets are traced without being examples. */
  static final int MOST = 10_000;

  private record Trace(String traceId, String spanId) {}

  /** What is counted is counted by one registry at a time. */
  private static final ThreadLocal<@Nullable Trace> COUNTED = new ThreadLocal<>();

  private final ConcurrentMap<Long, Trace> byTicket = new ConcurrentHashMap<>();

  /**
   * Has a ticket be an example from now on, until {@link #ended}. For traces that are sampled only.
   *
   * @param ticket its arrival number
   */
  public void begun(long ticket, String traceId, String spanId) {
    if (byTicket.size() < MOST) {
      byTicket.put(ticket, new Trace(traceId, spanId));
    }
  }

  /** Forgets a ticket. */
  public void ended(long ticket) {
    byTicket.remove(ticket);
  }

  /** Counts something of a ticket, which is the example meanwhile. */
  void counting(long ticket, Runnable count) {
    Trace trace = byTicket.get(ticket);
    if (trace == null) {
      count.run();
      return;
    }
    COUNTED.set(trace);
    try {
      count.run();
    } finally {
      COUNTED.remove();
    }
  }

  @Override
  public @Nullable String getCurrentTraceId() {
    Trace trace = COUNTED.get();
    return trace == null ? null : trace.traceId();
  }

  @Override
  public @Nullable String getCurrentSpanId() {
    Trace trace = COUNTED.get();
    return trace == null ? null : trace.spanId();
  }

  @Override
  public boolean isCurrentSpanSampled() {
    return COUNTED.get() != null;
  }

  @Override
  public void markCurrentSpanAsExemplar() {
    // it is kept in any case
  }
}
