package io.penstock.sync;

import io.penstock.queue.Ticket;
import io.penstock.quota.Line;
import io.penstock.quota.Quota;
import org.jspecify.annotations.Nullable;

/** Waits in a queue without a ticket. */
record Onlooker(Runnable woken) implements Line.Waiter {
  @Override
  public long headOrder() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean holds() {
    return false;
  }

  @Override
  public boolean precedes(Ticket gone) {
    return false;
  }

  @Override
  public boolean unskippable(Ticket gone) {
    return false;
  }

  @Override
  public void skip(Ticket gone) {}

  @Override
  public @Nullable Quota claim(Ticket gone, long now) {
    return null;
  }

  @Override
  public boolean waits(Ticket ticket) {
    return false;
  }

  @Override
  public void wake() {
    woken.run();
  }
}
