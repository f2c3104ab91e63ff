package io.penstock.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures the costs of 100,000 keys: finding one, keeping them, and starting with them. */
final class KeyFigures {
  private static final int ROUNDS = 5;
  private static final int STARTS = 5;
  private static final Pattern STARTED = Pattern.compile("started in (\\d+)");

  private final Path made;

  /** Creates the measurement with a directory for generated files. */
  KeyFigures(Path made) {
    this.made = made;
  }

  /** A requirement and its measured value. */
  record Figure(String asked, boolean met, String measured) {}

  /** Measures the search for a caller, alternating with the digest alone. */
  Figure lookUp() throws Exception {
    List<double[]> rounds = new ArrayList<>();
    for (int at = 0; at < ROUNDS; at++) {
      Map<String, Double> scores = new JmhRuns(made.resolve("keys")).run(KeyBenchmark.class);
      double bare = Objects.requireNonNull(scores.get("sha256"));
      double caller = Objects.requireNonNull(scores.get("caller"));
      rounds.add(new double[] {caller / bare, caller, bare});
    }
    rounds.sort(Comparator.comparingDouble(round -> round[0]));
    double[] median = rounds.get(ROUNDS / 2);
    return new Figure(
        "caller among 100,000 keys: at most 1.5 × a bare SHA-256",
        median[0] <= 1.5,
        "%.2f × (%.0f ns beside %.0f ns), median of %d (%.2f to %.2f)"
            .formatted(
                median[0],
                median[1],
                median[2],
                ROUNDS,
                rounds.getFirst()[0],
                rounds.getLast()[0]));
  }

  /** Measures the memory for keeping them. */
  Figure heap() throws Exception {
    String message =
        ForkedJvm.run(
            ForkedJvm.CLASSES,
            made.resolve("key-heap.log"),
            60,
            "-XX:+UseSerialGC",
            // otherwise dead objects stay in place, and are counted
            "-XX:MarkSweepAlwaysCompactCount=1",
            "--enable-native-access=ALL-UNNAMED",
            KeyHeap.class.getName(),
            store().toString());
    long bytes = Long.parseLong(message.strip());
    return new Figure(
        "heap of an idle key of 100,000: at most 300 bytes", bytes <= 300, bytes + " bytes");
  }

  /** Measures starts with and without them, alternating. */
  Figure start() throws Exception {
    Path routes = Files.writeString(made.resolve("routes.yaml"), "endpoints: [{path: /a}]");
    List<Long> without = new ArrayList<>();
    List<Long> with = new ArrayList<>();
    for (int at = 0; at < STARTS; at++) {
      without.add(startMillis(routes));
      with.add(startMillis(routes, "--penstock.keys.store=file:" + store()));
    }
    double ratio = median(with) / (double) median(without);
    return new Figure(
        "start with 100,000 keys in SQLite: at most 1.5 × without",
        ratio <= 1.5,
        "%.2f (%d ms beside %d ms)".formatted(ratio, median(with), median(without)));
  }

  private Path store() throws Exception {
    Path file = made.resolve("keys.db");
    if (Files.notExists(file)) {
      KeyHeap.write(file);
    }
    return file;
  }

  private long startMillis(Path routes, String... more) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.add("--enable-native-access=ALL-UNNAMED");
    arguments.add(StartTime.class.getName());
    arguments.addAll(List.of(routes.toString(), "--server.port=0", "--management.server.port=-1"));
    arguments.addAll(List.of(more));
    Path log = made.resolve("start.log");
    String message = ForkedJvm.run(ForkedJvm.CLASSES, log, 120, arguments.toArray(String[]::new));
    Matcher matcher = STARTED.matcher(message);
    if (!matcher.find()) {
      throw new AssertionError("it did not say when it was started:\n" + message);
    }
    return Long.parseLong(matcher.group(1));
  }

  private static long median(List<Long> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }
}
