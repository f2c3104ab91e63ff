package io.penstock.metrics;

import io.penstock.tenant.SharedState;
import io.prometheus.metrics.tracer.common.SpanContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps tickets to their traces, so that counters updated for a ticket carry an exemplar, for a
 * Prometheus that scrapes OpenMetrics. Only present if traces are kept.
 *
 * <p>Events of a ticket are counted on any thread, outside the context of its request. Therefore
 * the tracing code registers a ticket's trace here as soon as the ticket has its number. Earlier
 * events of the ticket have no exemplar; a ticket that does not wait has already been released by
 * then, one that waits has not. Safe from any thread.
 */
public final class TraceExemplars implements SpanContext {
  /** Maximum number of registered tickets; further tickets are traced without exemplars. */
  static final int MOST = 10_000;

  private record Trace(String traceId, String spanId) {}

  /** Trace of the ticket for which this thread is counting an event. */
  private static final ThreadLocal<@Nullable Trace> COUNTED = new ThreadLocal<>();

  @SharedState("exemplars of traces")
  private final ConcurrentMap<Long, Trace> byTicket = new ConcurrentHashMap<>();

  /**
   * Registers a ticket's trace for exemplars, until {@link #ended}. Only for sampled traces.
   *
   * @param ticket its arrival number
   */
  public void begun(long ticket, String traceId, String spanId) {
    if (byTicket.size() < MOST) {
      byTicket.put(ticket, new Trace(traceId, spanId));
    }
  }

  /** Removes a ticket. */
  public void ended(long ticket) {
    byTicket.remove(ticket);
  }

  /** Runs a count that carries the ticket's trace as exemplar. */
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
    // the exemplar is kept anyway
  }
}
