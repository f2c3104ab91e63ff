package io.penstock.architecture;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The table of packages: the layer of each, and the packages that it may import. */
final class LayerTable {
  /** The root package, which wires the others and is imported by none. */
  static final String ROOT = "io.penstock";

  /** Packages of the test tree without a counterpart in the program. */
  static final List<String> TEST_ONLY =
      List.of(
          "architecture",
          "bench",
          "chart",
          "clients",
          "fake",
          "mainjob",
          "recipe",
          "simulator",
          "suite",
          "upgrade");

  private static final Predicate<Row> QUOTAS = packages("sharing", "quota", "model", "usage");

  /** Packages that a step of a request may import besides the lower layers; none is a step. */
  private static final Predicate<Row> STEP = packages("wire", "gateway.body", "gateway.request");

  /** Packages that the protocol of each provider may import besides the lower layers. */
  private static final Predicate<Row> PROTOCOL =
      packages("json", "tokenizer", "provider", "provider.request", "provider.answer");

  static final List<Row> ROWS =
      List.of(
          new Row(0, "time", packages()),
          new Row(0, "tenant", packages()),
          new Row(0, "refusal", packages("time")),
          new Row(0, "cost", packages("time", "tenant")),
          new Row(0, "prefix", packages("time", "tenant", "cost")),
          new Row(0, "event", packages("time", "tenant", "cost", "refusal")),
          new Row(0, "limit", packages("time", "tenant", "cost", "refusal")),
          new Row(0, "queue", packages("time", "tenant", "cost", "refusal")),
          new Row(1, "sharing", layersTo(0)),
          new Row(1, "shares", layersTo(0).or(packages("sharing"))),
          new Row(1, "quota", layersTo(0).or(packages("sharing"))),
          new Row(1, "model", layersTo(0).or(packages("sharing", "quota"))),
          new Row(1, "usage", layersTo(0).or(packages("sharing", "quota", "model"))),
          new Row(1, "key", layersTo(0).or(QUOTAS)),
          new Row(1, "pool", layersTo(0).or(QUOTAS)),
          new Row(1, "dispatch", layersTo(0).or(QUOTAS).or(packages("pool"))),
          new Row(1, "explain", layersTo(0).or(QUOTAS).or(packages("pool", "dispatch"))),
          new Row(
              1, "endpoint", layersTo(0).or(QUOTAS).or(packages("pool", "dispatch", "explain"))),
          new Row(1, "coordination", layersTo(0)),
          new Row(2, "park", layersTo(1)),
          new Row(2, "json", layersTo(0)),
          new Row(2, "tokenizer", layersTo(0).or(packages("json"))),
          new Row(2, "provider.request", layersTo(1).or(packages("json", "tokenizer"))),
          new Row(
              2,
              "provider.answer",
              layersTo(1).or(packages("json", "tokenizer", "provider.request"))),
          new Row(
              2,
              "provider",
              layersTo(1).or(packages("json", "tokenizer", "provider.request", "provider.answer"))),
          new Row(2, "provider.openai", layersTo(1).or(PROTOCOL)),
          new Row(2, "provider.azure", layersTo(1).or(PROTOCOL).or(packages("provider.openai"))),
          new Row(2, "provider.anthropic", layersTo(1).or(PROTOCOL)),
          new Row(2, "provider.gemini", layersTo(1).or(PROTOCOL)),
          new Row(2, "provider.mistral", layersTo(1).or(PROTOCOL).or(packages("provider.openai"))),
          new Row(2, "dialect", layersTo(1).or(PROTOCOL).or(row -> isProvider(row.name()))),
          new Row(2, "mock", layersTo(0).or(packages("json"))),
          new Row(2, "config.shape", layersTo(1)),
          new Row(2, "config", layersTo(1).or(packages("config.shape", "provider", "dialect"))),
          new Row(2, "redis", layersTo(1)),
          new Row(2, "redis.coordination", layersTo(1).or(packages("redis"))),
          new Row(2, "redis.shares", layersTo(1).or(packages("redis"))),
          new Row(2, "store", layersTo(1).or(packages("config"))),
          new Row(2, "region", layersTo(1).or(packages("store"))),
          new Row(2, "trace", layersTo(1)),
          new Row(3, "wire", layersTo(2)),
          new Row(3, "gateway.body", layersTo(2).or(packages("wire"))),
          new Row(3, "gateway.request", layersTo(2).or(packages("wire", "gateway.body"))),
          new Row(3, "gateway.identify", layersTo(2).or(STEP)),
          new Row(3, "gateway.weigh", layersTo(2).or(STEP)),
          new Row(3, "gateway.admit", layersTo(2).or(STEP)),
          new Row(3, "gateway.forward", layersTo(2).or(STEP)),
          new Row(
              3,
              "gateway",
              layersTo(2)
                  .or(STEP)
                  .or(
                      packages(
                          "gateway.identify",
                          "gateway.weigh",
                          "gateway.admit",
                          "gateway.forward"))),
          new Row(3, "gateway.coordination", layersTo(2).or(STEP).or(packages("gateway.identify"))),
          new Row(3, "operator", layersTo(2)),
          new Row(3, "metrics", layersTo(1)),
          new Row(3, "cli", packages("refusal", "config", "store")),
          new Row(4, "settings", layersTo(3)));

  /**
   * One row of the table.
   *
   * @param layer its level, 0 is the lowest; imports never go up
   * @param name the package below the root, including the packages it is in
   * @param imports the other rooms that it may import
   */
  record Row(int layer, String name, Predicate<Row> imports) {
    boolean mayImport(Row other) {
      return equals(other) || imports.test(other);
    }

    /** Returns whether the row is plain Java: no framework, no input or output, no logging. */
    boolean pure() {
      return layer <= 1;
    }
  }

  private LayerTable() {}

  private static boolean isProvider(String name) {
    return name.startsWith("provider.");
  }

  /** Returns the row for exactly this package; a nested row has a row of its own. */
  static Optional<Row> row(String packageName) {
    return ROWS.stream().filter(row -> packageName.equals(ROOT + "." + row.name())).findFirst();
  }

  /** Returns whether the package belongs to this program. */
  static boolean ours(String packageName) {
    return packageName.equals(ROOT) || packageName.startsWith(ROOT + ".");
  }

  /** Returns whether the package is a row or the root. */
  static boolean known(String packageName) {
    return packageName.equals(ROOT) || row(packageName).isPresent();
  }

  /** Returns whether code in one of our packages may import from another one. */
  static boolean mayImport(String from, String to) {
    if (from.equals(ROOT) || from.equals(to)) {
      return true;
    }
    Optional<Row> importing = row(from);
    Optional<Row> imported = row(to);
    return importing.isPresent()
        && imported.isPresent()
        && importing.get().mayImport(imported.get());
  }

  private static Predicate<Row> packages(String... names) {
    return row -> Arrays.asList(names).contains(row.name());
  }

  private static Predicate<Row> layersTo(int layer) {
    return row -> row.layer() <= layer;
  }
}
