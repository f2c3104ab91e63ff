package io.penstock.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final String ALL = "all";
  private static final String UNKNOWN = "unknown: the gateway does not say";
  private static final String LINE = "%-22s %s%n";

  /** The terms in the order in which they are shown, by their names in JSON. */
  private static final Map<String, Term> TERMS = terms();

  /** How a term is shown: its name for people, and the words for its value. */
  private record Term(String label, Function<JsonNode, String> words) {}

  private KeyDetails() {}

  private static Map<String, Term> terms() {
    Map<String, Term> all = new LinkedHashMap<>();
    all.put("name", new Term("name", value -> or(value, NONE)));
    all.put("source", new Term("kept in", KeyDetails::source));
    all.put("created_at", new Term("created", value -> or(value, UNKNOWN)));
    all.put("last_used_at", new Term("last used", KeyDetails::lastUse));
    all.put("expires_at", new Term("expires", value -> or(value, "never")));
    all.put("previous_secret_until", new Term("previous secret", KeyDetails::previousSecret));
    all.put("rpm", new Term("requests per minute", KeyDetails::limit));
    all.put("tpm", new Term("tokens per minute", KeyDetails::limit));
    all.put("rpd", new Term("requests per day", KeyDetails::limit));
    all.put("concurrency", new Term("requests at a time", KeyDetails::limit));
    all.put("budget_tokens_per_day", new Term("tokens per UTC day", KeyDetails::limit));
    all.put("max_output_tokens", new Term("output per request", KeyDetails::limit));
    all.put("models", new Term("limits for models", KeyDetails::modelLimits));
    all.put("group", new Term("group", value -> or(value, NONE)));
    all.put("allowed_models", new Term("models", value -> or(value, ALL)));
    all.put("allowed_endpoints", new Term("endpoints", value -> or(value, ALL)));
    all.put("calls", new Term("calls", value -> or(value, ALL)));
    all.put("priority", new Term("priority", value -> or(value, "0")));
    all.put("max_priority", new Term("highest priority", value -> or(value, "that above")));
    all.put("weight", new Term("weight", value -> or(value, "1")));
    all.put("on_limit", new Term("at its limits", KeyDetails::atLimits));
    all.put("strict_after_denial", new Term("strict after a denial", KeyDetails::yes));
    all.put("sharing", new Term("sharing", value -> or(value, "as penstock.redis.sharing says")));
    return all;
  }

  static void print(JsonNode key, PrintWriter out) {
    TERMS.forEach(
        (name, term) -> out.printf(LINE, term.label(), term.words().apply(key.path(name))));
    key.properties().stream()
        .filter(each -> !TERMS.containsKey(each.getKey()))
        .forEach(each -> out.printf(LINE, each.getKey(), or(each.getValue(), NONE)));
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

  private static String atLimits(JsonNode value) {
    return switch (value.asString("")) {
      case "wait" -> "requests wait (wait)";
      case "reject" -> "requests are refused (reject)";
      default -> or(value, UNKNOWN);
    };
  }

  private static String yes(JsonNode value) {
    return value.asBoolean(false) ? "yes" : "no";
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
