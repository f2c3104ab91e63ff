package io.penstock.sync;

/** Why an instance may not spend slices of shared limits yet. */
enum RecoveryReason {
  /** This instance has just come. */
  CAME,
  /** Nothing was heard for so long that what was lost meanwhile is beyond recognition. */
  SILENT,
  /** The store was restarted or replaced, and not all have said yet that it knows all. */
  RESTARTED,
  /** The store lost something, or its clock was set. */
  LOST
}
