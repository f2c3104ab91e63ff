package io.penstock.sync;

import org.junit.jupiter.api.Timeout;

/** Three instances, of which each does every third call: what is shared is as of one. */
@Timeout(240)
class ThreeCoordinationsContractTest extends RedisCoordinationContractIT {
  @Override
  int size() {
    return 3;
  }
}
