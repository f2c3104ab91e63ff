package io.penstock.pool;

/**
 * Bounds how many requests may be repeated because they failed: at most a tenth of the requests of
 * the trailing second, and three more. Without a bound an upstream that fails for having too much
 * to do would be given twice as much. Safe from any thread.
 */
public final class RetryBudget {
  private static final int CELLS = 10;
  private static final long CELL_NANOS = 1_000_000_000L / CELLS;
  private static final long FREE = 3;
  private static final long REQUESTS_A_RETRY = 10;

  private final long[] requests = new long[CELLS];
  private final long[] retries = new long[CELLS];

  /** The number of the youngest cell; the ring holds it and the nine before it. */
  private long youngest;

  /**
   * Makes a budget of which nothing is spent.
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

  /** Returns whether one more may be repeated, and if so counts it. */
  public synchronized boolean retry(long now) {
    int cell = cell(now);
    if (sum(retries) >= FREE + sum(requests) / REQUESTS_A_RETRY) {
      return false;
    }
    retries[cell]++;
    return true;
  }

  /** Empties the cells that are older than a second; what is late counts in the youngest. */
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
