package io.penstock.cost;

/** Treatment of requests that state a larger maximum of output than they may have. */
public enum ExcessOutput {
  /** It is refused. */
  REFUSE,
  /** Its maximum is lowered, also in the body that the upstream gets. */
  CAP
}
