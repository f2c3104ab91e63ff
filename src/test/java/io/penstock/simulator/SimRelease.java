package io.penstock.simulator;

/** An amount that one instance let pass a limit. */
public final class SimRelease {
  /** The name of the instance. */
  public final String by;

  /** The true time. */
  public final long at;

  /** The amount as it counts in the end, without what was given back. */
  public long amount;

  /** For a limit of concurrency, how many ran at once then. */
  public long together;

  /** Creates a release. */
  public SimRelease(String by, long at, long amount) {
    this.by = by;
    this.at = at;
    this.amount = amount;
  }

  /** Takes back a part of it. */
  public void giveBack(long back) {
    amount -= back;
  }
}
