package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GatewayFleet;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.TrailingChecker;
import io.penstock.key.KeySecrets;
import io.penstock.suite.TaggedTests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests gateways in processes of their own that share limits through a real Redis. */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class ManyInstancesIT {
  private static final long SECOND = 1_000_000_000L;
  private static final int TOKENS = 10_000;
  private static final int REQUESTS = 300;
  private static final Duration MINUTE = Duration.ofSeconds(10);
  private static final int CELL_SECONDS = 2;

  @TempDir private Path directory;

  private static String routes(String limited, String unlimited) {
    return """
    keys:
      - {name: limited, sha256: %s, rpm: %d, on_limit: wait}
      - {name: unlimited, sha256: %s}
    endpoints:
      - {path: /window, algorithm: token_window, tokens_per_window: %d, window_seconds: %d}
      - {path: /keyed, algorithm: none}
    """
        .formatted(
            KeySecrets.sha256(limited),
            REQUESTS,
            KeySecrets.sha256(unlimited),
            TOKENS,
            CELL_SECONDS);
  }

  @Test
  void threeGatewaysSaturated_spendOneLimitTogether() throws Exception {
    String limited = KeySecrets.make();
    String unlimited = KeySecrets.make();
    try (RedisServer redis = RedisServer.started();
        GatewayFleet fleet =
            new GatewayFleet(
                directory,
                3,
                routes(limited, unlimited),
                MINUTE,
                "--penstock.redis.url=" + redis.url())) {
      fleet.ask(new int[] {30, 5, 5}, "/window?tokens=%d", unlimited, 10, 400);
      fleet.ask(new int[] {10, 10, 10}, "/keyed", limited, 1, 1);
      PatientWaits.await()
          .until(
              () ->
                  GatewayFleet.cells(fleet.released("/window"), CELL_SECONDS * SECOND).size() > 12);
      fleet.stop();
      List<GatewayFleet.Released> window = fleet.released("/window");
      Map<Long, Long> cells = GatewayFleet.cells(window, CELL_SECONDS * SECOND);
      List<GatewayFleet.Released> keyed = fleet.released("/keyed");
      TrailingChecker key = GatewayFleet.trailing(keyed, REQUESTS, MINUTE.toNanos(), true);
      assertThat(cells.values()).allMatch(sum -> sum <= TOKENS);
      assertThat(key.most()).isLessThanOrEqualTo(REQUESTS);
      // each got some of it, and together they got most: -Pbench measures how much
      assertThat(window.stream().map(GatewayFleet.Released::instance)).contains(0, 1, 2);
      assertThat(keyed.stream().map(GatewayFleet.Released::instance)).contains(0, 1, 2);
      assertThat(cells.values().stream().mapToLong(Long::longValue).sum())
          .isGreaterThan(cells.size() * TOKENS / 2);
      assertThat(fleet.answers()).containsOnlyKeys(200);
    }
  }
}
