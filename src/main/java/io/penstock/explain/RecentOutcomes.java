package io.penstock.explain;

import io.penstock.tenant.SharedState;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Records of one endpoint's recent tickets, for questions about them. Safe from any thread. */
public final class RecentOutcomes {
  /** Most records that one endpoint keeps. */
  static final int MOST = 256;

  /** Records that an endpoint may keep even when all endpoints together keep the most they may. */
  static final int LEAST = 16;

  private final RecordBudget budget;

  @SharedState("records of past tickets")
  private final ArrayDeque<PastTicket> records = new ArrayDeque<>(0);

  private boolean closed;

  public RecentOutcomes(RecordBudget budget) {
    this.budget = budget;
  }

  public synchronized void add(PastTicket past) {
    if (closed && records.size() >= LEAST) {
      records.removeFirst();
    } else if (records.size() >= MOST || (records.size() >= LEAST && !budget.tryReserve())) {
      records.removeFirst();
    }
    records.addLast(past);
  }

  /** Returns the latest record that matches, or null. */
  synchronized @Nullable public PastTicket last(Predicate<PastTicket> which) {
    Iterator<PastTicket> latestFirst = records.descendingIterator();
    while (latestFirst.hasNext()) {
      PastTicket each = latestFirst.next();
      if (which.test(each)) {
        return each;
      }
    }
    return null;
  }

  /** Forgets all records, and keeps only a few from now on: the endpoint is closed. */
  public synchronized void close() {
    closed = true;
    if (records.size() > LEAST) {
      budget.release(records.size() - LEAST);
    }
    records.clear();
  }
}
