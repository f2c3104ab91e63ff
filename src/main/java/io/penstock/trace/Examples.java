package io.penstock.trace;

/**
 * Is told which tickets are part of traces that are kept, so that what is counted of one can name
 * its trace. Called from any thread; may not fail or wait.
 */
public interface Examples {
  /** Nobody names any. */
  Examples NONE =
      new Examples() {
        @Override
        public void begun(long ticket, String traceId, String spanId) {}

        @Override
        public void ended(long ticket) {}
      };

  /**
   * A ticket is part of a trace, until {@link #ended}.
   *
   * @param ticket its arrival number
   */
  void begun(long ticket, String traceId, String spanId);

  /** A request is over, whose ticket that was. */
  void ended(long ticket);
}
