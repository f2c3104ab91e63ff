package io.penstock.sim;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, and everything that is going to happen, in one thread. What is to
 * happen at one instant happens by rank, and else in the order in which it was asked for.
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

  /** So many things never happen at one instant but for a loop without an end. */
  private static final int MOST_AT_ONCE = 20_000;

  private final PriorityQueue<Happening> happenings = new PriorityQueue<>();
  private long now;
  private long orders;
  private long events;
  private int atOnce;

  /** Makes a clock that stands at {@code start}, in nanoseconds. */
  public SimClock(long start) {
    this.now = start;
  }

  /** Returns the true time, in nanoseconds. */
  public long now() {
    return now;
  }

  /** Returns how many things have happened. */
  public long events() {
    return events;
  }

  /** Has something happen at an instant, at the earliest now. */
  public void at(long instant, Runnable what) {
    at(instant, 0, what);
  }

  /**
   * Has something happen at an instant, at the earliest now.
   *
   * @param rank of what happens at one instant, the lower comes first: so the order in which
   *     production code asks, which may be that of a hash table, changes nothing
   */
  public void at(long instant, int rank, Runnable what) {
    happenings.add(new Happening(Math.max(now, instant), rank, orders++, what));
  }

  /** Lets happen all that is due until an instant, at which the clock stands then. */
  public void run(long until) {
    run(until, () -> {});
  }

  /**
   * Lets happen all that is due until an instant, at which the clock stands then.
   *
   * @param rested runs whenever nothing more happens at the instant at which the clock stands
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
