package io.penstock.pool;

/** What becomes of a request of which the upstream has said, or failed to say, something. */
public enum Verdict {
  /** The answer is the client's. */
  PASS,
  /** It goes back to its place, and may go to any upstream: the pool it was refused by pauses. */
  WAIT,
  /** It goes once more, to another upstream if there is one. */
  ELSEWHERE,
  /** It goes once more at once, and does not ask for the usage of its stream. */
  WITHOUT_USAGE
}
