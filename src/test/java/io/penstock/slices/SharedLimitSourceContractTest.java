package io.penstock.slices;

import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LimitSourceContract;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.OutagePolicy;
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
          new SliceSync(
              "alone",
              new MemorySliceStore(() -> 0, SliceWorld.TTL, "life"),
              () -> 0,
              never,
              SliceWorld.PACE,
              OutagePolicy.PARK,
              () -> 0.5),
          id -> true);

  @Override
  protected LimitSource source() {
    return source;
  }
}
