package io.penstock.quota;

class MemoryDenialsTest extends DenialsContract {
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected Denials denials() {
    return new MemoryDenials(() -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }
}
