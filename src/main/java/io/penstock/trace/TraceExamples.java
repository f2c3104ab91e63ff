package io.penstock.trace;

/**
 * Receives the tickets that belong to sampled traces, so that counters can name a trace as an
 * example. Called from any thread; must not fail or block.
 */
public interface TraceExamples {
  /**
   * Notes that a ticket belongs to a trace, until {@link #ended}.
   *
   * @param ticket its arrival number
   */
  void begun(long ticket, String traceId, String spanId);

  /** Notes that the request of a ticket has ended. */
  void ended(long ticket);
}
