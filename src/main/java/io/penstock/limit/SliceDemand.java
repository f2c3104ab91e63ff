package io.penstock.limit;

import io.penstock.tenant.SharedState;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Demand for slices of a shared limit: its waiters, and the least amount that is waited for. Safe
 * from any thread. Belongs to one limit for as long as that is shared.
 */
public final class SliceDemand {
  /** A waiter, which may stand for many tickets. */
  @FunctionalInterface
  public interface Waiter {
    /** Makes the waiter check again whether there is enough. */
    void wake();
  }

  @SharedState("lanes")
  private final AtomicLong least = new AtomicLong();

  @SharedState("lanes")
  private final AtomicLong most = new AtomicLong();

  private volatile boolean later;
  private volatile boolean recorded;

  @SharedState("lanes")
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet(1);

  private final Runnable onShortage;

  /**
   * Creates a demand without waiters.
   *
   * @param dry run when slices no longer suffice, on the thread that finds that
   */
  public SliceDemand(Runnable dry) {
    this.onShortage = dry;
  }

  /** Adds a waiter, which is woken, on any thread, each time there may be enough again. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Undoes {@link #join} of an equal waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns the least amount that is waited for; 0 when nothing is. */
  public long least() {
    return least.get();
  }

  /** Returns the largest amount that is waited for; 0 when nothing is. */
  public long most() {
    return most.get();
  }

  /**
   * Returns whether any waiter needs slices that begin later. Slices granted in the meantime may
   * begin sooner.
   */
  public boolean hasLater() {
    return later;
  }

  /** Wakes all waiters. Those that still lack something record it again. */
  public void wake() {
    least.set(0);
    most.set(0);
    later = false;
    waiters.forEach(Waiter::wake);
  }

  /**
   * Wakes all waiters although there is not enough. If none recorded a lack since the last call,
   * the demand is cleared first: those that recorded it may have given up.
   */
  public void wakeAfterDenial() {
    if (!recorded) {
      least.set(0);
      most.set(0);
    }
    recorded = false;
    waiters.forEach(Waiter::wake);
  }

  /**
   * Records that an amount is lacking.
   *
   * @param later whether slices that begin later suffice
   * @param denied whether it is known that no instance has it, so that there is nothing to hurry
   *     for
   */
  void recordLack(long amount, boolean later, boolean denied) {
    if (later) {
      this.later = true;
      return;
    }
    recorded = true;
    most.accumulateAndGet(amount, Math::max);
    long before = least.getAndUpdate(known -> known == 0 ? amount : Math.min(known, amount));
    if (before == 0 && !denied) {
      onShortage.run();
    }
  }
}
