package io.penstock.endpoint;

import io.penstock.refusal.Refusal;

/** Who is told what the dispatcher decided. */
interface Clerk {
  void granted(Pending pending, Settlement settlement);

  void refused(Pending pending, Refusal refusal);

  /** A ticket whose client went away waits no more. */
  void left(Pending pending, long now);

  void expired(Pending pending, Refusal refusal);
}
