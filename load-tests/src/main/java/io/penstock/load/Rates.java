package io.penstock.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Rounds in which some are sent requests at the same steady rate, one after the other. */
final class Rates {
  /** What is cold at the beginning of each stretch, such as connections, does not count. */
  private static final Duration LEAD = Duration.ofSeconds(1);

  private final Map<String, List<Latencies>> rounds = new LinkedHashMap<>();

  /**
   * How it is measured.
   *
   * @param perSecond requests
   * @param warmup for how long each is sent them before
   * @param stretch how long each turn is
   */
  record Plan(int perSecond, Duration warmup, Duration stretch, int rounds) {
    /** Returns how long it takes so many. */
    Duration length(int many) {
      Duration turn = stretch.plus(LEAD).plusSeconds(1);
      return warmup.plus(turn.multipliedBy(rounds)).multipliedBy(many);
    }
  }

  private Rates() {}

  /** Measures all by their names. */
  static Rates of(Map<String, OpenLoop> all, Plan plan) throws IOException, InterruptedException {
    Rates rates = new Rates();
    for (OpenLoop each : all.values()) {
      each.run(plan.perSecond(), Duration.ZERO, plan.warmup());
    }
    all.keySet().forEach(name -> rates.rounds.put(name, new ArrayList<>()));
    for (int round = 0; round < plan.rounds(); round++) {
      for (String name : Turns.of(List.copyOf(all.keySet()), round)) {
        OpenLoop loop = Objects.requireNonNull(all.get(name));
        rates.of(name).add(loop.run(plan.perSecond(), LEAD, plan.stretch()));
      }
    }
    return rates;
  }

  private List<Latencies> of(String name) {
    return Objects.requireNonNull(rounds.get(name), name);
  }

  /** Returns a value of each round. */
  double[] values(String name, ToDoubleFunction<Latencies> value) {
    return of(name).stream().mapToDouble(value).toArray();
  }

  /** Returns what Penstock and the other add to direct. */
  Added added(String other, ToDoubleFunction<Latencies> value) {
    return Added.of(values(Cast.DIRECT, value), values(Penstock.NAME, value), values(other, value));
  }

  /** Returns all rounds of one together. */
  Latencies all(String name) {
    return of(name).stream().reduce(Latencies.none(), Latencies::plus);
  }

  /** Returns how many failed of all. */
  long failures() {
    return rounds.keySet().stream().mapToLong(name -> all(name).failures()).sum();
  }

  /** Returns a line for each. */
  String table() {
    String line = "%-22s %10s %8s %14s %14s %14s %14s%n";
    StringBuilder text = new StringBuilder();
    text.append(
        line.formatted(
            "", "answers", "failed", "first p50 ms", "first p99 ms", "whole p50 ms", "p99 ms"));
    for (String name : rounds.keySet()) {
      Latencies all = all(name);
      text.append(
          line.formatted(
              name,
              all.answers(),
              all.failures(),
              millis(name, each -> each.first(50)),
              millis(name, each -> each.first(99)),
              millis(name, each -> each.whole(50)),
              millis(name, each -> each.whole(99))));
    }
    return text.append("Times are medians over the rounds, from when a request was due.\n")
        .toString();
  }

  private String millis(String name, ToDoubleFunction<Latencies> value) {
    return "%.3f".formatted(Statistics.median(values(name, value)) / 1e3);
  }

  /** Returns every round, for JSON. */
  Map<String, Object> details() {
    Map<String, Object> all = new LinkedHashMap<>();
    rounds.forEach((name, each) -> all.put(name, each.stream().map(Latencies::details).toList()));
    return all;
  }
}
