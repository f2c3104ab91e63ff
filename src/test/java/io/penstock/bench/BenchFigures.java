package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.QueueOrder;
import io.penstock.simulator.SimulatorSpeed;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Measures what is promised of speed, memory and real time: {@code mvn verify -Pbench} on an
 * otherwise idle machine. Where two results of one run are compared, only their ratio counts.
 */
@Isolated("measures")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BenchFigures {
  private static final Path MADE = Path.of("target", "bench");
  private static final FigureTable FIGURES = new FigureTable();

  private final List<String> unmet = new ArrayList<>();

  @BeforeAll
  static void make() throws IOException {
    Files.createDirectories(MADE);
  }

  @AfterAll
  static void print() {
    System.out.println("\n" + FIGURES);
  }

  private void check(String asked, boolean met, String measured) {
    FIGURES.add(asked, met, measured);
    if (!met) {
      unmet.add(asked + ", measured: " + measured);
    }
  }

  /** Checks the results after a whole test was measured and is in the table. */
  @AfterEach
  void assertMet() {
    assertThat(unmet).isEmpty();
  }

  private static double score(Map<String, Double> scores, String name) {
    return Objects.requireNonNull(scores.get(name), () -> name + " in " + scores.keySet());
  }

  @Test
  void decision_onPackedWindow_costsNoMoreThanThreeCompareAndSets() throws Exception {
    Map<String, Double> scores = new JmhRuns(MADE.resolve("decision")).run(DecisionBenchmark.class);
    double bare = score(scores, "compareAndSet");
    double admit = score(scores, "admit");
    double bytes = score(scores, "admit:gc.alloc.rate.norm");
    check(
        "decision on a packed window: at most 3 × a bare compare-and-set",
        admit <= 3 * bare,
        "%.1f × (%.1f ns beside %.1f ns)".formatted(admit / bare, admit, bare));
    check("decision on a packed window: 0 bytes", bytes < 0.01, "%.0f bytes".formatted(bytes));
    double trailing = score(scores, "admitTrailing:gc.alloc.rate.norm");
    check(
        "decision on a trailing window: at most 1,024 bytes",
        trailing <= 1_024,
        "%.0f bytes, %.0f ns".formatted(trailing, score(scores, "admitTrailing")));
    double bucket4j = score(scores, "bucket4j");
    double guava = score(scores, "guava");
    double resilience4j = score(scores, "resilience4j");
    check(
        "decision on a packed window: less than Bucket4j, Guava and resilience4j take",
        admit < Math.min(bucket4j, Math.min(guava, resilience4j)),
        "%.1f ns beside %.1f, %.1f, %.1f".formatted(admit, bucket4j, guava, resilience4j));
  }

  @Test
  void requestAndAnswer_areReadForLessThanTreesOfThem() throws Exception {
    Map<String, Double> scores = new JmhRuns(MADE.resolve("reading")).run(ReadingBenchmark.class);
    for (String what : List.of("weigh", "usage")) {
      double own = score(scores, what);
      double tree = score(scores, what + "OfTree");
      check(
          what + " of 1 KiB: at most what a parsed tree takes",
          own <= tree,
          "%.2f × (%,.0f ns beside %,.0f)".formatted(own / tree, own, tree));
      double bytes = score(scores, what + ":gc.alloc.rate.norm");
      double treeBytes = score(scores, what + "OfTree:gc.alloc.rate.norm");
      check(
          what + " of 1 KiB: allocates at most what a parsed tree takes",
          bytes <= treeBytes,
          "%,.0f bytes beside %,.0f".formatted(bytes, treeBytes));
    }
  }

  @Test
  void parkAndRelease_ofManyFlows_isFastHoweverManyAreIdle() throws Exception {
    Map<String, Double> scores = new JmhRuns(MADE.resolve("parking")).run(ParkingBenchmark.class);
    for (QueueOrder order : ParkingBenchmark.ORDERS) {
      double busy = score(scores, "parkAndRelease 0 " + order);
      double idle = score(scores, "parkAndRelease 1000000 " + order);
      check(
          "park and release, 5,000 flows wait, " + order + ": at least 500,000 a second",
          busy >= 500_000,
          "%,.0f".formatted(busy));
      check(
          "the same with 1,000,000 more flows idle, " + order + ": at least 0.9 of that",
          idle >= 0.9 * busy,
          "%.2f (%,.0f)".formatted(idle / busy, idle));
    }
  }

  @Test
  void parkedTicket_oneOfMany_isSmall() throws Exception {
    for (QueueOrder order : ParkingBenchmark.ORDERS) {
      Path log = MADE.resolve("heap.log");
      String message =
          ForkedJvm.run(
              ForkedJvm.CLASSES,
              log,
              60,
              "-XX:+UseSerialGC",
              ParkedHeap.class.getName(),
              order.name());
      long bytes = Long.parseLong(message.strip());
      check(
          "heap of a parked ticket, " + order + ": at most 512 bytes",
          bytes <= 512,
          "%d bytes".formatted(bytes));
    }
  }

  @Test
  void manyKeys_costLittle() throws Exception {
    KeyFigures keys = new KeyFigures(MADE);
    for (KeyFigures.Figure each : List.of(keys.lookUp(), keys.heap(), keys.start())) {
      check(each.asked(), each.met(), each.measured());
    }
  }

  @Test
  void simulator_everyInvariantOn_isFast() {
    double bare = queueOperationsPerSecond();
    double events = SimulatorSpeed.eventsPerSecond(200);
    check(
        "simulator: at least 200,000 events a second",
        events >= 200_000,
        "%,.0f; a bare ConcurrentLinkedQueue %,.0f offers and polls: 1 in %.0f"
            .formatted(events, bare, bare / events));
  }

  private static double queueOperationsPerSecond() {
    ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    int many = 20_000_000;
    long polled = 0;
    Ticker clock = Ticker.system();
    for (int at = 0; at < many; at++) {
      queue.offer(queue);
      polled += queue.poll() == null ? 0 : 1;
    }
    assertThat(polled).isEqualTo(many);
    return many * 1e9 / clock.nanos();
  }

  @Test
  void strict_onTheRealClock_keepsRateAndGaps() throws Exception {
    int perSecond = 100;
    int releases = 60 * perSecond + 1;
    List<Cost> costs = Collections.nCopies(releases, Cost.NO_TOKENS);
    LimitSpec strict = new LimitSpec.Strict(new ExactRate(perSecond, 1), 0);
    SaturatedReleases log = SaturatedReleases.of(LimitAlgorithm.STRICT, strict, costs, releases);
    double error = Math.abs(log.perSecond() / perSecond - 1);
    check(
        "strict, 100 a second for 60 s: rate off by less than 0.5 %",
        error < 0.005, "%.4f %%".formatted(100 * error));
    double gapMillis = log.shortGapNanos() / 1e6;
    check(
        "strict, 100 a second for 60 s: p1 of the gaps at least 8 ms",
        gapMillis >= 8,
        "%.2f ms".formatted(gapMillis));
  }

  @Test
  void slidingWindow_onTheRealClock_isNeverOverrun() throws Exception {
    int capacity = 50;
    int windows = 10;
    int releases = capacity * windows;
    List<Cost> costs = Collections.nCopies(releases, Cost.NO_TOKENS);
    LimitSpec window = new LimitSpec.SlidingWindow(capacity, BenchCore.SECOND);
    SaturatedReleases log =
        SaturatedReleases.of(LimitAlgorithm.SLIDING_WINDOW, window, costs, releases);
    int most = log.mostIn(BenchCore.SECOND);
    check(
        "sliding_window of 50 a second, 10 windows: never more in any trailing second",
        most <= capacity,
        "%d at most".formatted(most));
  }

  @Test
  void tokenWindow_saturated_isFilled() throws Exception {
    long capacity = 50 * RequestSizes.LARGEST_TOKENS;
    int windows = 12;
    int releases = (int) (windows * capacity / 1_200);
    List<Cost> costs = RequestSizes.sizes(releases + 2_000, new SplittableRandom(1));
    LimitSpec window = new LimitSpec.FixedWindow(capacity, BenchCore.SECOND);
    SaturatedReleases log =
        SaturatedReleases.of(LimitAlgorithm.TOKEN_WINDOW, window, costs, releases);
    long[] tokens = log.tokensByWindow(BenchCore.SECOND);
    double least = 100.0 * Arrays.stream(tokens).min().orElse(0) / capacity;
    double most = 100.0 * Arrays.stream(tokens).max().orElse(0) / capacity;
    check(
        "token_window of 50 × the largest cost, saturated: at least 98 % of each window used",
        tokens.length >= 10 && least >= 98 && most <= 100,
        "%.2f to %.2f %% of %d windows".formatted(least, most, tokens.length));
  }
}
