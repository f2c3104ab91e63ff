package io.penstock.key;

/** The end of the requests of a key that is revoked. New ones are always refused. */
public enum Revocation {
  /** Waiting requests are refused; answers that run end as they would have. */
  REFUSES_WAITING,
  /** Waiting requests are served as if the key still existed. */
  KEEPS_WAITING,
  /** Waiting requests are refused, and connections with running answers are closed. */
  CUTS_RUNNING
}
