package io.penstock.sync;

import io.penstock.quota.LimitSource;
import io.penstock.quota.LimitSourceContract;
import io.penstock.quota.MemorySupply;
import io.penstock.time.StepAlarm;

class SharedLimitSourceContractTest extends LimitSourceContract {
  private final StepAlarm never =
      new StepAlarm() {
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
              OnOutage.PARK,
              () -> 0.5),
          id -> true);

  @Override
  protected LimitSource source() {
    return source;
  }
}
