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
  private final boolean counted;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile long emptySinceNanos;
  private volatile boolean closing;

  private Guests(boolean counted, Runnable host, long now) {
    this.counted = counted;
    this.host = host;
    this.emptySinceNanos = now;
  }

  /** Returns those of an endpoint that is never given up: nobody needs to know of them. */
  static Guests uncounted() {
    return new Guests(false, () -> {}, 0);
  }

  /**
   * Returns those of an endpoint that has none yet.
   *
   * @param host called when the last guest has left, unless it watches for that already
   */
  static Guests counted(Runnable host, long now) {
    return new Guests(true, host, now);
  }

  /** Lets a guest in; false when the endpoint was given up. */
  boolean enter() {
    if (!counted) {
      return true;
    }
    int before = inside.get();
    while (before >= 0 && !inside.compareAndSet(before, before + 1)) {
      before = inside.get();
    }
    return before >= 0;
  }

  /** Lets in one that is brought by a guest. */
  void bring() {
    if (counted) {
      inside.incrementAndGet();
    }
  }

  /** Sees a guest out. */
  void leave(long now) {
    if (!counted) {
      return;
    }
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
    return counted && inside.compareAndSet(0, GONE);
  }

  /** Takes back that it was given up. */
  void reopen() {
    inside.compareAndSet(GONE, 0);
  }
}
