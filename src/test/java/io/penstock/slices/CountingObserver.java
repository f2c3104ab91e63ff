package io.penstock.slices;

import io.penstock.queue.Ticket;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitList;
import org.jspecify.annotations.Nullable;

/** Waits in a queue without a ticket. */
record CountingObserver(Runnable woken) implements WaitList.Waiter {
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

  @Override
  public void wake() {
    woken.run();
  }
}
