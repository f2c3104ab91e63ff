package io.penstock.endpoint;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last tickets of one endpoint of which it will be asked what became of them. Safe from any
 * thread.
 */
final class Lately {
  /** As many as one endpoint remembers. */
  static final int MOST = 256;

  /** As many as it does even when all endpoints together remember enough. */
  static final int LEAST = 16;

  private final Roll roll;
  private final ArrayDeque<Past> records = new ArrayDeque<>(0);
  private boolean closed;

  Lately(Roll roll) {
    this.roll = roll;
  }

  synchronized void add(Past past) {
    if (closed && records.size() >= LEAST) {
      records.removeFirst();
    } else if (records.size() >= MOST || (records.size() >= LEAST && !roll.room())) {
      records.removeFirst();
    }
    records.addLast(past);
  }

  /** Returns the last of those, or null. */
  synchronized @Nullable Past last(Predicate<Past> which) {
    Iterator<Past> latestFirst = records.descendingIterator();
    while (latestFirst.hasNext()) {
      Past each = latestFirst.next();
      if (which.test(each)) {
        return each;
      }
    }
    return null;
  }

  /** Nobody will ask any more. */
  synchronized void close() {
    closed = true;
    if (records.size() > LEAST) {
      roll.freed(records.size() - LEAST);
    }
    records.clear();
  }
}
