package io.penstock.region;

import io.penstock.quota.Denials.Denial;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Denials on their way out: bounded, in batches of which one is on its way at a time. Safe from any
 * thread.
 */
final class Outbox {
  /** Rows in a batch. */
  static final int BATCH = 100;

  /** Fewer rows than that wait so long for more. */
  static final long FLUSH_NANOS = 1_000_000_000L;

  /** More rows find no place. */
  static final int MOST = 10_000;

  private final long timeoutNanos;
  private final List<Denial> waiting = new ArrayList<>();
  private @Nullable List<Denial> sent;
  private long sentAt;
  private long firstAt;
  private volatile Runnable onFirst = () -> {};

  Outbox(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  void onFirst(Runnable wake) {
    onFirst = wake;
  }

  /** Has what is to be done next looked at again. */
  void wake() {
    onFirst.run();
  }

  /** Adds one, on the thread of a decision; returns false when there is no place for it. */
  boolean add(Denial denial, long now) {
    boolean wakes;
    synchronized (this) {
      if (waiting.size() >= MOST) {
        return false;
      }
      waiting.add(denial);
      wakes = waiting.size() == 1 || waiting.size() == BATCH;
      firstAt = waiting.size() == 1 ? now : firstAt;
    }
    if (wakes) {
      onFirst.run();
    }
    return true;
  }

  /** Gives up a batch that has no answer; returns how many rows it had. */
  synchronized int givesUp(long now) {
    if (sent == null || now - sentAt < timeoutNanos) {
      return 0;
    }
    int rows = sent.size();
    sent = null;
    return rows;
  }

  synchronized boolean due(long now) {
    return sent == null && !waiting.isEmpty() && now >= nextFlush();
  }

  private long nextFlush() {
    return waiting.size() >= BATCH ? firstAt : firstAt + FLUSH_NANOS;
  }

  /** Takes out a batch, which is on its way now. */
  synchronized List<Denial> begin(long now) {
    List<Denial> first = waiting.subList(0, Math.min(BATCH, waiting.size()));
    List<Denial> batch = List.copyOf(first);
    first.clear();
    sent = batch;
    sentAt = now;
    return batch;
  }

  /** Ends the way of a batch; returns whether it was not given up before. */
  synchronized boolean ends(List<Denial> batch) {
    boolean inTime = batch.equals(sent);
    sent = inTime ? null : sent;
    return inTime;
  }

  /** Returns when the last batch was sent. */
  synchronized long sentAt() {
    return sentAt;
  }

  /** Returns when there is something to do next. */
  synchronized long next() {
    if (sent != null) {
      return sentAt + timeoutNanos;
    }
    return waiting.isEmpty() ? Ticker.NEVER : nextFlush();
  }
}
