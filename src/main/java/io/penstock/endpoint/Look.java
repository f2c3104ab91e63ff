package io.penstock.endpoint;

import java.util.List;

/**
 * One waiting ticket at an instant. The owner of the queue only takes it; the conclusions are drawn
 * on the thread that asked.
 */
public final class Look implements Known {
  private final Pending pending;
  private final Sight sight;
  private final List<Route> ways;
  private final boolean paused;
  private final boolean blocked;
  private final boolean undecided;

  private Look(Pending pending, Sight sight, List<Route> ways, boolean paused) {
    this.pending = pending;
    this.sight = sight;
    this.ways = ways;
    this.paused = paused;
    this.blocked = pending.blocked;
    this.undecided = !pending.waits();
  }

  static Look of(Dispatcher dispatcher, Pending pending, long now) {
    return new Look(
        pending,
        Sight.of(dispatcher, Sight.FARTHEST, pending, now),
        dispatcher.parked().ways(pending, now),
        dispatcher.why().paused());
  }

  /** Returns when it was taken. */
  public long nanos() {
    return sight.nanos();
  }

  /** Returns the ticket, its place, and how long it will wait. */
  public Place place() {
    return sight.of(pending);
  }

  /** Returns what blocks it. */
  public Explanation explanation() {
    // Its caller is charged before anything else is checked.
    return undecided
        ? Explainer.denied(pending, nanos())
        : Why.held(Explainer.of(pending, ways, nanos()), paused, blocked);
  }
}
