package io.penstock.load;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * {@code 04-many-keys}: what it costs that there are many: throughput with 100,000 endpoints, and
 * with 1,000,000 keys, beside a Penstock with ten of each. Ten are in use, and then all of them,
 * one drawn anew for each request.
 */
final class ManyKeys implements Scenario {
  private static final int FEW = 10;
  private static final int ENDPOINTS = 100_000;
  private static final int KEYS = 1_000_000;

  /** As many as fit into a route file, with room. */
  private static final int ENDPOINTS_A_FILE = 5_000;

  private static final double GOAL = 0.9;
  private static final int CONNECTIONS = 16;
  private static final Duration START = Duration.ofMinutes(12);

  /** All of these have the same, so that it is not what differs. */
  private static final List<String> HEAP = List.of("-Xms2g", "-Xmx2g");

  private static final String SECRET = "load-test-";
  private static final String INSERT =
      "INSERT INTO penstock_keys (name, identity, created_at, sha256, terms)"
          + " VALUES (?, ?, 0, ?, ?)";
  private static final String TERMS = "{\"tpm\":900000000}";

  /** A Penstock, and how many it has. */
  private record Size(String name, int endpoints, int keys) {
    int most() {
      return Math.max(endpoints, keys);
    }
  }

  private static final Size SMALL = new Size("10 endpoints, 10 keys", FEW, FEW);
  private static final List<Size> SIZES =
      List.of(
          SMALL,
          new Size("100,000 endpoints", ENDPOINTS, FEW),
          new Size("1,000,000 keys", FEW, KEYS));

  @Override
  public String name() {
    return "04-many-keys";
  }

  @Override
  public Duration longest(Settings settings) {
    Duration round = stretch(settings).plusSeconds(2);
    Duration one =
        settings.warmup(Warmup.MOST_SECONDS).plus(round.multipliedBy(settings.rounds(7)));
    return one.multipliedBy(2L * SIZES.size()).plus(START);
  }

  private static Duration stretch(Settings settings) {
    return settings.stretch(5);
  }

  @Override
  public Report run(Settings settings) throws IOException, InterruptedException {
    Path made = settings.made(name());
    // wrk could send only one request
    Load load = settings.load("own", made, settings.connections(CONNECTIONS));
    Map<String, Map<String, List<Load.Stretch>>> spreads = new LinkedHashMap<>();
    try (Stage stage = new Stage(made, settings.jar())) {
      int upstream = stage.upstream("upstream");
      Map<Size, Peer> peers = new LinkedHashMap<>();
      for (Size size : SIZES) {
        peers.put(size, start(stage, size, upstream));
      }
      spreads.put("ten of them in use", compare(load, peers, false, settings));
      spreads.put("all of them in use", compare(load, peers, true, settings));
    }
    return report(settings, spreads);
  }

  private static Map<String, List<Load.Stretch>> compare(
      Load load, Map<Size, Peer> peers, boolean all, Settings settings)
      throws IOException, InterruptedException {
    Map<String, List<Load.Stretch>> stretches = new LinkedHashMap<>();
    for (Map.Entry<Size, Peer> each : peers.entrySet()) {
      int numbers = drawn(each.getKey(), all);
      Warmup.until(
          settings.warmup(Warmup.MOST_SECONDS),
          length -> load.measure(each.getValue(), length, numbers).requests());
      stretches.put(each.getKey().name(), new ArrayList<>());
    }
    for (int round = 0; round < settings.rounds(7); round++) {
      for (Map.Entry<Size, Peer> each : Turns.of(List.copyOf(peers.entrySet()), round)) {
        Objects.requireNonNull(stretches.get(each.getKey().name()))
            .add(load.measure(each.getValue(), stretch(settings), drawn(each.getKey(), all)));
      }
    }
    return stretches;
  }

  private static int drawn(Size size, boolean all) {
    return all ? size.most() : FEW;
  }

  private Peer start(Stage stage, Size size, int upstream)
      throws IOException, InterruptedException {
    String kind = size.endpoints() + "-" + size.keys();
    Path routes = emptied(stage.directory().resolve("routes-" + kind));
    write(routes, size.endpoints(), upstream);
    Path store = stage.directory().resolve("keys-" + kind + ".db");
    String setting = "--penstock.keys.store=file:" + store;
    Path whole = stage.directory().resolve("keys-" + kind + ".whole");
    if (!Files.exists(whole)) {
      for (String part : List.of("", "-wal", "-shm")) {
        Files.deleteIfExists(Path.of(store + part));
      }
      // it makes its tables itself
      Gateway empty = stage.penstock("tables-" + kind, routes, Machine.freePort(), HEAP, setting);
      empty.child().close();
      insert(store, size.keys());
      Files.createFile(whole);
    }
    Gateway gateway = stage.penstock(kind, routes, Machine.freePort(), HEAP, setting);
    // the number that is drawn is that of whichever there are many of; of the other ten take turns
    String path = "/e" + (size.endpoints() < size.keys() ? few() : Draw.NUMBER) + Cast.PATH;
    String key = SECRET + (size.keys() < size.endpoints() ? few() : Draw.NUMBER);
    String credential = "Authorization: Bearer " + key + "\r\n";
    return new Peer(kind, gateway.port(), path, credential, Double.NaN, Penstock::weighs);
  }

  /** One of the first ten. */
  private static String few() {
    return Draw.NUMBER.substring(1) + Draw.DIGIT;
  }

  /** Returns a directory without the files of an earlier run. */
  private static Path emptied(Path directory) throws IOException {
    Files.createDirectories(directory);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    return directory;
  }

  private static void write(Path routes, int endpoints, int upstream) throws IOException {
    String line =
        "  - {path: /e%s, dialect: openai, upstreams: [{id: load, tpm_limit: 900000000,"
            + " settle: usage, url: \"http://127.0.0.1:"
            + upstream
            + "\"}]}\n";
    for (int from = 0; from < endpoints; from += ENDPOINTS_A_FILE) {
      StringBuilder text = new StringBuilder("endpoints:\n");
      for (int at = from; at < Math.min(endpoints, from + ENDPOINTS_A_FILE); at++) {
        text.append(line.formatted(number(at)));
      }
      Files.writeString(routes.resolve("endpoints-" + number(from) + ".yaml"), text);
    }
  }

  private static String number(int number) {
    return "%07d".formatted(number);
  }

  private static void insert(Path store, int keys) throws IOException {
    try (Connection open = DriverManager.getConnection("jdbc:sqlite:" + store)) {
      open.setAutoCommit(false);
      try (PreparedStatement insert = open.prepareStatement(INSERT)) {
        for (int at = 0; at < keys; at++) {
          add(insert, number(at));
        }
      }
      open.commit();
    } catch (SQLException e) {
      throw new IOException("keys could not be written to " + store, e);
    }
  }

  private static void add(PreparedStatement insert, String number) throws SQLException {
    insert.setString(1, "key-" + number);
    insert.setString(2, "key-" + number);
    insert.setString(3, Penstock.sha256(SECRET + number));
    insert.setString(4, TERMS);
    insert.executeUpdate();
  }

  private Report report(Settings settings, Map<String, Map<String, List<Load.Stretch>>> spreads) {
    StringBuilder table = new StringBuilder();
    String line = "%-20s %-24s %11s %8s %8s %14s %10s%n";
    table.append(line.formatted("", "", "requests/s", "p99 ms", "failed", "÷ with 10", "at least"));
    List<Figure> figures = new ArrayList<>();
    long failures = 0;
    for (Map.Entry<String, Map<String, List<Load.Stretch>>> spread : spreads.entrySet()) {
      double[] few = requests(Objects.requireNonNull(spread.getValue().get(SMALL.name())));
      for (Map.Entry<String, List<Load.Stretch>> each : spread.getValue().entrySet()) {
        double[] many = requests(each.getValue());
        double[] ratios = Statistics.ratios(many, few);
        long failed = each.getValue().stream().mapToLong(Load.Stretch::failures).sum();
        double p99 =
            Statistics.median(
                each.getValue().stream().mapToDouble(Load.Stretch::p99Micros).toArray());
        double ratio = Statistics.median(ratios);
        double bound = Statistics.lowerBound(ratios);
        failures += failed;
        table.append(
            line.formatted(
                spread.getKey(),
                each.getKey(),
                "%,.0f".formatted(Statistics.median(many)),
                "%.2f".formatted(p99 / 1e3),
                failed,
                "%.2f".formatted(ratio),
                "%.2f".formatted(bound)));
        if (!each.getKey().equals(SMALL.name())) {
          String measured = "%.2f, at least %.2f".formatted(ratio, bound);
          figures.add(
              Figure.atLeast(
                  "requests/s with " + each.getKey() + ", " + spread.getKey(),
                  "the same with 10",
                  GOAL,
                  ratio,
                  measured));
        }
      }
    }
    String title =
        "%s: %d rounds of %d s each; %s"
            .formatted(
                name(), settings.rounds(7), stretch(settings).toSeconds(), Machine.described());
    return new Report(title, table.toString(), figures, Map.copyOf(spreads), failures == 0);
  }

  private static double[] requests(List<Load.Stretch> stretches) {
    return stretches.stream().mapToDouble(Load.Stretch::requests).toArray();
  }
}
