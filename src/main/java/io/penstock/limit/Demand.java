package io.penstock.limit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who waits for slices of a shared limit, and for how much. Safe from any thread; made for one
 * limit, and there for as long as it is shared.
 */
public final class Demand {
  /** One who waits, or many. */
  @FunctionalInterface
  public interface Waiter {
    /** Has it looked again whether there is enough. */
    void wake();
  }

  private final AtomicLong least = new AtomicLong();
  private volatile boolean later;
  private volatile boolean said;
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet(1);
  private final Runnable dry;

  /**
   * Makes one that nobody waits at.
   *
   * @param dry told, on the thread that finds it, when slices do not suffice and did before
   */
  public Demand(Runnable dry) {
    this.dry = dry;
  }

  /** Has {@code waiter} woken, on any thread, each time there may be enough again. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Undoes {@link #join} of an equal waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns the least that is waited for, 0 when nobody waits. */
  public long least() {
    return least.get();
  }

  /**
   * Returns whether anybody waits for slices that begin later. What is granted meanwhile may begin
   * sooner.
   */
  public boolean hasLater() {
    return later;
  }

  /** Wakes all who wait: those who still lack something say so again. */
  public void wake() {
    least.set(0);
    later = false;
    waiters.forEach(Waiter::wake);
  }

  /** Has all look who wait, though there is not enough: who gave up since says so no more. */
  public void denied() {
    if (!said) {
      least.set(0);
    }
    said = false;
    waiters.forEach(Waiter::wake);
  }

  /**
   * Takes note of what is lacked.
   *
   * @param later whether slices suffice that begin later
   * @param denied whether it is known that nobody has it: that does not hurry anybody
   */
  void lacks(long amount, boolean later, boolean denied) {
    if (later) {
      this.later = true;
      return;
    }
    said = true;
    long before = least.getAndUpdate(known -> known == 0 ? amount : Math.min(known, amount));
    if (before == 0 && !denied) {
      dry.run();
    }
  }
}
