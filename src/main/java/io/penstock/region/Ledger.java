package io.penstock.region;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What became of what regions told each other. Safe from any thread. */
public final class Ledger {
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

  /** What fails now: others may go well meanwhile. */
  private final Set<Integer> sick = new HashSet<>();

  Ledger() {}

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

  /** Denials are rare, and written as counts are: these tell for them, too. */
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

  /** Returns how many questions were answered. */
  public long answered() {
    return answered.get();
  }

  /** Returns how long that took in all. */
  public long answeredNanos() {
    return answeredNanos.get();
  }

  /** Returns how many questions failed. */
  public long failed() {
    return failed.get();
  }

  /** Returns how many had no answer in time. */
  public long timedOut() {
    return timedOut.get();
  }

  /** Returns how many batches of counts were not told: the next one has them. */
  public long droppedCounts() {
    return dropped[COUNTS].get();
  }

  /** Returns how many denials were not told, and never are. */
  public long droppedDenials() {
    return dropped[DENIALS].get();
  }

  /** Returns how many rows were of no cell that counts, or of no limit. */
  public long ignored() {
    return ignored.get();
  }
}
