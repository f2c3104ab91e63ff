package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code 01-overhead}: nothing limits; how many requests a second pass through Penstock, beside
 * others in front of the same upstream. Stretches of all take turns, so that what else the machine
 * does meets all alike, and every ratio is of two stretches of one turn.
 */
final class Overhead {
  /** How many there can be to measure. */
  private static final int PEERS = 10;

  /** How long all together may take to start. */
  private static final Duration START = Duration.ofMinutes(10);

  private final Load load;
  private final int rounds;
  private final Duration stretch;
  private final Duration warmup;

  private Overhead(Load load) {
    this.load = load;
    this.rounds = Integer.getInteger("rounds", 7);
    this.stretch = Duration.ofSeconds(Integer.getInteger("seconds", 5));
    this.warmup = Duration.ofSeconds(Integer.getInteger("warmup", 15));
  }

  /** Runs it with what system properties say; ends with 1 unless all that matters was measured. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path directory = Path.of(System.getProperty("directory", "target"));
    Path made = Files.createDirectories(directory.resolve("01-overhead")).toAbsolutePath();
    Path script = Path.of(System.getProperty("script", "src/main/wrk/post.lua")).toAbsolutePath();
    int connections = Integer.getInteger("connections", 32);
    Load load = Load.by(System.getProperty("load", "auto"), made, script, connections);
    Overhead overhead = new Overhead(load);
    boolean good;
    overhead.watch();
    try (Cast cast = new Cast(made)) {
      cast.startAll(Path.of(System.getProperty("penstock.jar", "../target/penstock.jar")));
      Comparison comparison = overhead.compare(cast);
      String title =
          "01-overhead: %d connections, %d rounds of %d s each, load by %s; %s"
              .formatted(
                  connections,
                  overhead.rounds,
                  overhead.stretch.toSeconds(),
                  load.program(),
                  Machine.described());
      System.out.println(comparison.table(title));
      Files.writeString(directory.resolve("01-overhead.json"), comparison.json(title));
      good = comparison.good();
    }
    System.exit(good ? 0 : 1);
  }

  /** Whatever hangs, hangs for so long and no longer; the children end with this process. */
  private void watch() {
    Thread.ofVirtual()
        .start(
            () -> {
              long end = System.nanoTime() + longest().toNanos();
              while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
              }
              Runtime.getRuntime().halt(3);
            });
  }

  private Duration longest() {
    Duration round = stretch.plusSeconds(2);
    return warmup.plus(round.multipliedBy(rounds)).multipliedBy(PEERS).plus(START);
  }

  private Comparison compare(Cast cast) throws IOException, InterruptedException {
    List<Peer> peers = cast.peers();
    Comparison comparison = new Comparison(peers, cast.missing());
    for (Peer peer : peers) {
      load.measure(peer, warmup);
    }
    for (int round = 0; round < rounds; round++) {
      for (Peer peer : turn(peers, round)) {
        comparison.add(peer, load.measure(peer, stretch));
      }
    }
    return comparison;
  }

  /** Returns all in an order that is another one each round: nobody is always after the same. */
  static <T> List<T> turn(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    Collections.rotate(turned, round);
    return round % 2 == 0 ? turned : turned.reversed();
  }
}
