package io.penstock.endpoint;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what is in flight at an endpoint that may be removed: requests on their way through the
 * gateway, and tickets that are not settled. The endpoint can be removed only while the count is
 * zero, and nothing enters it after that; one atomic counter decides both. Safe from any thread.
 */
final class InFlight {
  private static final int GONE = Integer.MIN_VALUE;

  private final Runnable host;
  private final boolean counted;

  @SharedState("dynamic endpoints")
  private final AtomicInteger inside = new AtomicInteger();

  @SharedState("dynamic endpoints")
  private final AtomicBoolean watched = new AtomicBoolean();

  private volatile long emptySinceNanos;
  private volatile boolean closing;

  private InFlight(boolean counted, Runnable host, long now) {
    this.counted = counted;
    this.host = host;
    this.emptySinceNanos = now;
  }

  /** Returns the counter of an endpoint that is never removed: it counts nothing. */
  static InFlight uncounted() {
    return new InFlight(false, () -> {}, 0);
  }

  /**
   * Returns a counter at zero.
   *
   * @param host called when the count returns to zero, unless the host watches the endpoint
   *     already; see {@link #watchOn}
   */
  static InFlight counted(Runnable host, long now) {
    return new InFlight(true, host, now);
  }

  /** Counts a request in; returns false when the endpoint was removed. */
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

  /** Counts in a ticket that belongs to a request already counted. */
  void bring() {
    if (counted) {
      inside.incrementAndGet();
    }
  }

  /** Counts a request or ticket out. */
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

  /** Returns the instant since which the count is zero, if it is. */
  long emptySinceNanos() {
    return emptySinceNanos;
  }

  /** Makes each return of the count to zero call the host. */
  void closing() {
    closing = true;
  }

  /** Ends the watch if something is in flight. Returns whether it goes on, because nothing is. */
  boolean watchOn() {
    watched.set(false);
    return empty() && watched.compareAndSet(false, true);
  }

  /** Marks the endpoint as removed; false when something is in flight, or it was marked before. */
  boolean giveUp() {
    return counted && inside.compareAndSet(0, GONE);
  }

  /** Takes back the mark that it was removed. */
  void reopen() {
    inside.compareAndSet(GONE, 0);
  }
}
