package io.penstock.pool;

/** Decision about a request after an attempt. */
public enum AttemptVerdict {
  /** The client gets the answer. */
  PASS,
  /**
   * The request returns to its place in the queue, and may go to any upstream; the pool that
   * refused it pauses.
   */
  WAIT,
  /** The request is sent again, to another upstream if there is one. */
  ELSEWHERE,
  /**
   * The request is sent to another upstream, if one takes requests; otherwise its client is told
   * that the gateway's account is refused, and never gets the answer itself, which it would take
   * for one about its own credential.
   */
  OTHER_ACCOUNT,
  /** The request is sent again at once, without the additions that the answer refuses. */
  WITHOUT
}
