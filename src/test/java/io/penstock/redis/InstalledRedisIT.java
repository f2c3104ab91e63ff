package io.penstock.redis;

import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import io.penstock.redis.shares.RedisShareStoreIT;

/**
 * Repeats the tests of sharing with the Redis that is installed on this machine. Its version
 * differs from the one that comes with the tests, and words its errors differently.
 */
class InstalledRedisIT extends RedisShareStoreIT {
  @Override
  public RedisServer server() {
    return RedisProgram.REDIS.started();
  }
}
