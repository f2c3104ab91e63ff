package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/**
 * {@code 10-ceiling}: a provider that allows 30 % less than configured and states no limits, with
 * clients that always ask for more. Prints for each window of 60 s the limit that the gateway
 * applies beside the one that the provider has.
 */
final class Ceiling implements Scenario {
  private static final int CONFIGURED = 600;
  private static final int ALLOWED = 420;
  private static final int CONNECTIONS = 16;
  private static final int MINUTES = 10;
  private static final int LEARNING = 5;
  private static final double GOAL = 0.95;
  private static final Duration WINDOW = Duration.ofSeconds(60);
  private static final Duration START = Duration.ofMinutes(5);

  /**
   * What happened in a window.
   *
   * @param applied the limit that the gateway applied at its end
   * @param passed the requests that were answered
   * @param refused the answers of the provider with 429
   */
  private record Window(long applied, long passed, long refused) {}

  @Override
  public String name() {
    return "10-ceiling";
  }

  @Override
  public Duration longest(Settings settings) {
    return WINDOW.multipliedBy(settings.minutes(MINUTES)).plus(START);
  }

  private static String routes() {
    return """
    keys:
      - name: load
        sha256: %s
        tpm: 900000000
    endpoints:
      - path: /load
        dialect: openai
        upstreams:
          - {id: lower, url: "mock://openai?tokens=10&headers=none&rpm=%d", rpm: %d}
    """
        .formatted(Penstock.sha256(Load.SECRET), ALLOWED, CONFIGURED);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    int minutes = settings.minutes(MINUTES);
    Load load = settings.load("own", made, settings.connections(CONNECTIONS));
    ExecutorService sender =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    try (Stage stage = new Stage(made, settings.jar())) {
      Gateway gateway = stage.penstock(Penstock.NAME, routes(), List.of());
      String path = "/load" + Cast.PATH;
      Peer peer = new Peer(Penstock.NAME, gateway.port(), path, "", Double.NaN, each -> true);
      Callable<Load.Stretch> sending =
          () -> load.measure(peer, WINDOW.multipliedBy(minutes).plusSeconds(5));
      Future<Load.Stretch> sent = sender.submit(sending);
      List<Window> windows = windows(gateway.operator(), minutes);
      return report(windows, sent.get().failures());
    } catch (ExecutionException e) {
      throw new IOException("the load failed: " + e.getCause(), e);
    } finally {
      sender.shutdownNow();
    }
  }

  private static List<Window> windows(Operator operator, int minutes)
      throws IOException, InterruptedException {
    List<Window> windows = new ArrayList<>();
    long begin = System.nanoTime();
    long passed = 0;
    long refused = 0;
    for (int at = 1; at <= minutes; at++) {
      long end = begin + WINDOW.multipliedBy(at).toNanos();
      TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
      long passedSoFar = operator.used("load")[0];
      long refusedSoFar = (long) operator.metric("penstock_upstream_throttled_total");
      windows.add(new Window(applied(operator), passedSoFar - passed, refusedSoFar - refused));
      passed = passedSoFar;
      refused = refusedSoFar;
    }
    return windows;
  }

  private static long applied(Operator operator) throws IOException, InterruptedException {
    List<JsonNode> all = operator.json("/upstreams").findValues("effective");
    if (all.size() != 1) {
      throw new IOException("the upstream has " + all.size() + " limits, expected 1");
    }
    return all.getFirst().asLong();
  }

  private Report report(List<Window> windows, long failures) {
    String line = "%6s  %12s  %15s  %8s  %8s  %8s%n";
    StringBuilder table =
        new StringBuilder(
            line.formatted("window", "applied rpm", "provider's rpm", "answered", "used", "429s"));
    for (int at = 0; at < windows.size(); at++) {
      Window each = windows.get(at);
      table.append(
          line.formatted(
              at + 1,
              each.applied,
              ALLOWED,
              each.passed,
              percent(used(List.of(each))),
              each.refused));
    }
    List<Window> later = windows.subList(Math.min(LEARNING, windows.size()), windows.size());
    long refused = later.stream().mapToLong(Window::refused).sum();
    double perWindow = (double) refused / later.size();
    List<Figure> figures =
        List.of(
            Figure.atMost(
                "429s of a provider without stated limits, a window, after five",
                "–",
                1,
                perWindow,
                "%.2f: %d in %d windows".formatted(perWindow, refused, later.size())),
            Figure.atLeast(
                "used of what it allows, after five windows",
                "–",
                GOAL,
                used(later),
                percent(used(later))),
            Figure.that("failures of clients", "none", failures == 0, String.valueOf(failures)));
    String title =
        "%s: %d rpm configured, %d allowed, %d clients; %s"
            .formatted(name(), CONFIGURED, ALLOWED, CONNECTIONS, Machine.described());
    Map<String, Object> details = Map.of("windows", windows);
    return new Report(title, table.toString(), figures, details, failures == 0);
  }

  private static double used(List<Window> windows) {
    long passed = windows.stream().mapToLong(Window::passed).sum();
    return (double) passed / ((long) ALLOWED * windows.size());
  }

  private static String percent(double share) {
    return "%.1f %%".formatted(100 * share);
  }
}
