package io.penstock.sharing;

/** Reason why an instance is not given larger shares of limits yet. */
public enum RecoveryReason {
  /** This instance has just started. */
  CAME,
  /** The store was restarted or replaced, or has lost data. */
  LOST
}
