package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 01-overhead}: nothing limits; how many requests a second pass through Penstock, beside
 * others in front of the same upstream, and what it adds to the time an answer takes. Stretches of
 * all take turns, so that what else the machine does meets all alike, and every ratio is of two
 * stretches of one turn.
 */
final class Overhead implements Scenario {
  /** How many there can be to measure. */
  private static final int PEERS = 10;

  /** How long all together may take to start. */
  private static final Duration START = Duration.ofMinutes(15);

  private static final int PER_SECOND = 500;
  private static final int CONNECTIONS = 32;

  private final String name;
  private final boolean quick;

  private Overhead(String name, boolean quick) {
    this.name = name;
    this.quick = quick;
  }

  /** Makes the whole one. */
  static Overhead whole() {
    return new Overhead("01-overhead", false);
  }

  /**
   * Makes one that takes less than a minute: Penstock and Spring Cloud Gateway alone, and not how
   * long answers take.
   */
  static Overhead quick() {
    return new Overhead("short", true);
  }

  @Override
  public String name() {
    return name;
  }

  private int rounds(Settings settings) {
    return settings.rounds(quick ? 5 : 7);
  }

  private Duration stretch(Settings settings) {
    return settings.stretch(quick ? 1 : 5);
  }

  private Duration warmup(Settings settings) {
    return settings.warmup(quick ? 12 : Warmup.MOST_SECONDS);
  }

  private Rates.Plan plan(Settings settings) {
    Duration stretch = stretch(settings).multipliedBy(2);
    return new Rates.Plan(PER_SECOND, Duration.ofSeconds(5), stretch, rounds(settings));
  }

  @Override
  public Duration longest(Settings settings) {
    Duration round = stretch(settings).plusSeconds(2);
    Duration closed = warmup(settings).plus(round.multipliedBy(rounds(settings)));
    return closed.multipliedBy(PEERS).plus(plan(settings).length(3)).plus(START);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name);
    int connections = settings.connections(CONNECTIONS);
    Load load = settings.load(Settings.loadBy(), made, connections);
    try (Cast cast = new Cast(made, settings.jar())) {
      if (quick) {
        cast.startTwo();
      } else {
        cast.startAll();
      }
      Comparison comparison = compare(cast, load, settings);
      String title =
          "%s: %d connections, %d rounds of %d s each, load by %s; %s"
              .formatted(
                  name,
                  connections,
                  rounds(settings),
                  stretch(settings).toSeconds(),
                  load.program(),
                  Machine.described());
      List<Figure> figures = comparison.figures();
      Map<String, Object> details = comparison.details();
      if (quick) {
        return new Report(title, comparison.table(), figures, details, comparison.good());
      }
      Rates rates = rates(cast, plan(settings));
      figures.addAll(latencies(rates));
      details.put("latencies", rates.details());
      String table =
          comparison.table() + "\nat %d requests/s%n".formatted(PER_SECOND) + rates.table();
      return new Report(title, table, figures, details, comparison.good() && rates.failures() == 0);
    }
  }

  private Comparison compare(Cast cast, Load load, Settings settings)
      throws IOException, InterruptedException {
    List<Peer> peers =
        cast.peers().stream().filter(peer -> !quick || !peer.name().equals(Cast.DIRECT)).toList();
    Comparison comparison = new Comparison(peers, cast.missing());
    for (Peer peer : peers) {
      Warmup.until(warmup(settings), length -> load.measure(peer, length).requests());
    }
    for (int round = 0; round < rounds(settings); round++) {
      for (Peer peer : Turns.of(peers, round)) {
        comparison.add(peer, load.measure(peer, stretch(settings)));
      }
    }
    return comparison;
  }

  private static Rates rates(Cast cast, Rates.Plan plan) throws IOException, InterruptedException {
    Map<String, OpenLoop> loops = new LinkedHashMap<>();
    for (Peer peer : cast.peers()) {
      if (List.of(Cast.DIRECT, Penstock.NAME, Cast.BARE).contains(peer.name())) {
        loops.put(peer.name(), OpenLoop.to(peer));
      }
    }
    if (loops.size() < 3) {
      throw new IOException("not all of direct, Penstock and SCG run: " + cast.missing());
    }
    return Rates.of(loops, plan);
  }

  private static List<Figure> latencies(Rates rates) {
    Added half = rates.added(Cast.BARE, each -> each.whole(50));
    Added most = rates.added(Cast.BARE, each -> each.whole(99));
    String against = "what " + Cast.BARE + " adds";
    return List.of(
        Figure.atMost("added p50 at 500 requests/s", against, 1.1, half.ratio(), half.inMillis()),
        Figure.atMost("added p99 at 500 requests/s", against, 1.3, most.ratio(), most.inMillis()));
  }
}
