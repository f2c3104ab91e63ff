package io.penstock.cli;

import io.penstock.config.KeySettings;
import io.penstock.config.KeyTerm;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * The terms of one key, for people: one line for each, in words. A term that this version does not
 * know, of a newer gateway, is shown under its name in JSON.
 */
final class KeyDetails {
  private static final String UNLIMITED = "unlimited";
  private static final String NONE = "none";
  private static final String UNKNOWN = "unknown: the gateway does not say";
  private static final String LIMITS = "limits";
  private static final String REFUSED = "refused_last_hour";
  private static final String LINE = "%-22s %s%n";

  /** The members that are shown before the terms, by their names in JSON. */
  private static final Map<String, Line> FIRST = first();

  /** How a member is shown: its name for people, and the words for its value. */
  private record Line(String label, Function<JsonNode, String> words) {}

  private KeyDetails() {}

  private static Map<String, Line> first() {
    Map<String, Line> all = new LinkedHashMap<>();
    all.put("name", new Line("name", value -> or(value, NONE)));
    all.put("source", new Line("kept in", KeyDetails::source));
    all.put("created_at", new Line("created", value -> or(value, UNKNOWN)));
    all.put("last_used_at", new Line("last used", KeyDetails::lastUse));
    all.put("previous_secret_until", new Line("previous secret", KeyDetails::previousSecret));
    return all;
  }

  static void print(JsonNode key, PrintWriter out) {
    Set<String> shown = new HashSet<>();
    FIRST.forEach(
        (name, line) -> {
          out.printf(LINE, line.label(), line.words().apply(key.path(name)));
          shown.add(name);
        });
    for (KeyTerm<?> term : KeySettings.TERMS) {
      out.printf(LINE, term.label(), words(term, key.path(term.name())));
      shown.add(term.name());
    }
    printUse(key, out);
    shown.addAll(List.of(LIMITS, REFUSED));
    key.properties().stream()
        .filter(each -> !shown.contains(each.getKey()))
        .forEach(each -> out.printf(LINE, each.getKey(), or(each.getValue(), NONE)));
  }

  /** Prints what is left of each limit, as far as the gateway says it. */
  private static void printUse(JsonNode key, PrintWriter out) {
    key.path(LIMITS).forEach(each -> out.printf(LINE, each.path("owner").asString(""), use(each)));
    if (key.has(REFUSED)) {
      StringJoiner refused = new StringJoiner(", ").setEmptyValue("nothing");
      key.path(REFUSED)
          .properties()
          .forEach(each -> refused.add(each.getValue() + " for " + each.getKey()));
      out.printf(LINE, "refused in an hour", refused + " (by this instance)");
    }
  }

  private static String use(JsonNode limit) {
    JsonNode resets = limit.path("resets_at");
    return "%s used of %s, %s left%s%s"
        .formatted(
            limit.path("used"),
            limit.path("allows").asString(""),
            limit.path("left"),
            resets.isString() ? ", all of it at " + resets.stringValue() : "",
            limit.path("shared").asBoolean(false) ? " (as last heard of all instances)" : "");
  }

  private static String words(KeyTerm<?> term, JsonNode value) {
    if (term.option().isEmpty()) {
      return modelLimits(value);
    }
    String none = term.none() == null ? UNKNOWN : term.none();
    return none.equals(UNLIMITED) ? limit(value) : or(value, none);
  }

  /** Returns a value as text; {@code other} if there is none. */
  private static String or(JsonNode value, String other) {
    if (value.isNull() || value.isMissingNode()) {
      return other;
    }
    if (!value.isArray()) {
      return value.isString() ? value.stringValue() : value.toString();
    }
    List<String> all = new ArrayList<>();
    value.forEach(each -> all.add(or(each, NONE)));
    return all.isEmpty() ? NONE : String.join(", ", all);
  }

  private static String limit(JsonNode value) {
    return value.asLong(0) == 0 ? UNLIMITED : value.toString();
  }

  private static String source(JsonNode value) {
    return switch (value.asString("")) {
      case "store" -> "the key store";
      case "routes" -> "a route file, in which alone it can be changed";
      default -> or(value, UNKNOWN);
    };
  }

  private static String lastUse(JsonNode value) {
    return value.isNull()
        ? "never since this instance started"
        : value.isMissingNode() ? UNKNOWN : or(value, NONE) + " (seen by this instance)";
  }

  private static String previousSecret(JsonNode value) {
    return value.isString() ? "valid until " + value.stringValue() : "not valid";
  }

  private static String modelLimits(JsonNode models) {
    StringJoiner all = new StringJoiner("; ").setEmptyValue(NONE);
    models
        .properties()
        .forEach(
            each ->
                all.add(
                    "%s: %s requests and %s tokens per minute"
                        .formatted(
                            each.getKey(),
                            limit(each.getValue().path("rpm")),
                            limit(each.getValue().path("tpm")))));
    return all.toString();
  }
}
