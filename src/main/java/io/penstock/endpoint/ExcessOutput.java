package io.penstock.endpoint;

/** What happens to a request that states a larger maximum of output than it may have. */
public enum ExcessOutput {
  /** It is refused at arrival. */
  REFUSE,
  /** Its maximum is lowered, also in the body that the upstream gets. */
  CAP
}
