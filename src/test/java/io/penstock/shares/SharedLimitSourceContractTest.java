package io.penstock.shares;

import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LimitSourceContract;

class SharedLimitSourceContractTest extends LimitSourceContract {
  private final LoneSharer sharer = new LoneSharer(id -> true);

  @Override
  protected LimitSource source() {
    return sharer.source;
  }
}
