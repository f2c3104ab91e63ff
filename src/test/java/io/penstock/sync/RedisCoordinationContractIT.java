package io.penstock.sync;

import io.penstock.coordination.Bounds;
import io.penstock.coordination.Coordination;
import io.penstock.coordination.CoordinationContract;
import io.penstock.fake.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Runs the contract with one instance, where each call answers all turns it affects. */
@Timeout(240)
class RedisCoordinationContractIT extends CoordinationContract {
  private final Crew crew = new Crew(RedisServer.shared(), size(), Bounds.DEFAULT);
  private final Coordination together = crew.together();

  /** Returns the number of instances. */
  int size() {
    return 1;
  }

  @AfterEach
  void close() {
    crew.close();
  }

  @Override
  protected Coordination coordination() {
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
