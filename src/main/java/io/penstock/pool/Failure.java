package io.penstock.pool;

/** How an attempt ended that brought no answer, or one the client does not get. */
public enum Failure {
  /** The upstream never saw the request: nothing counts. */
  UNSENT,
  /** The upstream refused it for its limits: counts where refused calls count. */
  REJECTED,
  /** The upstream may have worked on it: its input counts, and what of its output was seen. */
  BROKEN
}
