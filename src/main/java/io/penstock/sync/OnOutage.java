package io.penstock.sync;

import java.util.Locale;

/** What becomes of shared limits while Redis cannot be reached. */
public enum OnOutage {
  /** Exact limits are spent while slices last, then wait; eventual ones are counted alone. */
  PARK,
  /** An exact limit is that limit ÷ the members at the last contact: no longer exact. */
  SHARE,
  /** Each instance has the whole limit. */
  ALLOW,
  /** Nothing passes a shared limit. */
  REFUSE;

  /** Returns the name people write, such as {@code park}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
