package io.penstock.region;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Statistics of the exchange between regions. Thread-safe. */
public final class RegionStatistics {
  static final int COUNTS = 0;
  static final int DENIALS = 1;
  static final int LOOKS = 2;
  static final int SWEEPS = 3;

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.region");

  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong answeredNanos = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong timedOut = new AtomicLong();
  private final AtomicLong ignored = new AtomicLong();
  private final AtomicLong[] dropped = {new AtomicLong(), new AtomicLong()};

  /**
   * Operations that failed at their last attempt. They fail separately, so others may succeed
   * meanwhile.
   */
  private final Set<Integer> sick = new HashSet<>();

  RegionStatistics() {}

  void answered(int what, long nanos) {
    answered.incrementAndGet();
    answeredNanos.addAndGet(nanos);
    if (recovers(what)) {
      LOG.info("regions: the database is well again");
    }
  }

  void failed(int what, @Nullable Throwable failure) {
    (failure instanceof TimeoutException ? timedOut : failed).incrementAndGet();
    if (sickens(what)) {
      LOG.warn(
          "regions: the database fails, limits go on with what is known: {}",
          SqlTrouble.of(failure));
    }
  }

  /**
   * Marks an operation as healthy again; returns whether that was the last one failing. Denials are
   * rare and are written in the same way as counts, so success of counts also clears a failure of
   * denials.
   */
  private synchronized boolean recovers(int what) {
    boolean before = !sick.isEmpty();
    sick.remove(what);
    if (what == COUNTS) {
      sick.remove(DENIALS);
    }
    return before && sick.isEmpty();
  }

  private synchronized boolean sickens(int what) {
    boolean first = sick.isEmpty();
    sick.add(what);
    return first;
  }

  void dropped(int what, int amount) {
    dropped[what].addAndGet(amount);
  }

  void ignored(int rows) {
    ignored.addAndGet(rows);
  }

  /** Returns the number of answered requests. */
  public long answered() {
    return answered.get();
  }

  /** Returns the total time of answered requests, in nanoseconds. */
  public long answeredNanos() {
    return answeredNanos.get();
  }

  /** Returns the number of failed requests. */
  public long failed() {
    return failed.get();
  }

  /** Returns the number of requests without an answer in time. */
  public long timedOut() {
    return timedOut.get();
  }

  /**
   * Returns the number of batches of counts that were not published. The next batch makes up for
   * them.
   */
  public long droppedCounts() {
    return dropped[COUNTS].get();
  }

  /** Returns the number of denials that were dropped and will never be published. */
  public long droppedDenials() {
    return dropped[DENIALS].get();
  }

  /**
   * Returns the number of rows ignored because their cell does not count or their limit is unknown.
   */
  public long ignored() {
    return ignored.get();
  }
}
