package io.penstock.endpoint;

/** What an endpoint does with a request whose stated maximum of output is too large. */
public enum ExcessOutput {
  /** It is refused at arrival. */
  REFUSE,
  /** Its maximum is lowered, also in the body that the upstream gets. */
  CAP
}
