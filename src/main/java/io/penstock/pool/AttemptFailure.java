package io.penstock.pool;

import org.jspecify.annotations.Nullable;

/**
 * Failure of an attempt, by what it costs. The later in this order, the more the upstream may have
 * done; the page <i>Limits and orders</i> says what each costs.
 */
public enum AttemptFailure {
  /** The upstream never saw the request: nothing is charged. */
  UNSENT,
  /**
   * The upstream refused the request because of its limits or its load, with 429, 503 or 529: its
   * pool is charged where refused calls count.
   */
  REJECTED,
  /**
   * The upstream refused the request because of what it asks, with any other status from 300 to
   * 499: its pool is charged one request, and tokens where refused calls count in full.
   */
  REFUSED,
  /**
   * The upstream may have processed the request: its input and the output seen so far are charged.
   */
  BROKEN;

  private static final int FIRST_REDIRECTION = 300;
  private static final int FIRST_SERVER_ERROR = 500;

  /** Returns the failure that an answer of that status is, or null when it is none. */
  public static @Nullable AttemptFailure of(int status) {
    if (status < FIRST_REDIRECTION) {
      return null;
    }
    return switch (status) {
      case 429, 503, 529 -> REJECTED;
      case 408 -> BROKEN;
      default -> status < FIRST_SERVER_ERROR ? REFUSED : BROKEN;
    };
  }

  /** Returns the costlier of two failures. */
  public AttemptFailure or(AttemptFailure other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
