package io.penstock.explain;

import io.penstock.dispatch.LaneRecorder;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRoute;
import io.penstock.dispatch.WaitRecorder;
import io.penstock.explain.BindingLimit.Cause;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records for each ticket why it was not granted, or not sooner, so that operators can ask for it
 * later. Only the owner of the queue may use it.
 */
public final class WaitReasons implements WaitRecorder {
  private long atNanos = Long.MIN_VALUE;
  private int recordsAtInstant;
  private boolean paused;
  private long resumedNanos = Long.MIN_VALUE;

  @Override
  public void pause(boolean stop, long now) {
    paused = stop;
    resumedNanos = stop ? resumedNanos : now;
  }

  @Override
  public void recordHopeless(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    record(parkedTicket, now, () -> WaitExplainer.of(parkedTicket, routes, now));
  }

  @Override
  public void recordDetour(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    record(
        parkedTicket,
        now,
        () ->
            routes.isEmpty()
                ? WaitExplanation.NONE.bound(
                    BindingLimit.of(Cause.NO_UPSTREAM_ENABLED, Ticker.NEVER))
                : WaitExplainer.of(parkedTicket, routes, now));
  }

  @Override
  public void recordWaiting(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
    record(
        parkedTicket,
        now,
        () ->
            withQueueCause(
                WaitExplainer.of(parkedTicket, routes, now), paused, parkedTicket.blocked()));
  }

  @Override
  public LaneRecorder lane() {
    return new OfLane();
  }

  /** Records what blocks the first ticket of a lane, at most once a second. */
  private final class OfLane implements LaneRecorder {
    private @Nullable BindingLimit binding;
    private long boundNanos = Long.MIN_VALUE;

    @Override
    public void blocked(ParkedTicket first, List<TicketRoute> routes, long now) {
      if (boundNanos == Long.MIN_VALUE || now - boundNanos >= LONG_NANOS) {
        binding = WaitExplainer.binding(first, routes, now);
        boundNanos = now;
      }
    }

    @Override
    public void goes(ParkedTicket parkedTicket, List<TicketRoute> routes, long now) {
      if (WaitRecorder.isLong(parkedTicket, now)) {
        boolean wasPaused =
            resumedNanos >= parkedTicket.arrivedNanos() && resumedNanos > boundNanos;
        BindingLimit last =
            wasPaused ? BindingLimit.of(Cause.ENDPOINT_PAUSED, resumedNanos) : binding;
        if (last == null && WaitNote.binding(parkedTicket) != null) {
          return; // nothing blocked it since it left the upstreams that take no requests
        }
        record(parkedTicket, now, () -> WaitExplainer.of(parkedTicket, routes, now).bound(last));
      }
    }
  }

  /**
   * Returns the explanation with the pause or the full queue as its cause, where either applies.
   */
  static WaitExplanation withQueueCause(WaitExplanation byLimits, boolean paused, boolean blocked) {
    if (paused) {
      return byLimits.bound(BindingLimit.of(Cause.ENDPOINT_PAUSED, Ticker.NEVER));
    }
    return blocked ? byLimits.bound(BindingLimit.of(Cause.QUEUE_FULL, Ticker.NEVER)) : byLimits;
  }

  /**
   * Records an explanation; if many tickets leave at one instant, only for as many as an endpoint
   * remembers.
   */
  private void record(ParkedTicket parkedTicket, long now, Supplier<WaitExplanation> explanation) {
    if (parkedTicket.shadow() != null) {
      return; // no one asks about shadows
    }
    recordsAtInstant = now == atNanos ? recordsAtInstant + 1 : 1;
    atNanos = now;
    if (recordsAtInstant > RecentOutcomes.MOST) {
      WaitNote.skipRecord(parkedTicket);
    } else {
      WaitNote.explain(parkedTicket, explanation.get());
    }
  }
}
