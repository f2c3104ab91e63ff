package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Clients;
import io.penstock.fake.Deployment;
import io.penstock.fake.Fleet;
import io.penstock.fake.HaProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RollingLoad;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what clients notice when instances that share limits are replaced, or killed, under load.
 */
@Order(2) // takes long
@Timeout(240)
class RollingUpdateIT {
  private static final int INSTANCES = 2;
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration ANSWERS = Duration.ofSeconds(60);
  private static final long CELL_NANOS = RollingLoad.WINDOW_SECONDS * 1_000_000_000L;

  @TempDir private Path directory;

  private Deployment deployment(RollingLoad load, RedisServer redis, HaProxy.Manner manner)
      throws Exception {
    Deployment.Shape shape = new Deployment.Shape(HaProxy.program(), INSTANCES, manner);
    return new Deployment(shape, directory, load.routes(), "--penstock.redis.url=" + redis.url());
  }

  private static Map<Long, Long> cells(Deployment deployment) throws Exception {
    return Fleet.cells(deployment.released(RollingLoad.WINDOW_PATH), CELL_NANOS);
  }

  private static List<Clients.Asked> failed(Clients clients) {
    return clients.asked().stream().filter(each -> !each.good()).toList();
  }

  private static HaProxy.Sent sent(Deployment deployment, String id) {
    PatientWaits.await(id).pollDelay(Duration.ZERO).until(() -> deployment.sent(id) != null);
    return Objects.requireNonNull(deployment.sent(id));
  }

  /** Returns the requests that were inside an instance when it was told to stop. */
  private static Set<String> inside(
      Deployment deployment, Clients clients, Deployment.Replaced replaced) {
    return clients.asked().stream()
        .filter(each -> each.sentMillis() < replaced.toldMillis())
        .filter(each -> each.endedMillis() > replaced.toldMillis())
        .filter(each -> sent(deployment, each.id()).server() == replaced.server())
        .map(Clients.Asked::kind)
        .collect(Collectors.toSet());
  }

  @Test
  void replacedOneByOne_everyRequestIsAnswered() throws Exception {
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        Deployment deployment = deployment(load, redis, HaProxy.Manner.REQUESTS);
        Clients clients = new Clients(deployment.port())) {
      load.begin(clients);
      List<Deployment.Replaced> all = new ArrayList<>();
      for (int i = 0; i < INSTANCES; i++) {
        all.add(deployment.replaceOldest(PAUSE));
      }
      clients.finish(ANSWERS);
      assertThat(failed(clients)).isEmpty();
      for (Deployment.Replaced each : all) {
        assertThat(each.exit()).as("log: %s", each.log()).isZero();
        assertThat(each.log())
            .anyMatch(line -> line.contains("everybody has left"))
            .noneMatch(line -> line.contains("Exception"));
        assertThat(inside(deployment, clients, each))
            .contains(RollingLoad.STREAM, RollingLoad.SLOT, RollingLoad.WINDOW);
      }
      assertThat(cells(deployment).values())
          .isNotEmpty()
          .allMatch(sum -> sum <= RollingLoad.WINDOW_TOKENS);
    }
  }

  @Test
  void killed_losesWhatWasInside_andOthersGetItsShareOfTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        Deployment deployment = deployment(load, redis, HaProxy.Manner.SINGLE_REQUESTS);
        Clients clients = new Clients(deployment.port())) {
      load.begin(clients);
      PatientWaits.await().atMost(ANSWERS).until(() -> cells(deployment).size() > 3);
      long before = clients.unixMillis();
      int killed = deployment.killOldest();
      long after = clients.unixMillis();
      long cell = Math.floorDiv(after * 1_000_000, CELL_NANOS);
      PatientWaits.await()
          .atMost(ANSWERS)
          .until(() -> fullest(cells(deployment), cell + 1) >= 0.9 * RollingLoad.WINDOW_TOKENS);
      clients.finish(ANSWERS);
      assertThat(failed(clients))
          .isNotEmpty()
          .allSatisfy(
              each -> {
                assertThat(sent(deployment, each.id()).server()).isEqualTo(killed);
                assertThat(each.sentMillis()).isLessThanOrEqualTo(after);
                assertThat(each.endedMillis()).isGreaterThanOrEqualTo(before);
              });
      assertThat(cells(deployment).values()).allMatch(sum -> sum <= RollingLoad.WINDOW_TOKENS);
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
