package io.penstock.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Table of keys, one on each line. A dash stands for no limit, no group and no instant. */
final class KeyTable {
  private static final String RPM = "RPM";
  private static final String TPM = "TPM";
  private static final String RPD = "RPD";
  private static final String CONCURRENCY = "CONC";
  private static final String NONE = "-";

  /** End of an instant at the beginning of a UTC day. */
  private static final String MIDNIGHT = "T00:00:00Z";

  private final PlainTable table =
      new PlainTable(
          List.of(
              "NAME",
              "SOURCE",
              RPM,
              TPM,
              RPD,
              CONCURRENCY,
              "GROUP",
              "CREATED",
              "LAST USED",
              "EXPIRES"),
          Set.of(RPM, TPM, RPD, CONCURRENCY));

  void add(JsonNode key) {
    table.add(
        List.of(
            key.path("name").asString(),
            key.path("source").asString(),
            limit(key, "rpm"),
            limit(key, "tpm"),
            limit(key, "rpd"),
            limit(key, "concurrency"),
            text(key.path("group")),
            instant(key.path("created_at")),
            instant(key.path("last_used_at")),
            instant(key.path("expires_at"))));
  }

  void print(PrintWriter out) {
    table.print(out);
  }

  private static String limit(JsonNode key, String name) {
    long limit = key.path(name).asLong(0);
    return limit == 0 ? NONE : Long.toString(limit);
  }

  private static String text(JsonNode value) {
    return value.isString() ? value.stringValue() : NONE;
  }

  /** Returns an instant without fractions of a second, and without the time if that is midnight. */
  private static String instant(JsonNode value) {
    String whole = text(value).replaceFirst("\\.\\d+Z$", "Z");
    return whole.endsWith(MIDNIGHT)
        ? whole.substring(0, whole.length() - MIDNIGHT.length())
        : whole;
  }
}
