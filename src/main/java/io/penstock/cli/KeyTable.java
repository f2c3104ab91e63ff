package io.penstock.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Table of keys, one on each line. */
final class KeyTable {
  private static final String ROW = "%-24s %-7s %9s %11s %9s %6s  %-16s %s%n";

  private KeyTable() {}

  static void head(PrintWriter out) {
    out.printf(ROW, "NAME", "SOURCE", "RPM", "TPM", "RPD", "CONC", "GROUP", "EXPIRES");
  }

  static void row(PrintWriter out, JsonNode key) {
    out.printf(
        ROW,
        key.path("name").asString(),
        key.path("source").asString(),
        limit(key, "rate_limit_rpm"),
        limit(key, "rate_limit_tpm"),
        limit(key, "rate_limit_rpd"),
        limit(key, "max_concurrency"),
        text(key.path("group")),
        text(key.path("expires_at")));
  }

  private static String limit(JsonNode key, String name) {
    long limit = key.path(name).asLong(0);
    return limit == 0 ? "-" : Long.toString(limit);
  }

  /** Returns a value for people; a dash if there is none. */
  static String text(JsonNode value) {
    if (value.isNull() || value.isMissingNode()) {
      return "-";
    }
    if (!value.isArray()) {
      return value.isString() ? value.stringValue() : value.toString();
    }
    List<String> all = new ArrayList<>();
    value.forEach(each -> all.add(text(each)));
    return all.isEmpty() ? "none" : String.join(", ", all);
  }
}
