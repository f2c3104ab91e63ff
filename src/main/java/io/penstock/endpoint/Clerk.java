package io.penstock.endpoint;

import io.penstock.refusal.Refusal;

/** Who is told what the dispatcher decided. */
interface Clerk {
  void granted(Pending pending, Settlement settlement);

  void refused(Pending pending, Refusal refusal);

  void expired(Pending pending, Refusal refusal);
}
