package io.penstock.quota;

/** Waiter that counts how often it was woken. */
public class WokenWaiters extends WaitObserver {
  public int times;

  @Override
  public long headOrder() {
    return 0;
  }

  @Override
  public void wake() {
    times++;
  }
}
