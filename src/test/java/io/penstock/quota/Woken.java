package io.penstock.quota;

import io.penstock.queue.Ticket;
import org.jspecify.annotations.Nullable;

/** Stands in a line and counts how often it was woken. */
final class Woken implements Line.Waiter {
  int times;

  @Override
  public long headOrder() {
    return 0;
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
  public void wake() {
    times++;
  }
}
