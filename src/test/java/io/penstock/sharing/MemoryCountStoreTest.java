package io.penstock.sharing;

class MemoryCountStoreTest extends CountStoreContract {
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected CountStore counts() {
    return new MemoryCountStore(() -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }
}
