package io.penstock.redis;

import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import io.penstock.redis.shares.RedisShareStoreIT;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * Repeats the tests of sharing with the Redis that is installed on this machine. Its version
 * differs from the one that comes with the tests, and words its errors differently.
 */
class InstalledRedisIT {
  private static @Nullable RedisServer shared;

  @BeforeAll
  static void start() {
    shared = started();
  }

  @AfterAll
  static void close() {
    if (shared != null) {
      shared.close();
    }
  }

  private static RedisServer started() {
    return RedisProgram.REDIS.started();
  }

  private static RedisServer shared() {
    if (shared == null) {
      throw new IllegalStateException("there is no server to share");
    }
    return shared;
  }

  @Nested
  class Shares extends RedisShareStoreIT {
    @Override
    public RedisServer server() {
      return InstalledRedisIT.started();
    }
  }
}
