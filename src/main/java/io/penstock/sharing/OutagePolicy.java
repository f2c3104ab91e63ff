package io.penstock.sharing;

import io.penstock.limit.OutageCap;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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

  /** Returns how a limit behaves while it is cut off; null when it goes on as before. */
  public @Nullable OutageCap cap() {
    return switch (this) {
      case CONTINUE, PARK -> null;
      case ALLOW -> new OutageCap.Open();
      case REFUSE ->
          new OutageCap.Shut(
              Refusal.of(
                  RefusalReason.LIMIT_UNAVAILABLE,
                  "a limit of it is shared with other instances, of which nothing is heard"));
    };
  }

  /** Returns the name in the configuration, such as {@code park}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
