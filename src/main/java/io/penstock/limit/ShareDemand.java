package io.penstock.limit;

import io.penstock.tenant.SharedState;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Demand for a larger share of a limit: its waiters, and the largest amount that one of them waits
 * for. Safe from any thread. Belongs to one limit for as long as that is shared.
 */
public final class ShareDemand {
  /** A waiter, which may stand for many tickets. */
  @FunctionalInterface
  public interface Waiter {
    /** Makes the waiter check again whether there is enough. */
    void wake();
  }

  @SharedState("lanes")
  private final AtomicLong most = new AtomicLong();

  /** The largest amount that was recorded from the last wake-up but one to the last one. */
  private volatile long recordedBefore;

  /** The largest amount that was recorded since the waiters were woken last. */
  @SharedState("lanes")
  private final AtomicLong recorded = new AtomicLong();

  @SharedState("lanes")
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet(1);

  private final Runnable onShortage;

  /**
   * Creates a demand without waiters.
   *
   * @param onShortage run when the share no longer suffices, on the thread that finds that
   */
  public ShareDemand(Runnable onShortage) {
    this.onShortage = onShortage;
  }

  /** Adds a waiter, which is woken, on any thread, each time there may be enough again. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Undoes {@link #join} of an equal waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns the largest amount that is waited for; 0 when nothing is. */
  public long most() {
    return most.get();
  }

  /** Wakes all waiters. Those that still lack something record it again. */
  public void wake() {
    recorded.set(0);
    recordedBefore = 0;
    most.set(0);
    waiters.forEach(Waiter::wake);
  }

  /**
   * Wakes all waiters although there is not enough. A lack that was not recorded again since the
   * last call but one is waited for no more: those that recorded it may have given up.
   */
  public void wakeAfterDenial() {
    long lately = recorded.getAndSet(0);
    most.set(Math.max(lately, recordedBefore));
    recordedBefore = lately;
    waiters.forEach(Waiter::wake);
  }

  /** Lets the store be told at once of what has just changed. */
  void hurry() {
    onShortage.run();
  }

  /** Records that an amount is lacking. */
  void recordLack(long amount) {
    recorded.accumulateAndGet(amount, Math::max);
    if (most.getAndAccumulate(amount, Math::max) == 0) {
      onShortage.run();
    }
  }
}
