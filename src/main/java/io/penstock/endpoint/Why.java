package io.penstock.endpoint;

import io.penstock.endpoint.Binding.What;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records for each ticket why it was not granted, or not sooner, so that operators can ask for it
 * later. Only the owner of the queue may use it.
 */
final class Why {
  /** Wait above which a ticket counts as having waited for long. */
  static final long LONG_NANOS = 1_000_000_000L;

  private long atNanos = Long.MIN_VALUE;
  private int said;
  private boolean paused;
  private long resumedNanos = Long.MIN_VALUE;

  static boolean isLong(Pending pending, long now) {
    return now - pending.arrivedNanos() > LONG_NANOS;
  }

  /** Notes that releases stop, or restart. */
  void pause(boolean stop, long now) {
    paused = stop;
    resumedNanos = stop ? resumedNanos : now;
  }

  boolean paused() {
    return paused;
  }

  /** Records a ticket that could not go whatever else happened, and is refused. */
  void inVain(Pending pending, List<Route> ways, long now) {
    say(pending, now, () -> Explainer.of(pending, ways, now));
  }

  /** Records a ticket that waits, or would have to, and does not go. */
  void stays(Pending pending, List<Route> ways, long now) {
    say(pending, now, () -> held(Explainer.of(pending, ways, now), paused, pending.blocked));
  }

  /** Records a ticket that is about to be granted, if it waited for long. */
  void goes(Pending pending, Lane lane, long now) {
    if (isLong(pending, now)) {
      boolean wasPaused = resumedNanos >= pending.arrivedNanos() && resumedNanos > lane.heldNanos();
      Binding last = wasPaused ? Binding.of(What.ENDPOINT_PAUSED, resumedNanos) : lane.held();
      say(pending, now, () -> Explainer.of(pending, lane.routes(), now).bound(last));
    }
  }

  /**
   * Returns the explanation with the pause or the full queue as its cause, where either applies.
   */
  static Explanation held(Explanation byLimits, boolean paused, boolean blocked) {
    if (paused) {
      return byLimits.bound(Binding.of(What.ENDPOINT_PAUSED, Ticker.NEVER));
    }
    return blocked ? byLimits.bound(Binding.of(What.QUEUE_FULL, Ticker.NEVER)) : byLimits;
  }

  /**
   * Records an explanation; if many tickets leave at one instant, only for as many as an endpoint
   * remembers.
   */
  private void say(Pending pending, long now, Supplier<Explanation> explanation) {
    if (pending.shadow() != null) {
      return; // no one asks about shadows
    }
    said = now == atNanos ? said + 1 : 1;
    atNanos = now;
    pending.forgotten = said > Lately.MOST;
    if (!pending.forgotten) {
      pending.why = explanation.get();
    }
  }
}
