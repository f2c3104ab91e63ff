package io.penstock.redis.coordination;

import org.junit.jupiter.api.Timeout;

/**
 * Runs the contract with three instances that take turns with the calls: together they must behave
 * like one.
 */
@Timeout(240)
class ThreeCoordinationsContractTest extends RedisCoordinationContractIT {
  @Override
  int size() {
    return 3;
  }
}
