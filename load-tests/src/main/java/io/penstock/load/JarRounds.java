package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Two gateways that run side by side, and rounds in which each thing is measured of one and at once
 * of the other; who is first alternates from round to round.
 */
final class JarRounds {
  private static final Duration DIRECT = Duration.ofSeconds(3);
  private static final Duration DECISION = Duration.ofSeconds(3);

  /** What takes a while around each stretch: starting the load, and collecting garbage. */
  private static final Duration START = Duration.ofSeconds(15);

  private final MeasuredGateway first;
  private final MeasuredGateway second;
  private final OpenLoop direct;
  private final Plan plan;
  private final PairedValues values;
  private final List<Latencies> without = new ArrayList<>();

  /**
   * How much is measured.
   *
   * @param pairs that are measured
   * @param saturated how long a stretch is in which as much is sent as passes
   * @param steady how long a stretch at the fixed rate is
   * @param warmup of each gateway, at most
   */
  record Plan(int pairs, Duration saturated, Duration steady, Duration warmup) {
    /** Returns about how long it takes to measure two gateways. */
    Duration length() {
      Duration closed = saturated.multipliedBy(2).plus(DECISION).plusSeconds(2);
      Duration side = closed.plus(steady).plusSeconds(1).plusSeconds(8);
      Duration pair = side.multipliedBy(2).plus(DIRECT).plusSeconds(1);
      return START.plus(warmup).multipliedBy(2).plus(pair.multipliedBy(pairs + 1L));
    }
  }

  /**
   * What was measured of both.
   *
   * @param directMedianMillis p50 of the upstream without a gateway, median over the rounds
   * @param directTailMillis p99 of the same
   */
  record Outcome(PairedValues values, double directMedianMillis, double directTailMillis) {
    /** Returns what the gateways' times contain that is not theirs. */
    String direct() {
      return "Without a gateway the upstream answers with a p50 of %.3f ms and a p99 of %.3f ms.\n"
          .formatted(directMedianMillis, directTailMillis);
    }
  }

  private JarRounds(MeasuredGateway first, MeasuredGateway second, int upstream, Plan plan) {
    this.first = first;
    this.second = second;
    this.plan = plan;
    this.values = new PairedValues(first.name(), second.name());
    this.direct =
        OpenLoop.to(new Peer(Cast.DIRECT, upstream, Cast.PATH, "", Double.NaN, head -> true));
  }

  /**
   * Starts a gateway of each jar, measures both, and stops them.
   *
   * @param jars by the names of the gateways; two
   */
  static Outcome of(Map<String, Path> jars, Path made, Settings settings, Plan plan)
      throws IOException, InterruptedException {
    List<String> names = List.copyOf(new LinkedHashMap<>(jars).keySet());
    Path one = Objects.requireNonNull(jars.get(names.getFirst()));
    Path other = Objects.requireNonNull(jars.get(names.getLast()));
    try (Stage stage = new Stage(made, one)) {
      int upstream = stage.upstream("upstream");
      try (MeasuredGateway first =
              new MeasuredGateway(names.getFirst(), made, one, upstream, settings);
          MeasuredGateway second =
              new MeasuredGateway(names.getLast(), made, other, upstream, settings)) {
        return new JarRounds(first, second, upstream, plan).run();
      }
    }
  }

  private Outcome run() throws IOException, InterruptedException {
    for (MeasuredGateway each : List.of(first, second)) {
      Warmup.until(plan.warmup(), each::requests);
    }
    // a whole round that does not count, since all of it is cold once
    new JarRounds(this).round(0);
    for (int round = 0; round < plan.pairs(); round++) {
      round(round);
    }
    return new Outcome(values, directMillis(50), directMillis(99));
  }

  private JarRounds(JarRounds other) {
    this.first = other.first;
    this.second = other.second;
    this.direct = other.direct;
    this.plan = other.plan;
    this.values = new PairedValues(first.name(), second.name());
  }

  private double directMillis(double percentile) {
    return Statistics.median(without.stream().mapToDouble(each -> each.whole(percentile)).toArray())
        / 1e3;
  }

  private void round(int round) throws IOException, InterruptedException {
    pair(round, JarMeasure.REQUESTS, side -> side.requests(plan.saturated()));
    longRequests(round);
    without.add(direct.run(MeasuredGateway.PER_SECOND, Duration.ofSeconds(1), DIRECT));
    steady(round);
    pair(round, JarMeasure.DECISIONS, side -> side.decisions(DECISION));
    pair(round, JarMeasure.PARKED_HEAP, MeasuredGateway::parkedHeap);
    pair(round, JarMeasure.RELEASES, MeasuredGateway::releases);
  }

  /** Something that is measured of a gateway. */
  private interface Measurement<T> {
    T of(MeasuredGateway gateway) throws IOException, InterruptedException;
  }

  private void pair(int round, JarMeasure measure, Measurement<Double> measurement)
      throws IOException, InterruptedException {
    List<Double> both = inTurn(round, measurement);
    values.add(measure, both.getFirst(), both.getLast());
  }

  private void longRequests(int round) throws IOException, InterruptedException {
    List<MeasuredGateway.LongRequests> both =
        inTurn(round, side -> side.longRequests(plan.saturated()));
    MeasuredGateway.LongRequests one = both.getFirst();
    MeasuredGateway.LongRequests other = both.getLast();
    values.add(JarMeasure.LONG_REQUESTS, one.requests(), other.requests());
    values.add(JarMeasure.LONG_CPU, one.cpuMillis(), other.cpuMillis());
  }

  private void steady(int round) throws IOException, InterruptedException {
    List<MeasuredGateway.Steady> both = inTurn(round, side -> side.steady(plan.steady()));
    MeasuredGateway.Steady one = both.getFirst();
    MeasuredGateway.Steady other = both.getLast();
    values.add(
        JarMeasure.MEDIAN, one.latencies().whole(50) / 1e3, other.latencies().whole(50) / 1e3);
    values.add(JarMeasure.TAIL, one.latencies().whole(99) / 1e3, other.latencies().whole(99) / 1e3);
    values.add(JarMeasure.ALLOCATED, one.allocatedBytes(), other.allocatedBytes());
  }

  /** Returns what was measured of the first and of the second, whoever went first. */
  private <T> List<T> inTurn(int round, Measurement<T> measurement)
      throws IOException, InterruptedException {
    List<T> measured = new ArrayList<>();
    List<MeasuredGateway> turns = Turns.of(List.of(first, second), round);
    for (MeasuredGateway each : turns) {
      measured.add(measurement.of(each));
    }
    return turns.getFirst() == first ? measured : measured.reversed();
  }
}
