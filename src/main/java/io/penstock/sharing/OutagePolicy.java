package io.penstock.sharing;

import java.util.Locale;

/** Policy for shared limits while Redis cannot be reached. */
public enum OutagePolicy {
  /**
   * Exact limits are used while slices last; then requests wait. Eventual limits count only this
   * instance.
   */
  PARK,
  /**
   * Each instance uses an exact limit divided by the number of members at the last contact, rounded
   * down, in windows of its own; together they are no longer exact. An instance without any contact
   * yet gets nothing, and a request larger than the share waits. Eventual limits count only this
   * instance.
   */
  SHARE,
  /** Shared limits let all requests pass; those requests count once there is contact again. */
  ALLOW,
  /** Requests that need a shared limit are refused and do not wait. */
  REFUSE;

  /** Returns the name in the configuration, such as {@code park}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
