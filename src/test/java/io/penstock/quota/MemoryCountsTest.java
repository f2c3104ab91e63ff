package io.penstock.quota;

class MemoryCountsTest extends CountsContract {
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected Counts counts() {
    return new MemoryCounts(() -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }
}
