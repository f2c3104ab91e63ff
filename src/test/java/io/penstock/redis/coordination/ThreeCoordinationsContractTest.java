package io.penstock.redis.coordination;

/**
 * Runs the contract with three instances that take turns with the calls: together they must behave
 * like one.
 */
class ThreeCoordinationsContractTest extends RedisCoordinationContractIT {
  @Override
  int size() {
    return 3;
  }
}
