package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * {@code 08-rolling}: two Penstocks that share limits through Redis, behind HAProxy, are stopped
 * and started again in turn, while plain requests and streams of seconds go through.
 */
final class Rolling implements Scenario {
  private static final int PLAIN_PER_SECOND = 100;
  private static final int STREAMS_PER_SECOND = 5;
  private static final int EVENTS = 30;
  private static final int EVENT_MILLIS = 100;
  private static final int ROUNDS = 2;
  private static final Duration PIECE = Duration.ofSeconds(5);

  /** How long all run before the next one is stopped, as the chart's {@code minReadySeconds}. */
  private static final Duration READY = Duration.ofSeconds(5);

  private static final Duration END = Duration.ofSeconds(90);
  private static final Duration LONGEST = Duration.ofMinutes(15);

  /** As long as the chart's: until a balancer has noticed. */
  private static final String PAUSE = "--penstock.drain-pause=5s";

  private static final String STREAM =
      Load.BODY.replace("\"max_tokens\":100", "\"stream\":true,\"max_tokens\":100");

  @Override
  public String name() {
    return "08-rolling";
  }

  @Override
  public Duration longest(Settings settings) {
    return LONGEST;
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    String haproxy = Stage.installed("haproxy").toString();
    try (Stage stage = new Stage(made, settings.jar())) {
      int redis = Machine.freePort();
      stage.redis(redis);
      int upstream = stage.upstream("upstream", "--events=" + EVENTS, "--event-ms=" + EVENT_MILLIS);
      Path routes = Files.writeString(made.resolve("r.yaml"), Penstock.unlimited(upstream));
      String[] shared = {"--penstock.redis.url=redis://127.0.0.1:" + redis, PAUSE};
      List<Gateway> gateways = new ArrayList<>();
      for (String name : List.of("first", "second")) {
        gateways.add(stage.penstock(name, routes, Machine.freePort(), List.of(), shared));
      }
      int port = Machine.freePort();
      int state = Machine.freePort();
      String configuration = HaProxy.configuration(port, state, gateways);
      Path file = Files.writeString(made.resolve("haproxy.cfg"), configuration);
      stage.start("haproxy", port, List.of(haproxy, "-db", "-f", file.toString()));
      AtomicBoolean over = new AtomicBoolean();
      try (ExecutorService clients = Executors.newCachedThreadPool()) {
        Future<Latencies> plain =
            clients.submit(() -> until(over, loop(port, Load.BODY, 0), PLAIN_PER_SECOND));
        Future<Latencies> streams =
            clients.submit(() -> until(over, loop(port, STREAM, EVENTS + 1), STREAMS_PER_SECOND));
        try {
          List<Integer> exits = replace(stage, state, gateways, routes, shared);
          over.set(true);
          return report(plain.get(), streams.get(), exits);
        } catch (ExecutionException e) {
          throw new IOException(e.getCause());
        } finally {
          over.set(true);
        }
      }
    }
  }

  private static OpenLoop loop(int port, String body, int events) {
    String path = "/load" + Cast.PATH;
    Peer peer = new Peer("load", port, path, "", Double.NaN, headers -> true);
    return new OpenLoop(port, LoadClient.http(path, Load.headers(peer), body), events);
  }

  private static Latencies until(AtomicBoolean over, OpenLoop loop, int perSecond)
      throws IOException, InterruptedException {
    Latencies all = Latencies.none();
    while (!over.get()) {
      all = all.plus(loop.run(perSecond, Duration.ZERO, PIECE));
    }
    return all;
  }

  /** Returns what those that were stopped ended with. */
  private static List<Integer> replace(
      Stage stage, int state, List<Gateway> gateways, Path routes, String[] arguments)
      throws IOException, InterruptedException {
    List<Integer> exits = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (int at = 0; at < gateways.size(); at++) {
        Gateway old = gateways.get(at);
        int all = gateways.size();
        Operator.await("HAProxy sends to all", END, () -> HaProxy.up(state) == all);
        TimeUnit.NANOSECONDS.sleep(READY.toNanos());
        exits.add(old.child().end(END));
        // where HAProxy asks for it
        String name = "instance-%d-%d".formatted(at, round);
        gateways.set(at, stage.again(name, routes, old, arguments));
      }
    }
    TimeUnit.NANOSECONDS.sleep(READY.toNanos());
    return exits;
  }

  private Report report(Latencies plain, Latencies streams, List<Integer> exits) {
    String line = "%-10s %10s %8s %10s %10s %10s%n";
    StringBuilder table =
        new StringBuilder(line.formatted("", "answers", "failed", "p50 ms", "p99 ms", "max ms"));
    Map<String, Latencies> all = new LinkedHashMap<>();
    all.put("plain", plain);
    all.put("streams", streams);
    Map<String, Object> details = new LinkedHashMap<>();
    List<Figure> figures = new ArrayList<>();
    all.forEach(
        (name, each) -> {
          details.put(name, each.details());
          table.append(
              line.formatted(
                  name,
                  "%,d".formatted(each.answers()),
                  "%,d".formatted(each.failures()),
                  "%.2f".formatted(each.whole(50) / 1e3),
                  "%.2f".formatted(each.whole(99) / 1e3),
                  "%.2f".formatted(each.whole(100) / 1e3)));
          figures.add(
              Figure.that(
                  "failures while instances are replaced: " + name,
                  "0",
                  each.failures() == 0,
                  "%,d of %,d %s"
                      .formatted(
                          each.failures(), each.answers() + each.failures(), each.reasons())));
        });
    boolean ended = exits.stream().allMatch(exit -> exit == 0);
    figures.add(Figure.that("instances end with 0", "all", ended, exits.toString()));
    String title =
        "%s: %d instances replaced, %d requests/s and %d streams/s; %s"
            .formatted(
                name(), exits.size(), PLAIN_PER_SECOND, STREAMS_PER_SECOND, Machine.described());
    boolean good = ended && plain.failures() + streams.failures() == 0;
    return new Report(title, table.toString(), figures, details, good);
  }
}
