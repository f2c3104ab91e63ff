package io.penstock.sharing;

/** Reason why an instance may not use slices of shared limits yet. */
public enum RecoveryReason {
  /** This instance has just started. */
  CAME,
  /** Nothing was heard for so long that a loss meanwhile would be undetectable. */
  SILENT,
  /**
   * The store was restarted or replaced, and not all members have confirmed yet that it is
   * complete.
   */
  RESTARTED,
  /** The store lost data, or its clock was set. */
  LOST
}
