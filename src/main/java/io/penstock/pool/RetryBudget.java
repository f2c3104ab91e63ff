package io.penstock.pool;

import io.penstock.tenant.SharedState;

/**
 * Bound on the number of failed requests that are repeated: at most a tenth of the requests of the
 * trailing second, plus ten: more than the failures by which an upstream is found out to be broken.
 * Without a bound, an upstream that fails because of overload would get twice the load. Safe from
 * any thread.
 */
public final class RetryBudget {
  private static final int CELLS = 10;
  private static final long CELL_NANOS = 1_000_000_000L / CELLS;
  private static final long FREE = 10;
  private static final long REQUESTS_A_RETRY = 10;

  @SharedState("retry budgets")
  private final long[] requests = new long[CELLS];

  @SharedState("retry budgets")
  private final long[] retries = new long[CELLS];

  /** Number of the newest cell; the ring contains it and the nine cells before it. */
  private long youngest;

  /**
   * Creates an unused budget.
   *
   * @param now the instant, in nanoseconds
   */
  public RetryBudget(long now) {
    youngest = Math.floorDiv(now, CELL_NANOS);
  }

  /** Counts a request that is sent for the first time. */
  public synchronized void sent(long now) {
    requests[cell(now)]++;
  }

  /** Returns whether one more request may be repeated, and if so counts it. */
  public synchronized boolean retry(long now) {
    int cell = cell(now);
    if (sum(retries) >= FREE + sum(requests) / REQUESTS_A_RETRY) {
      return false;
    }
    retries[cell]++;
    return true;
  }

  /**
   * Empties the cells that are older than a second, and returns the index of the newest cell; late
   * calls count there.
   */
  private int cell(long now) {
    long number = Math.floorDiv(now, CELL_NANOS);
    for (long each = Math.max(youngest + 1, number - CELLS + 1); each <= number; each++) {
      int at = (int) Math.floorMod(each, (long) CELLS);
      requests[at] = 0;
      retries[at] = 0;
    }
    youngest = Math.max(youngest, number);
    return (int) Math.floorMod(youngest, (long) CELLS);
  }

  private static long sum(long[] cells) {
    long sum = 0;
    for (long each : cells) {
      sum += each;
    }
    return sum;
  }
}
