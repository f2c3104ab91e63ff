package io.penstock.explain;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Number of records of past tickets that all endpoints together keep, beyond the few that each may
 * always keep. Safe from any thread.
 */
public final class RecordBudget {
  /** Most records that all endpoints together keep. */
  static final int MOST = 4_096;

  @SharedState("records of past tickets")
  private final AtomicInteger records = new AtomicInteger();

  /** Reserves room for one more record; returns false when there is none. */
  boolean tryReserve() {
    int before = records.get();
    while (before < MOST && !records.compareAndSet(before, before + 1)) {
      before = records.get();
    }
    return before < MOST;
  }

  /** Gives back the room of {@code many} records. */
  void release(int many) {
    records.addAndGet(-many);
  }
}
