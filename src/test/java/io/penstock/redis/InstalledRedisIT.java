package io.penstock.redis;

import io.penstock.counts.RedisCountStoreIT;
import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import io.penstock.redis.shares.RedisShareStoreIT;
import io.penstock.slices.RedisSliceStoreContractIT;
import io.penstock.slices.RedisSliceStoreIT;
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

  private static RedisServer started(String... settings) {
    return RedisProgram.REDIS.started(settings);
  }

  private static RedisServer shared() {
    if (shared == null) {
      throw new IllegalStateException("there is no server to share");
    }
    return shared;
  }

  @Nested
  class Lives extends RedisLifeIT {
    @Override
    RedisServer started(String... settings) {
      return InstalledRedisIT.started(settings);
    }
  }

  @Nested
  class Slices extends RedisSliceStoreIT {
    @Override
    public RedisServer server() {
      return InstalledRedisIT.started();
    }
  }

  @Nested
  class Shares extends RedisShareStoreIT {
    @Override
    public RedisServer server() {
      return InstalledRedisIT.started();
    }
  }

  @Nested
  class Contract extends RedisSliceStoreContractIT {
    @Override
    public RedisServer server() {
      return InstalledRedisIT.shared();
    }
  }

  @Nested
  class CountsOfOthers extends RedisCountStoreIT {
    @Override
    public RedisServer server() {
      return InstalledRedisIT.shared();
    }
  }
}
