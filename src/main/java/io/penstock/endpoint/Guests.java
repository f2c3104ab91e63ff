package io.penstock.endpoint;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who is inside an endpoint that may be given up: requests on their way through the gateway, and
 * tickets that are not settled. It is given up only while nobody is, and entered by nobody after
 * that: one word decides both. Safe from any thread.
 */
final class Guests {
  private static final int GONE = Integer.MIN_VALUE;

  private final Runnable host;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile long emptySinceNanos;
  private volatile boolean closing;

  /**
   * Makes an empty one.
   *
   * @param host called when the last guest has left, unless it watches for that already
   */
  Guests(Runnable host, long now) {
    this.host = host;
    this.emptySinceNanos = now;
  }

  /** Lets a guest in; false when the endpoint was given up. */
  boolean enter() {
    int before = inside.get();
    while (before >= 0 && !inside.compareAndSet(before, before + 1)) {
      before = inside.get();
    }
    return before >= 0;
  }

  /** Lets in one that is brought by a guest. */
  void bring() {
    inside.incrementAndGet();
  }

  /** Sees a guest out. */
  void leave(long now) {
    emptySinceNanos = now;
    if (inside.decrementAndGet() == 0 && (closing || watched.compareAndSet(false, true))) {
      host.run();
    }
  }

  boolean empty() {
    return inside.get() == 0;
  }

  /** Returns since when nobody is inside, if nobody is. */
  long emptySinceNanos() {
    return emptySinceNanos;
  }

  /** Has the host called each time the last guest has left. */
  void closing() {
    closing = true;
  }

  /** Ends the watch while somebody is inside. Returns whether it goes on, because nobody is. */
  boolean watchOn() {
    watched.set(false);
    return empty() && watched.compareAndSet(false, true);
  }

  /** Gives the endpoint up; false when somebody is inside, or it was given up before. */
  boolean giveUp() {
    return inside.compareAndSet(0, GONE);
  }

  /** Takes back that it was given up. */
  void reopen() {
    inside.compareAndSet(GONE, 0);
  }
}
