package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * {@code 06-redis-away}: requests at a steady rate to limits that are shared through Redis, which
 * is killed while they run, and comes back: of Penstock exactly and eventually, beside Spring Cloud
 * Gateway's own limiter.
 */
final class RedisAway implements Scenario {
  private static final int PER_SECOND = 100;
  private static final String EXACT = Penstock.NAME + ", exact";
  private static final String EVENTUAL = Penstock.NAME + ", eventual";
  private static final String OTHER = "SCG + Redis limiter";
  private static final Duration START = Duration.ofMinutes(6);
  private static final Duration KILL_AFTER = Duration.ofSeconds(1);

  /** What Redis does meanwhile. */
  private enum Phase {
    HERE,
    AWAY,
    BACK
  }

  @Override
  public String name() {
    return "06-redis-away";
  }

  private static Duration stretch(Settings settings) {
    return settings.stretch(15);
  }

  @Override
  public Duration longest(Settings settings) {
    return stretch(settings).plusSeconds(40).multipliedBy(3).plus(START);
  }

  private static String routes(int upstream) {
    String endpoint =
        "  - path: /%1$s\n"
            + "    dialect: openai\n"
            + "    sharing: %1$s\n"
            + "    upstreams: [{id: %1$s, sharing: %1$s, settle: usage, tpm_limit: 900000000, url:"
            + " \"http://127.0.0.1:%2$d\"}]\n";
    return "endpoints:\n"
        + endpoint.formatted("exact", upstream)
        + endpoint.formatted("eventual", upstream);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    Map<Phase, Map<String, Latencies>> phases = new LinkedHashMap<>();
    try (Stage stage = new Stage(made, settings.jar())) {
      int port = Machine.freePort();
      Child redis = stage.redis(port);
      int upstream = stage.upstream("upstream");
      Gateway gateway =
          stage.penstock(
              Penstock.NAME,
              routes(upstream),
              List.of(),
              "--penstock.redis.url=redis://127.0.0.1:" + port,
              "--penstock.redis.on-outage=continue");
      Map<String, OpenLoop> loops = new LinkedHashMap<>();
      loops.put(EXACT, loop(gateway.port(), "/exact" + Cast.PATH));
      loops.put(EVENTUAL, loop(gateway.port(), "/eventual" + Cast.PATH));
      loops.put(OTHER, loop(stage.limitedGateway("gateway-redis", upstream, port), Cast.PATH));
      all(loops, settings.warmup(15), () -> null);
      phases.put(Phase.HERE, all(loops, stretch(settings), () -> null));
      phases.put(Phase.AWAY, all(loops, stretch(settings), () -> killed(redis)));
      stage.redis(port);
      // what is asked is how it is once it is healed, not how soon
      all(loops, Duration.ofSeconds(8), () -> null);
      phases.put(Phase.BACK, all(loops, stretch(settings), () -> null));
    }
    return report(settings, phases);
  }

  private static OpenLoop loop(int port, String path) {
    return OpenLoop.to(new Peer("load", port, path, "", Double.NaN, headers -> true));
  }

  private static Object killed(Child redis) throws IOException, InterruptedException {
    TimeUnit.NANOSECONDS.sleep(KILL_AFTER.toNanos());
    redis.kill();
    return redis;
  }

  /** Sends to all at once, while something else is done. */
  private static Map<String, Latencies> all(
      Map<String, OpenLoop> loops, Duration length, Callable<?> meanwhile)
      throws IOException, InterruptedException {
    try (ExecutorService each = Executors.newCachedThreadPool()) {
      Map<String, Future<Latencies>> running = new LinkedHashMap<>();
      loops.forEach(
          (name, loop) ->
              running.put(name, each.submit(() -> loop.run(PER_SECOND, Duration.ZERO, length))));
      Future<?> done = each.submit(meanwhile);
      Map<String, Latencies> ended = new LinkedHashMap<>();
      for (Map.Entry<String, Future<Latencies>> entry : running.entrySet()) {
        ended.put(entry.getKey(), entry.getValue().get());
      }
      done.get();
      return ended;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
  }

  private Report report(Settings settings, Map<Phase, Map<String, Latencies>> phases) {
    String line = "%-8s %-22s %10s %8s %10s %10s %10s%n";
    StringBuilder table =
        new StringBuilder(
            line.formatted("Redis", "", "answers", "failed", "p50 ms", "p99 ms", "max ms"));
    List<Figure> figures = new ArrayList<>();
    Map<String, Object> details = new LinkedHashMap<>();
    phases.forEach(
        (phase, all) -> {
          Map<String, Object> told = new LinkedHashMap<>();
          all.forEach(
              (name, each) -> {
                told.put(name, each.details());
                table.append(
                    line.formatted(
                        phase,
                        name,
                        "%,d".formatted(each.answers()),
                        "%,d".formatted(each.failures()),
                        "%.2f".formatted(each.whole(50) / 1e3),
                        "%.2f".formatted(each.whole(99) / 1e3),
                        "%.2f".formatted(each.whole(100) / 1e3)));
              });
          details.put(phase.name(), told);
        });
    boolean good = true;
    for (String name : List.of(EXACT, EVENTUAL, OTHER)) {
      Latencies all =
          phases.values().stream()
              .map(each -> Objects.requireNonNull(each.get(name)))
              .reduce(Latencies.none(), Latencies::plus);
      String what = "failures while Redis is killed: " + name;
      String measured = "%,d %s".formatted(all.failures(), all.reasons());
      if (name.equals(OTHER)) {
        figures.add(Figure.told(what, "–", measured));
      } else {
        good &= all.failures() == 0;
        figures.add(Figure.that(what, "0", all.failures() == 0, measured));
      }
    }
    String title =
        "%s: %d requests/s to each for %d s; %s"
            .formatted(name(), PER_SECOND, stretch(settings).toSeconds(), Machine.described());
    return new Report(title, table.toString(), figures, details, good);
  }
}
