package io.penstock.quota;

/** Waiter that counts how often it was woken. */
class Woken extends Onlooker {
  int times;

  @Override
  public long headOrder() {
    return 0;
  }

  @Override
  public void wake() {
    times++;
  }
}
