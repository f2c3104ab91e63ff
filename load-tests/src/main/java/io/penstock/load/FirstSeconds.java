package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code 09-first-seconds}: how much a Penstock answers in the first ten seconds after its start,
 * as it lies in the image, with the AOT cache and without.
 */
final class FirstSeconds implements Scenario {
  private static final int CONNECTIONS = 16;
  private static final Duration INSTALL = Duration.ofMinutes(8);
  private static final Duration LONGEST_START = Duration.ofMinutes(2);
  private static final double GOAL = 2.0;

  /** The time of all files in what is made, as ImageTree wants it. */
  private static final Instant FILES = Instant.parse("2026-01-01T00:00:00Z");

  /** One start: until it listened, and what it then answered. */
  private record Start(double startSeconds, Load.Stretch first) {}

  @Override
  public String name() {
    return "09-first-seconds";
  }

  private static Duration stretch(Settings settings) {
    return settings.stretch(10);
  }

  private static int rounds(Settings settings) {
    return settings.rounds(5);
  }

  @Override
  public Duration longest(Settings settings) {
    Duration one = stretch(settings).plus(LONGEST_START);
    return one.multipliedBy(2L * rounds(settings)).plus(INSTALL);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    Path home = image(settings, made).resolve(Path.of("opt", "penstock"));
    List<Start> with = new ArrayList<>();
    List<Start> without = new ArrayList<>();
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream");
      Path routes = Files.writeString(made.resolve("r.yaml"), Penstock.unlimited(upstream));
      // so that neither the client nor the upstream is what is cold
      measure(made, home, routes, true, settings);
      for (int round = 0; round < rounds(settings); round++) {
        for (boolean cached : Turns.of(List.of(true, false), round)) {
          (cached ? with : without).add(measure(made, home, routes, cached, settings));
        }
      }
    }
    return report(settings, with, without);
  }

  /** Makes the files of the image, unless they were made of this jar. */
  private static Path image(Settings settings, Path made) throws IOException, InterruptedException {
    Path image = made.resolve("image");
    Path of = made.resolve("image-of");
    String jar = settings.jar() + " " + Files.getLastModifiedTime(settings.jar());
    if (Files.exists(of) && Files.readString(of).equals(jar)) {
      return image;
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("src/test/java/io/penstock/k8s/ImageTree.java");
    command.addAll(List.of(settings.jar().toString(), image.toString(), FILES.toString()));
    command.addAll(Machine.flags());
    try (Child child = Child.start("image-tree", made, settings.root(), command)) {
      child.await(INSTALL);
    }
    Files.writeString(of, jar);
    return image;
  }

  private Start measure(Path made, Path home, Path routes, boolean cached, Settings settings)
      throws IOException, InterruptedException {
    int port = Machine.freePort();
    List<String> command = new ArrayList<>();
    command.add(home.resolve(Path.of("jre", "bin", "java")).toString());
    if (cached) {
      command.add("-XX:AOTCache=" + home.resolve("penstock.aot"));
    }
    command.addAll(Machine.flags());
    command.addAll(List.of("-jar", home.resolve("penstock.jar").toString()));
    command.addAll(Penstock.serve(routes, port, Machine.freePort()));
    long begun = System.nanoTime();
    try (Child child = Child.start(cached ? "with-cache" : "without", made, command)) {
      child.awaitPort(port, LONGEST_START);
      double seconds = (System.nanoTime() - begun) / 1e9;
      String path = "/load" + Cast.PATH;
      Peer peer = new Peer("first", port, path, "", Double.NaN, headers -> true);
      byte[] request = LoadClient.http(path, Load.headers(peer), Load.BODY);
      int millis = (int) stretch(settings).toMillis();
      int connections = settings.connections(CONNECTIONS);
      return new Start(seconds, Load.parse(LoadClient.send(port, request, connections, millis)));
    }
  }

  private static double[] requests(List<Start> starts) {
    return starts.stream().mapToDouble(each -> each.first().requests()).toArray();
  }

  private Report report(Settings settings, List<Start> with, List<Start> without) {
    String line = "%-20s %12s %16s %10s %8s%n";
    StringBuilder table =
        new StringBuilder(line.formatted("", "listens s", "then requests/s", "p99 ms", "failed"));
    Map<String, List<Start>> all = new LinkedHashMap<>();
    all.put("with AOT cache", with);
    all.put("without", without);
    long failures = 0;
    for (Map.Entry<String, List<Start>> each : all.entrySet()) {
      List<Start> starts = each.getValue();
      long failed = starts.stream().mapToLong(start -> start.first().failures()).sum();
      failures += failed;
      double listens =
          Statistics.median(starts.stream().mapToDouble(Start::startSeconds).toArray());
      double p99 =
          Statistics.median(starts.stream().mapToDouble(s -> s.first().p99Micros()).toArray());
      table.append(
          line.formatted(
              each.getKey(),
              "%.1f".formatted(listens),
              "%,.0f".formatted(Statistics.median(requests(starts))),
              "%.1f".formatted(p99 / 1e3),
              failed));
    }
    double[] ratios = Statistics.ratios(requests(with), requests(without));
    double ratio = Statistics.median(ratios);
    Figure figure =
        Figure.atLeast(
            "requests/s in the first %d s it listens, AOT".formatted(stretch(settings).toSeconds()),
            "the same without AOT",
            GOAL,
            ratio,
            "%.2f, at least %.2f".formatted(ratio, Statistics.lowerBound(ratios)));
    String title =
        "%s: %d starts of each, %d connections; %s"
            .formatted(
                name(), rounds(settings), settings.connections(CONNECTIONS), Machine.described());
    return new Report(title, table.toString(), List.of(figure), Map.copyOf(all), failures == 0);
  }
}
