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
import java.util.function.ToDoubleFunction;

/**
 * {@code 09-first-seconds}: how much a Penstock answers in the first ten seconds after its process
 * was started, and in the first ten in which it listens, as it lies in the image, with the AOT
 * cache and without.
 */
final class FirstSeconds implements Scenario {
  private static final int CONNECTIONS = 16;
  private static final Duration INSTALL = Duration.ofMinutes(8);
  private static final Duration LONGEST_START = Duration.ofMinutes(2);
  private static final double GOAL = 2.0;

  /** The time of all files in what is made, as ImageTree wants it. */
  private static final Instant FILES = Instant.parse("2026-01-01T00:00:00Z");

  /**
   * One start.
   *
   * @param seconds until it listened
   * @param early answers a second of the first ten, of which it did not listen in all
   * @param first what it answered in the first ten in which it did
   */
  private record Start(double seconds, double early, Load.Stretch first) {}

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
    command.add("src/test/java/io/penstock/chart/ImageTree.java");
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
      Duration stretch = stretch(settings);
      Duration left = stretch.minusNanos((long) (seconds * 1e9));
      int part = left.isNegative() ? 0 : (int) left.toMillis();
      String path = "/load" + Cast.PATH;
      Peer peer = new Peer("first", port, path, "", Double.NaN, headers -> true);
      byte[] request = LoadClient.http(path, Load.headers(peer), Load.BODY);
      int connections = settings.connections(CONNECTIONS);
      LoadClient.Sent sent =
          LoadClient.send(port, request, connections, part, (int) stretch.toMillis());
      double early = sent.part() / (stretch.toMillis() / 1e3);
      return new Start(seconds, early, Load.parse(sent.whole()));
    }
  }

  private static double[] values(List<Start> starts, ToDoubleFunction<Start> value) {
    return starts.stream().mapToDouble(value).toArray();
  }

  private static double median(List<Start> starts, ToDoubleFunction<Start> value) {
    return Statistics.median(values(starts, value));
  }

  private static Figure figure(
      String what, List<Start> with, List<Start> without, ToDoubleFunction<Start> value) {
    double[] ratios = Statistics.ratios(values(with, value), values(without, value));
    double ratio = Statistics.median(ratios);
    String measured = "%.2f, at least %.2f".formatted(ratio, Statistics.lowerBound(ratios));
    return Figure.atLeast(what, "the same without AOT", GOAL, ratio, measured);
  }

  private Report report(Settings settings, List<Start> with, List<Start> without) {
    String line = "%-20s %12s %24s %16s %10s %8s%n";
    int seconds = (int) stretch(settings).toSeconds();
    String early = "requests/s of first %d s".formatted(seconds);
    StringBuilder table =
        new StringBuilder(
            line.formatted("", "listens s", early, "since it listens", "p99 ms", "failed"));
    Map<String, List<Start>> all = new LinkedHashMap<>();
    all.put("with AOT cache", with);
    all.put("without", without);
    long failures = 0;
    for (Map.Entry<String, List<Start>> each : all.entrySet()) {
      List<Start> starts = each.getValue();
      long failed = starts.stream().mapToLong(start -> start.first().failures()).sum();
      failures += failed;
      table.append(
          line.formatted(
              each.getKey(),
              "%.1f".formatted(median(starts, Start::seconds)),
              "%,.0f".formatted(median(starts, Start::early)),
              "%,.0f".formatted(median(starts, start -> start.first().requests())),
              "%.1f".formatted(median(starts, start -> start.first().p99Micros()) / 1e3),
              failed));
    }
    List<Figure> figures =
        List.of(
            figure(
                "requests/s in the first %d s after the start, AOT".formatted(seconds),
                with,
                without,
                Start::early),
            figure(
                "requests/s in the first %d s it listens, AOT".formatted(seconds),
                with,
                without,
                start -> start.first().requests()));
    String title =
        "%s: %d starts of each, %d connections; %s"
            .formatted(
                name(), rounds(settings), settings.connections(CONNECTIONS), Machine.described());
    return new Report(title, table.toString(), figures, Map.copyOf(all), failures == 0);
  }
}
