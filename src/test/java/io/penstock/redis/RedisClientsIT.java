package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;

/** Tests how Redis clients end. */
class RedisClientsIT {
  @Test
  void callbackAfterShutdown_runs() throws Exception {
    try (RedisServer redis = RedisServer.started()) {
      RedisAddress address = RedisAddress.parse(redis.url(), null, null);
      Redisson client = RedisClients.open(address, null, 2_000, () -> {}, () -> {});
      client.shutdown();
      Future<String> late = client.getServiceManager().getExecutor().submit(() -> "done");
      assertThat(PatientWaits.get(late)).isEqualTo("done");
    }
  }
}
