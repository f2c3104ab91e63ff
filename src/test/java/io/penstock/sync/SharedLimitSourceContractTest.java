package io.penstock.sync;

import io.penstock.quota.LimitSource;
import io.penstock.quota.LimitSourceContract;
import io.penstock.quota.MemorySupply;
import io.penstock.quota.Waits;

class SharedLimitSourceContractTest extends LimitSourceContract {
  private final Waits.Alarm never =
      new Waits.Alarm() {
        @Override
        public void soon(Runnable step) {}

        @Override
        public void at(long instantNanos, Runnable step) {}
      };

  private final SharedLimitSource source =
      new SharedLimitSource(
          new Rounds(
              "alone",
              new MemorySupply(() -> 0, World.TTL, "life"),
              () -> 0,
              never,
              World.PACE,
              () -> 0.5),
          id -> true);

  @Override
  protected LimitSource source() {
    return source;
  }
}
