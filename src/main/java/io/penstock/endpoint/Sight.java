package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first waiting tickets of an endpoint at an instant. The owner of the queue only takes the
 * list, so that it loses little time; the conclusions are drawn on the thread that asked.
 */
public final class Sight {
  /** Most tickets that are counted to find the place of one. */
  static final int FARTHEST = 2_000;

  private record Seen(Pending pending, List<Route> ways) {}

  private final long nanos;
  private final boolean paused;
  private final List<Seen> seen = new ArrayList<>();

  private Sight(long nanos, boolean paused) {
    this.nanos = nanos;
    this.paused = paused;
  }

  /**
   * Returns the first {@code most} waiting tickets, or those up to a given one.
   *
   * @param until the last ticket to include, or null
   */
  static Sight of(Dispatcher dispatcher, int most, @Nullable Pending until, long now) {
    Sight sight = new Sight(now, dispatcher.why().paused());
    Parked parked = dispatcher.parked();
    Supplier<@Nullable Pending> inTurn = parked.inTurn();
    Pending each = inTurn.get();
    for (int at = 0; each != null && at < most; at++) {
      if (each.shadow() == null) {
        sight.seen.add(new Seen(each, parked.ways(each, now)));
      }
      each = each == until ? null : inTurn.get();
    }
    return sight;
  }

  /** Returns when it was taken. */
  public long nanos() {
    return nanos;
  }

  /** Returns the tickets in order, and how long each will wait. */
  public List<Place> places() {
    List<Place> all = new ArrayList<>(seen.size());
    Prospect prospect = new Prospect(nanos);
    for (Seen each : seen) {
      long expected = prospect.next(each.pending(), each.ways());
      all.add(new Place(each.pending(), all.size() + 1, paused ? Ticker.NEVER : expected));
    }
    return all;
  }

  /** Returns the place of a ticket; with position 0 when it is not among these. */
  Place of(Pending pending) {
    boolean there = !seen.isEmpty() && seen.getLast().pending() == pending;
    return there ? places().getLast() : new Place(pending, 0, Ticker.NEVER);
  }
}
