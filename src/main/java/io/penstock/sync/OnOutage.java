package io.penstock.sync;

import java.util.Locale;

/** What becomes of shared limits while Redis cannot be reached. */
public enum OnOutage {
  /** Exact limits are spent while slices last, then wait; eventual ones are counted alone. */
  PARK,
  /**
   * An exact limit is that limit ÷ the members at the last contact, rounded down, in windows of
   * each instance's own: no longer exact. One that never had contact has nothing; a request that
   * takes more than a part waits. Eventual ones are counted alone.
   */
  SHARE,
  /** Shared limits let all pass; what did counts once there is contact again. */
  ALLOW,
  /** Nothing passes a shared limit, and nobody waits for it. */
  REFUSE;

  /** Returns the name people write, such as {@code park}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
