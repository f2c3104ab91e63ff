package io.penstock.endpoint;

import io.penstock.refusal.Refusal;

/** Receives the decisions of the dispatcher. */
interface Clerk {
  void granted(Pending pending, Settlement settlement);

  void refused(Pending pending, Refusal refusal);

  /** Called when a ticket no longer waits because its client went away. */
  void left(Pending pending, long now);

  void expired(Pending pending, Refusal refusal);
}
