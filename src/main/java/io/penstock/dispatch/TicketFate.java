package io.penstock.dispatch;

/** Stage or outcome of a ticket. */
public enum TicketFate {
  /** It arrived. */
  OFFERED,
  /** Its answer reached its end. */
  SERVED,
  /** It was refused. */
  REFUSED,
  /** It waited until its deadline. */
  EXPIRED,
  /** Its client went away. */
  CANCELLED,
  /** It waits. */
  WAITING,
  /** It was granted and is not settled yet. */
  RUNNING
}
