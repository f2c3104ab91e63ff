package io.penstock.sharing;

import java.util.Locale;

/** Policy for shared limits while Redis cannot be reached. */
public enum OutagePolicy {
  /**
   * Each instance goes on with the share that it had of an exact limit. Eventual limits count only
   * this instance.
   */
  CONTINUE,
  /**
   * Exact limits are used for a lease; then requests wait. Eventual limits count only this
   * instance.
   */
  PARK,
  /** Shared limits let all requests pass; those requests count once there is contact again. */
  ALLOW,
  /** Requests that need a shared limit are refused and do not wait. */
  REFUSE;

  /** Returns the name in the configuration, such as {@code park}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
