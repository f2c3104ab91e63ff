package io.penstock.quota;

/** Stands in a line and counts how often it was woken. */
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
