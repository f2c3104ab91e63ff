package io.penstock.redis.coordination;

import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.CoordinationServiceContract;
import io.penstock.coordination.ObjectBounds;
import io.penstock.fake.RedisServer;
import org.junit.jupiter.api.AfterEach;

/** Runs the contract with one instance, where each call answers all turns it affects. */
class RedisCoordinationContractIT extends CoordinationServiceContract {
  private final RedisCrew crew = new RedisCrew(RedisServer.shared(), size(), ObjectBounds.DEFAULT);
  private final CoordinationService together = crew.together();

  /** Returns the number of instances. */
  int size() {
    return 1;
  }

  @AfterEach
  void close() {
    crew.close();
  }

  @Override
  protected CoordinationService coordination() {
    return together;
  }

  @Override
  protected void settle() {
    crew.settle();
  }

  @Override
  protected void pass(long nanos) {
    crew.pass(nanos);
  }
}
