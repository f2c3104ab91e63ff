package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code soak}: minutes of 70 % of the highest steady rate that both can answer, Penstock and
 * Spring Cloud Gateway in turn; what Penstock then has of memory after each minute, whether anybody
 * waits or anything is held, and how its slowest answers compare with those of the other one.
 */
final class Soak implements Scenario {
  private static final double SHARE = 0.7;
  private static final int MINUTES = 10;
  private static final int TURNS = 3;
  private static final Duration TURN = Duration.ofSeconds(10);
  private static final int CONNECTIONS = 32;
  private static final int SAMPLES = 3;
  private static final Duration SAMPLE = Duration.ofSeconds(5);

  /** In which connections are made. */
  private static final Duration LEAD = Duration.ofSeconds(1);

  /** Rates that are tried take about so long, each with the wait for its last answers. */
  private static final Duration SEARCH = Duration.ofMinutes(2);

  private static final Duration START = Duration.ofMinutes(5);
  private static final double FLAT = 1.1;
  private static final double GOAL = 1.2;

  /** A minute of both, and what there was of Penstock after it. */
  private record Minute(Latencies ours, Latencies theirs, double heap, long waiting, long held) {
    double ratio() {
      return ours.whole(99) / theirs.whole(99);
    }
  }

  @Override
  public String name() {
    return "soak";
  }

  @Override
  public Duration longest(Settings settings) {
    Duration samples = SAMPLE.multipliedBy(SAMPLES).plus(SEARCH);
    Duration warm = settings.warmup(Warmup.MOST_SECONDS).plus(samples);
    Duration minutes = Duration.ofSeconds(90).multipliedBy(settings.minutes(MINUTES));
    return warm.multipliedBy(2).plus(minutes).plus(START);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    Load load = settings.load("own", made, settings.connections(CONNECTIONS));
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream");
      Gateway gateway = stage.penstock(Penstock.NAME, Penstock.unlimited(upstream), List.of());
      int bare = stage.bareGateway("gateway", upstream);
      String path = "/load" + Cast.PATH;
      Peer ours = new Peer(Penstock.NAME, gateway.port(), path, "", Double.NaN, head -> true);
      Peer theirs = new Peer(Cast.BARE, bare, Cast.PATH, "", Double.NaN, head -> true);
      int most = Integer.MAX_VALUE;
      for (Peer peer : List.of(ours, theirs)) {
        most = Math.min(most, most(load, peer, settings));
      }
      int perSecond = Math.max(1, (int) (SHARE * most));
      List<Minute> minutes = new ArrayList<>();
      for (int at = 0; at < settings.minutes(MINUTES); at++) {
        minutes.add(minute(gateway, OpenLoop.to(ours), OpenLoop.to(theirs), perSecond, at));
      }
      return report(minutes, perSecond);
    }
  }

  /** Warms a peer up, and finds the most it answers at a steady rate. */
  private static int most(Load load, Peer peer, Settings settings)
      throws IOException, InterruptedException {
    Duration most = settings.warmup(Warmup.MOST_SECONDS);
    Warmup.until(most, length -> load.measure(peer, length).requests());
    double closed = 1;
    for (int sample = 0; sample < SAMPLES; sample++) {
      closed = Math.max(closed, load.measure(peer, SAMPLE).requests());
    }
    OpenLoop loop = OpenLoop.to(peer);
    return Sustained.most((int) closed, (perSecond, length) -> loop.run(perSecond, LEAD, length));
  }

  private static Minute minute(
      Gateway gateway, OpenLoop ours, OpenLoop theirs, int perSecond, int at)
      throws IOException, InterruptedException {
    Latencies us = Latencies.none();
    Latencies them = Latencies.none();
    for (int turn = 0; turn < TURNS; turn++) {
      for (OpenLoop loop : Turns.of(List.of(ours, theirs), at + turn)) {
        Latencies told = loop.run(perSecond, Duration.ZERO, TURN);
        us = loop == ours ? us.plus(told) : us;
        them = loop == ours ? them : them.plus(told);
      }
    }
    new Jvm(gateway).collect();
    Operator operator = gateway.operator();
    double heap = operator.metric("jvm_memory_used_bytes", "area=\"heap\"");
    return new Minute(us, them, heap, operator.waiting(), operator.held());
  }

  private Report report(List<Minute> minutes, int perSecond) {
    String line = "%-8s %10s %10s %10s %14s %10s %8s %8s %8s%n";
    StringBuilder table =
        new StringBuilder(
            line.formatted(
                "minute",
                "answers",
                "p99 ms",
                "SCG's",
                "Penstock ÷ it",
                "heap MiB",
                "parked",
                "held",
                "failed"));
    List<Map<String, Object>> details = new ArrayList<>();
    long failures = 0;
    for (Minute each : minutes) {
      failures += each.ours().failures() + each.theirs().failures();
      table.append(
          line.formatted(
              details.size() + 1,
              "%,d".formatted(each.ours().answers()),
              "%.2f".formatted(each.ours().whole(99) / 1e3),
              "%.2f".formatted(each.theirs().whole(99) / 1e3),
              "%.2f".formatted(each.ratio()),
              "%.1f".formatted(each.heap() / (1 << 20)),
              each.waiting(),
              each.held(),
              each.ours().failures()));
      Map<String, Object> told = new LinkedHashMap<>();
      told.put("penstock", each.ours().details());
      told.put("scg", each.theirs().details());
      told.put("heap_bytes", each.heap());
      told.put("parked", each.waiting());
      told.put("held", each.held());
      details.add(told);
    }
    String title =
        "%s: %d minutes of %,d requests/s (%.0f %% of what both can answer), in turns of %d s; %s"
            .formatted(
                name(),
                minutes.size(),
                perSecond,
                100 * SHARE,
                TURN.toSeconds(),
                Machine.described());
    return new Report(
        title, table.toString(), figures(minutes), Map.of("minutes", details), failures == 0);
  }

  private static List<Figure> figures(List<Minute> minutes) {
    Minute first = minutes.getFirst();
    List<Minute> later = minutes.size() == 1 ? minutes : minutes.subList(1, minutes.size());
    double ratio = Statistics.median(later.stream().mapToDouble(Minute::ratio).toArray());
    double worst = later.stream().mapToDouble(Minute::ratio).max().orElse(Double.NaN);
    double heap = Statistics.median(later.stream().mapToDouble(Minute::heap).toArray());
    double last = minutes.getLast().heap();
    long waiting = minutes.stream().mapToLong(Minute::waiting).max().orElse(0);
    long held = minutes.stream().mapToLong(Minute::held).max().orElse(0);
    String minute = "its first minute";
    return List.of(
        Figure.atMost(
            "soak: p99 ÷ SCG's, median of later minutes",
            minute,
            GOAL,
            ratio / first.ratio(),
            "%.2f: %.2f ÷ %.2f; worst minute %.2f"
                .formatted(ratio / first.ratio(), ratio, first.ratio(), worst / first.ratio())),
        Figure.atMost(
            "soak: heap after collection, last minute",
            minute,
            FLAT,
            last / first.heap(),
            "%.2f: %.1f ÷ %.1f MiB, median %.1f"
                .formatted(
                    last / first.heap(),
                    last / (1 << 20),
                    first.heap() / (1 << 20),
                    heap / (1 << 20))),
        Figure.that(
            "soak: parked and held when load pauses",
            "0 and 0",
            waiting == 0 && held == 0,
            "%d and %d at most".formatted(waiting, held)));
  }
}
