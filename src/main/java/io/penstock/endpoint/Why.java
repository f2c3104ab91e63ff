package io.penstock.endpoint;

import io.penstock.endpoint.Binding.What;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Supplier;

/**
 * Says of each ticket why it was not let go, or not sooner, for whoever will ask. Belongs to the
 * owner of the queue.
 */
final class Why {
  /** A ticket that waits longer than this waits for long. */
  static final long LONG_NANOS = 1_000_000_000L;

  private long atNanos = Long.MIN_VALUE;
  private int said;
  private boolean paused;
  private long resumedNanos = Long.MIN_VALUE;

  static boolean isLong(Pending pending, long now) {
    return now - pending.arrivedNanos() > LONG_NANOS;
  }

  /** Releases stop, or go on. */
  void pause(boolean stop, long now) {
    paused = stop;
    resumedNanos = stop ? resumedNanos : now;
  }

  boolean paused() {
    return paused;
  }

  /** One is refused that could not go whatever else happened. */
  void inVain(Pending pending, List<Route> ways, long now) {
    say(pending, now, () -> Explainer.of(pending, ways, now));
  }

  /** One that waits, or would have to, is not let go. */
  void stays(Pending pending, List<Route> ways, long now) {
    say(pending, now, () -> held(Explainer.of(pending, ways, now), paused, pending.blocked));
  }

  /** One is about to go; those that waited for long are remembered. */
  void goes(Pending pending, Lane lane, long now) {
    if (isLong(pending, now)) {
      boolean wasPaused = resumedNanos >= pending.arrivedNanos() && resumedNanos > lane.heldNanos();
      Binding last = wasPaused ? Binding.of(What.ENDPOINT_PAUSED, resumedNanos) : lane.held();
      say(pending, now, () -> Explainer.of(pending, lane.routes(), now).bound(last));
    }
  }

  /** Returns an explanation of one that waits where nothing goes, or for a place in the queue. */
  static Explanation held(Explanation byLimits, boolean paused, boolean blocked) {
    if (paused) {
      return byLimits.bound(Binding.of(What.ENDPOINT_PAUSED, Ticker.NEVER));
    }
    return blocked ? byLimits.bound(Binding.of(What.QUEUE_FULL, Ticker.NEVER)) : byLimits;
  }

  /** Of many that leave at one instant not more are explained than are remembered in any case. */
  private void say(Pending pending, long now, Supplier<Explanation> explanation) {
    if (pending.shadow() != null) {
      return; // nobody asks for it
    }
    said = now == atNanos ? said + 1 : 1;
    atNanos = now;
    pending.forgotten = said > Lately.MOST;
    if (!pending.forgotten) {
      pending.why = explanation.get();
    }
  }
}
