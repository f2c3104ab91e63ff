package io.penstock.simulator;

/** An amount that one instance let pass a limit. */
final class SimRelease {
  /** The name of the instance. */
  final String by;

  /** The true time. */
  final long at;

  /** The time by the wall clock of the instance, with which a window or day ends. */
  final long unix;

  /** The amount as it counts in the end, without what was given back. */
  long amount;

  /** For a limit of concurrency, how many ran at once then. */
  long together;

  /** Creates a release. */
  SimRelease(String by, long at, long unix, long amount) {
    this.by = by;
    this.at = at;
    this.unix = unix;
    this.amount = amount;
  }

  /** Takes back a part of it. */
  void giveBack(long back) {
    amount -= back;
  }
}
