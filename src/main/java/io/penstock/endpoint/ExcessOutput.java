package io.penstock.endpoint;

/** Treatment of requests that state a larger maximum of output than they may have. */
public enum ExcessOutput {
  /** It is refused at arrival. */
  REFUSE,
  /** Its maximum is lowered, also in the body that the upstream gets. */
  CAP
}
