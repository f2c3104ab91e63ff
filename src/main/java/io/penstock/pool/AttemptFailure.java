package io.penstock.pool;

/** Failure of an attempt that brought no answer, or an answer that the client does not get. */
public enum AttemptFailure {
  /** The upstream never saw the request: nothing is charged. */
  UNSENT,
  /**
   * The upstream refused the request because of its limits: it is charged where refused calls
   * count.
   */
  REJECTED,
  /**
   * The upstream may have processed the request: its input and the output seen so far are charged.
   */
  BROKEN
}
