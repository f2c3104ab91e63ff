package io.penstock.quota;

import io.penstock.queue.Ticket;
import org.jspecify.annotations.Nullable;

/** Waiter without tickets: all tickets may overtake it, and it is woken like other waiters. */
public abstract class WaitObserver implements WaitList.Waiter {
  @Override
  public long headOrder() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean keepsCharges() {
    return false;
  }

  @Override
  public boolean precedes(Ticket released) {
    return false;
  }

  @Override
  public boolean unskippable(Ticket released) {
    return false;
  }

  @Override
  public void skip(Ticket released) {}

  @Override
  public @Nullable Quota claim(Ticket released, long now) {
    return null;
  }

  @Override
  public boolean hasWaiting(Ticket ticket) {
    return false;
  }
}
