package io.penstock.simulator;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, with all scheduled events, in one thread. Events of one instant
 * run by rank, then in the order in which they were scheduled.
 */
public final class SimClock {
  private record Happening(long at, int rank, long order, Runnable what)
      implements Comparable<Happening> {
    private static final Comparator<Happening> FIRST =
        Comparator.comparingLong(Happening::at)
            .thenComparingInt(Happening::rank)
            .thenComparingLong(Happening::order);

    @Override
    public int compareTo(Happening other) {
      return FIRST.compare(this, other);
    }
  }

  /** More events at one instant than this mean an endless loop. */
  private static final int MOST_AT_ONCE = 20_000;

  private final PriorityQueue<Happening> happenings = new PriorityQueue<>();
  private long now;
  private long orders;
  private long events;
  private int atOnce;

  /** Creates a clock that stands at {@code start}, in nanoseconds. */
  public SimClock(long start) {
    this.now = start;
  }

  /** Returns the true time, in nanoseconds. */
  public long now() {
    return now;
  }

  /** Returns how many events have run. */
  public long events() {
    return events;
  }

  /** Schedules an event at an instant, now at the earliest. */
  public void at(long instant, Runnable what) {
    at(instant, 0, what);
  }

  /**
   * Schedules an event at an instant, now at the earliest.
   *
   * @param rank events of one instant run by ascending rank: so it makes no difference in which
   *     order production code schedules them, which may be that of a hash table
   */
  public void at(long instant, int rank, Runnable what) {
    happenings.add(new Happening(Math.max(now, instant), rank, orders++, what));
  }

  /** Runs all events that are due until an instant, and sets the clock to it. */
  public void run(long until) {
    run(until, () -> {});
  }

  /**
   * Runs all events that are due until an instant, and sets the clock to it.
   *
   * @param rested runs each time nothing more happens at the clock's instant
   */
  public void run(long until, Runnable rested) {
    while (!happenings.isEmpty() && happenings.peek().at() <= until) {
      Happening next = happenings.remove();
      atOnce = next.at() > now ? 0 : atOnce + 1;
      if (atOnce > MOST_AT_ONCE) {
        throw new AssertionError("it never comes to rest at " + now);
      }
      now = next.at();
      events++;
      next.what().run();
      if (happenings.isEmpty() || happenings.peek().at() > now) {
        rested.run();
      }
    }
    now = until;
  }
}
