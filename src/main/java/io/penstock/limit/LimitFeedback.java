package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * Operations on a limit by those who hear from a provider how much it admits. Only trailing windows
 * are affected. Safe from any thread.
 */
public final class LimitFeedback {
  private final Limit limit;

  LimitFeedback(Limit limit) {
    this.limit = limit;
  }

  /**
   * Applies a provider's statement, unless the answer to a later request brought one before. It
   * never raises the limit above its spec; a lower limit holds for 120 s. Returns whether anything
   * may pass sooner than before.
   */
  public boolean applyNotice(ProviderNotice notice, long now) {
    while (true) {
      LimitState current = limit.state();
      LimitState next = current.trailing(window -> window.withNotice(notice, now));
      if (next.equals(current)) {
        return false;
      }
      if (limit.replace(current, next)) {
        return next.soonerThan(current, now);
      }
    }
  }

  /** Returns the amount that this instance charged in the trailing window that ends at now. */
  public long passed(long now) {
    TrailingWindowState window = limit.state().trailing();
    return window == null ? 0 : window.passed(now);
  }

  /**
   * Lowers the limit because its provider, which states no limits, refused a request. It is raised
   * again in steps, and never above its spec. Has no effect if the provider has stated a limit, or
   * if the request was released before the last refusal that lowered the limit.
   *
   * @param releasedNanos when the refused request was released
   * @param passed the amount that passed in the window before, by all that share the limit, without
   *     that request
   */
  public void refused(long releasedNanos, long passed, long now) {
    limit.change(current -> current.trailing(each -> each.refused(releasedNanos, passed, now)));
  }

  /** Returns the ceiling that refusals have taught, or null. */
  public @Nullable LearnedCeiling ceiling(long now) {
    TrailingWindowState window = limit.state().trailing();
    return window == null ? null : window.ceiling(now);
  }

  /** Returns how often a ceiling that refusals had taught was raised to see what is allowed. */
  public long raises(long now) {
    TrailingWindowState window = limit.state().trailing();
    return window == null ? 0 : window.raises(now);
  }

  /** Widens a trailing window by 0 to 500 ms beyond its guard. */
  public void widen(long nanos) {
    limit.change(current -> current.trailing(window -> window.widened(nanos)));
  }

  /** Returns a provider's last statement about a trailing window, or null. */
  public @Nullable LearnedLimit learned(long now) {
    TrailingWindowState window = limit.state().trailing();
    return window == null ? null : window.learned(now);
  }

  /** Returns the instant from which no provider lowers the limit; now when none does. */
  public long restoredAt(long now) {
    TrailingWindowState window = limit.state().trailing();
    return window == null ? now : window.restoredAt(now);
  }
}
