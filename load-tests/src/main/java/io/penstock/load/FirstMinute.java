package io.penstock.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 11-first-minute}: a provider with an exact limit over any trailing minute, and clients
 * that ask for more from the instant at which the gateway is ready; with the warm-up and without.
 */
final class FirstMinute implements Scenario {
  private static final int RPM = 60;
  private static final int CONNECTIONS = 16;
  private static final Duration LENGTH = Duration.ofSeconds(75);
  private static final Duration START = Duration.ofMinutes(5);

  /**
   * What happened from the start on.
   *
   * @param refused the answers of the provider with 429: requests beyond its limit
   * @param firstMicros the 99th percentile of the time that an answer took
   */
  private record Beginning(long passed, long refused, long failures, double firstMicros) {}

  @Override
  public String name() {
    return "11-first-minute";
  }

  @Override
  public Duration longest(Settings settings) {
    return LENGTH.plus(START).multipliedBy(2);
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
          - {id: exact, url: "mock://openai?tokens=10&headers=none&rpm=%d", rpm: %d}
    """
        .formatted(Penstock.sha256(Load.SECRET), RPM, RPM);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Map<String, Beginning> all = new LinkedHashMap<>();
    all.put("with warm-up", beginning(settings, true));
    all.put("without", beginning(settings, false));
    String line = "%-14s  %10s  %6s  %10s%n";
    StringBuilder table = new StringBuilder(line.formatted("", "answered", "429s", "p99 ms"));
    List<Figure> figures = new ArrayList<>();
    all.forEach(
        (how, each) -> {
          table.append(
              line.formatted(
                  how, each.passed, each.refused, "%.0f".formatted(each.firstMicros / 1_000)));
          figures.add(
              Figure.that(
                  "requests beyond a provider's limit in the first minute, " + how,
                  "none",
                  each.refused == 0,
                  String.valueOf(each.refused)));
        });
    boolean good = all.values().stream().allMatch(each -> each.failures == 0);
    String title =
        "%s: %d rpm, %d clients for %d s; %s"
            .formatted(name(), RPM, CONNECTIONS, LENGTH.toSeconds(), Machine.described());
    return new Report(title, table.toString(), figures, Map.copyOf(all), good);
  }

  private Beginning beginning(Settings settings, boolean warm)
      throws IOException, InterruptedException {
    Path made = settings.made(name());
    Load load = settings.load("own", made, settings.connections(CONNECTIONS));
    try (Stage stage = new Stage(made, settings.jar())) {
      Gateway gateway =
          stage.penstock(Penstock.NAME, routes(), List.of(), "--penstock.warm-up=" + warm);
      String path = "/load" + Cast.PATH;
      Peer peer = new Peer(Penstock.NAME, gateway.port(), path, "", Double.NaN, each -> true);
      Load.Stretch stretch = load.measure(peer, LENGTH);
      Operator operator = gateway.operator();
      return new Beginning(
          operator.used("load")[0],
          (long) operator.metric("penstock_upstream_throttled_total"),
          stretch.failures(),
          stretch.p99Micros());
    }
  }
}
