package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GatewayFleet;
import io.penstock.fake.HaProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RepeatingClients;
import io.penstock.fake.RollingDeployment;
import io.penstock.fake.RollingLoad;
import io.penstock.suite.TaggedTests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what clients notice when instances that share limits are replaced, or killed, under load.
 */
@Order(2) // takes long
@Tag(TaggedTests.FULL)
class RollingUpdateIT {
  private static final int INSTANCES = 2;
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final long CELL_NANOS = RollingLoad.WINDOW_SECONDS * 1_000_000_000L;

  @TempDir private Path directory;

  private RollingDeployment deployment(RollingLoad load, RedisServer redis, HaProxy.Manner manner)
      throws Exception {
    RollingDeployment.Shape shape =
        new RollingDeployment.Shape(HaProxy.program(), INSTANCES, manner);
    return new RollingDeployment(
        shape, directory, load.routes(), "--penstock.redis.url=" + redis.url());
  }

  private static Map<Long, Long> cells(RollingDeployment rollingDeployment) throws Exception {
    return GatewayFleet.cells(rollingDeployment.released(RollingLoad.WINDOW_PATH), CELL_NANOS);
  }

  private static List<RepeatingClients.Asked> failed(RepeatingClients repeatingClients) {
    return repeatingClients.asked().stream().filter(each -> !each.good()).toList();
  }

  private static HaProxy.Sent sent(RollingDeployment rollingDeployment, String id) {
    PatientWaits.await(id).pollDelay(Duration.ZERO).until(() -> rollingDeployment.sent(id) != null);
    return Objects.requireNonNull(rollingDeployment.sent(id));
  }

  /** Returns the requests that were inside an instance when it was told to stop. */
  private static Set<String> inside(
      RollingDeployment rollingDeployment,
      RepeatingClients repeatingClients,
      RollingDeployment.Replaced replaced) {
    return repeatingClients.asked().stream()
        .filter(each -> each.sentMillis() < replaced.toldMillis())
        .filter(each -> each.endedMillis() > replaced.toldMillis())
        .filter(each -> sent(rollingDeployment, each.id()).server() == replaced.server())
        .map(RepeatingClients.Asked::kind)
        .collect(Collectors.toSet());
  }

  @Test
  void replacedOneByOne_everyRequestIsAnswered() throws Exception {
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        RollingDeployment rollingDeployment = deployment(load, redis, HaProxy.Manner.REQUESTS);
        RepeatingClients repeatingClients = new RepeatingClients(rollingDeployment.port())) {
      load.begin(repeatingClients);
      List<RollingDeployment.Replaced> all = new ArrayList<>();
      for (int i = 0; i < INSTANCES; i++) {
        all.add(rollingDeployment.replaceOldest(PAUSE));
      }
      repeatingClients.finish(PatientWaits.LONGEST);
      assertThat(failed(repeatingClients)).isEmpty();
      for (RollingDeployment.Replaced each : all) {
        assertThat(each.exit()).as("log: %s", each.log()).isZero();
        assertThat(each.log())
            .anyMatch(line -> line.contains("all requests have ended"))
            .noneMatch(line -> line.contains("Exception"));
        assertThat(inside(rollingDeployment, repeatingClients, each))
            .contains(RollingLoad.STREAM, RollingLoad.SLOT, RollingLoad.WINDOW);
      }
      assertThat(cells(rollingDeployment).values())
          .isNotEmpty()
          .allMatch(sum -> sum <= RollingLoad.WINDOW_TOKENS);
    }
  }

  @Test
  void killed_losesWhatWasInside_andOthersGetItsShareOfTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        RollingDeployment rollingDeployment =
            deployment(load, redis, HaProxy.Manner.SINGLE_REQUESTS);
        RepeatingClients repeatingClients = new RepeatingClients(rollingDeployment.port())) {
      load.begin(repeatingClients);
      PatientWaits.await().until(() -> cells(rollingDeployment).size() > 3);
      long before = repeatingClients.unixMillis();
      int killed = rollingDeployment.killOldest();
      long after = repeatingClients.unixMillis();
      long cell = Math.floorDiv(after * 1_000_000, CELL_NANOS);
      PatientWaits.await()
          .until(
              () -> fullest(cells(rollingDeployment), cell + 1) >= 0.9 * RollingLoad.WINDOW_TOKENS);
      repeatingClients.finish(PatientWaits.LONGEST);
      assertThat(failed(repeatingClients))
          .isNotEmpty()
          .allSatisfy(
              each -> {
                assertThat(sent(rollingDeployment, each.id()).server()).isEqualTo(killed);
                assertThat(each.sentMillis()).isLessThanOrEqualTo(after);
                assertThat(each.endedMillis()).isGreaterThanOrEqualTo(before);
              });
      assertThat(cells(rollingDeployment).values())
          .allMatch(sum -> sum <= RollingLoad.WINDOW_TOKENS);
    }
  }

  private static long fullest(Map<Long, Long> cells, long from) {
    return cells.entrySet().stream()
        .filter(each -> each.getKey() >= from)
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElse(0);
  }
}
