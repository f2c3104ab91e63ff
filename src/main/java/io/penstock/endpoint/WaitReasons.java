package io.penstock.endpoint;

import io.penstock.endpoint.BindingLimit.What;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records for each ticket why it was not granted, or not sooner, so that operators can ask for it
 * later. Only the owner of the queue may use it.
 */
final class WaitReasons {
  /** Wait above which a ticket counts as having waited for long. */
  static final long LONG_NANOS = 1_000_000_000L;

  private long atNanos = Long.MIN_VALUE;
  private int said;
  private boolean paused;
  private long resumedNanos = Long.MIN_VALUE;

  static boolean isLong(ParkedTicket parkedTicket, long now) {
    return now - parkedTicket.arrivedNanos() > LONG_NANOS;
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
  void inVain(ParkedTicket parkedTicket, List<TicketRoute> ways, long now) {
    say(parkedTicket, now, () -> WaitExplainer.of(parkedTicket, ways, now));
  }

  /** Records a ticket that waits, or would have to, and does not go. */
  void stays(ParkedTicket parkedTicket, List<TicketRoute> ways, long now) {
    say(
        parkedTicket,
        now,
        () -> held(WaitExplainer.of(parkedTicket, ways, now), paused, parkedTicket.blocked));
  }

  /** Records a ticket that is about to be granted, if it waited for long. */
  void goes(ParkedTicket parkedTicket, Lane lane, long now) {
    if (isLong(parkedTicket, now)) {
      boolean wasPaused =
          resumedNanos >= parkedTicket.arrivedNanos() && resumedNanos > lane.heldNanos();
      BindingLimit last =
          wasPaused ? BindingLimit.of(What.ENDPOINT_PAUSED, resumedNanos) : lane.held();
      say(parkedTicket, now, () -> WaitExplainer.of(parkedTicket, lane.routes(), now).bound(last));
    }
  }

  /**
   * Returns the explanation with the pause or the full queue as its cause, where either applies.
   */
  static WaitExplanation held(WaitExplanation byLimits, boolean paused, boolean blocked) {
    if (paused) {
      return byLimits.bound(BindingLimit.of(What.ENDPOINT_PAUSED, Ticker.NEVER));
    }
    return blocked ? byLimits.bound(BindingLimit.of(What.QUEUE_FULL, Ticker.NEVER)) : byLimits;
  }

  /**
   * Records an explanation; if many tickets leave at one instant, only for as many as an endpoint
   * remembers.
   */
  private void say(ParkedTicket parkedTicket, long now, Supplier<WaitExplanation> explanation) {
    if (parkedTicket.shadow() != null) {
      return; // no one asks about shadows
    }
    said = now == atNanos ? said + 1 : 1;
    atNanos = now;
    parkedTicket.forgotten = said > RecentOutcomes.MOST;
    if (!parkedTicket.forgotten) {
      parkedTicket.why = explanation.get();
    }
  }
}
