package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GatewayFleet;
import io.penstock.fake.HaProxy;
import io.penstock.fake.RedisServer;
import io.penstock.fake.RepeatingClients;
import io.penstock.fake.RollingDeployment;
import io.penstock.fake.RollingLoad;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Measures what clients notice of updates under load, with the chart's pauses. */
@Isolated("measures")
class RollingFigures {
  private static final int INSTANCES = 2;

  /** Number of times that each instance is replaced. */
  private static final int ROUNDS = Integer.getInteger("penstock.rolling.rounds", 3);

  /** The chart's {@code minReadySeconds}. */
  private static final Duration READY = Duration.ofSeconds(5);

  private static final Duration ANSWERS = Duration.ofSeconds(60);
  private static final long CELL_NANOS = RollingLoad.WINDOW_SECONDS * 1_000_000_000L;

  @TempDir private Path directory;

  private final FigureTable figureTable = new FigureTable();

  /** Replaces all instances several times. */
  private void replace(String name, HaProxy.Manner manner, boolean noneMayFail) throws Exception {
    RollingDeployment.Shape shape =
        new RollingDeployment.Shape(HaProxy.program(), INSTANCES, manner);
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        RollingDeployment deployment =
            new RollingDeployment(
                shape,
                directory,
                load.routes(),
                "--penstock.redis.url=" + redis.url(),
                "--penstock.drain-pause=" + RollingDeployment.drainPause().toMillis());
        RepeatingClients repeatingClients = new RepeatingClients(deployment.port())) {
      load.begin(repeatingClients);
      List<RollingDeployment.Replaced> all = new ArrayList<>();
      for (int i = 0; i < ROUNDS * INSTANCES; i++) {
        deployment.pause(READY);
        all.add(deployment.replaceOldest(RollingDeployment.preStop()));
      }
      repeatingClients.finish(ANSWERS);
      add(name, repeatingClients.asked(), noneMayFail);
      figureTable.add(
          "  all ended by themselves, 0",
          all.stream().allMatch(each -> each.exit() == 0),
          all.stream().map(RollingDeployment.Replaced::exit).toList().toString());
      figureTable.add("  until the new one is sent to", true, of(all, each -> each.startSeconds()));
      figureTable.add("  from SIGTERM to its end", true, of(all, each -> each.drainSeconds()));
      addWindow(deployment);
      System.out.println(figureTable);
      assertThat(figureTable.toString()).doesNotContain("NOT MET");
    }
  }

  private void add(String name, List<RepeatingClients.Asked> asked, boolean noneMayFail) {
    List<RepeatingClients.Asked> failed = asked.stream().filter(each -> !each.good()).toList();
    long streams = asked.stream().filter(each -> each.kind().equals(RollingLoad.STREAM)).count();
    Map<Integer, Long> statuses =
        failed.stream()
            .collect(Collectors.groupingBy(RepeatingClients.Asked::status, Collectors.counting()));
    figureTable.add(
        name + (noneMayFail ? ": none may fail" : ""),
        failed.isEmpty() || !noneMayFail,
        "%,d requests, %d failed %s".formatted(asked.size(), failed.size(), statuses));
    failed.stream().limit(5).forEach(System.out::println);
    long broken = failed.stream().filter(each -> each.kind().equals(RollingLoad.STREAM)).count();
    figureTable.add(
        "  streams", broken == 0 || !noneMayFail, "%,d, %d broken".formatted(streams, broken));
    for (String kind : List.of(RollingLoad.SLOT, RollingLoad.WINDOW)) {
      long longest =
          asked.stream()
              .filter(each -> each.kind().equals(kind))
              .mapToLong(each -> each.endedMillis() - each.sentMillis())
              .max()
              .orElse(0);
      figureTable.add("  longest answer, " + kind, true, "%,d ms".formatted(longest));
    }
  }

  private void addWindow(RollingDeployment deployment) throws Exception {
    Map<Long, Long> cells =
        GatewayFleet.cells(deployment.released(RollingLoad.WINDOW_PATH), CELL_NANOS);
    long most = cells.values().stream().mapToLong(Long::longValue).max().orElse(0);
    double mean = cells.values().stream().mapToLong(Long::longValue).average().orElse(0);
    figureTable.add(
        "  window of 10,000 tokens, shared exactly: over 0",
        most <= RollingLoad.WINDOW_TOKENS,
        "most %,d, mean %,.0f of %d windows".formatted(most, mean, cells.size()));
  }

  private static String of(
      List<RollingDeployment.Replaced> all, ToDoubleFunction<RollingDeployment.Replaced> seconds) {
    DoubleSummaryStatistics figure = all.stream().mapToDouble(seconds).summaryStatistics();
    return "mean %.1f s, longest %.1f s".formatted(figure.getAverage(), figure.getMax());
  }

  @Test
  @Timeout(1200)
  void replacedBehindABalancerOfRequests_nobodyFails() throws Exception {
    replace("HAProxy, by request", HaProxy.Manner.REQUESTS, true);
  }

  /** Like a Kubernetes Service: connections stay where they are. */
  @Test
  @Timeout(1200)
  void replacedBehindABalancerOfConnections_isMeasured() throws Exception {
    replace("HAProxy, by connection", HaProxy.Manner.CONNECTIONS, false);
  }

  @Test
  @Timeout(600)
  void killed_onlyWhatWasInsideFails() throws Exception {
    RollingDeployment.Shape shape =
        new RollingDeployment.Shape(HaProxy.program(), INSTANCES, HaProxy.Manner.SINGLE_REQUESTS);
    try (RedisServer redis = RedisServer.started();
        RollingLoad load = new RollingLoad();
        RollingDeployment deployment =
            new RollingDeployment(
                shape, directory, load.routes(), "--penstock.redis.url=" + redis.url());
        RepeatingClients repeatingClients = new RepeatingClients(deployment.port())) {
      load.begin(repeatingClients);
      deployment.pause(Duration.ofSeconds(15));
      deployment.killOldest();
      long killed = repeatingClients.unixMillis();
      deployment.pause(Duration.ofSeconds(15));
      repeatingClients.finish(ANSWERS);
      add("killed with -9", repeatingClients.asked(), false);
      long cell = Math.floorDiv(killed * 1_000_000, CELL_NANOS);
      Map<Long, Long> cells =
          GatewayFleet.cells(deployment.released(RollingLoad.WINDOW_PATH), CELL_NANOS);
      List<Long> around = new ArrayList<>();
      for (long at = cell - 2; at <= cell + 5; at++) {
        around.add(cells.getOrDefault(at, 0L));
      }
      figureTable.add("  windows, the third one that of the end", true, around.toString());
      addWindow(deployment);
      System.out.println(figureTable);
      assertThat(figureTable.toString()).doesNotContain("NOT MET");
    }
  }
}
