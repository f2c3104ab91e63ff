package io.penstock.region;

import io.penstock.sharing.DenialStore.Denial;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bounded buffer of denials to be published, in batches; at most one batch is under way at a time.
 * Thread-safe.
 */
final class DenialOutbox {
  /** Maximum number of rows in a batch. */
  static final int BATCH = 100;

  /** How long an incomplete batch waits for more rows. */
  static final long FLUSH_NANOS = 1_000_000_000L;

  /** Maximum number of waiting rows; more are dropped. */
  static final int MOST = 10_000;

  private final long timeoutNanos;
  private final List<Denial> waiting = new ArrayList<>();
  private @Nullable List<Denial> sent;
  private long sentAt;
  private long firstAt;
  private volatile Runnable onFirst = () -> {};

  DenialOutbox(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  void onFirst(Runnable wake) {
    onFirst = wake;
  }

  /** Runs the callback, which checks what is to be done next. */
  void wake() {
    onFirst.run();
  }

  /** Adds a denial, on the thread of the denied request; returns false when the buffer is full. */
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

  /** Gives up a batch without an answer in time; returns its number of rows, or 0. */
  synchronized int dropOverdue(long now) {
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

  /** Removes a batch from the buffer and marks it as under way. */
  synchronized List<Denial> begin(long now) {
    List<Denial> first = waiting.subList(0, Math.min(BATCH, waiting.size()));
    List<Denial> batch = List.copyOf(first);
    first.clear();
    sent = batch;
    sentAt = now;
    return batch;
  }

  /** Ends a batch; returns whether it was still awaited, which a batch that was given up is not. */
  synchronized boolean ends(List<Denial> batch) {
    boolean inTime = batch.equals(sent);
    sent = inTime ? null : sent;
    return inTime;
  }

  /** Returns when the last batch was sent. */
  synchronized long sentAt() {
    return sentAt;
  }

  /** Returns the next instant at which there is something to do. */
  synchronized long next() {
    if (sent != null) {
      return sentAt + timeoutNanos;
    }
    return waiting.isEmpty() ? Ticker.NEVER : nextFlush();
  }
}
