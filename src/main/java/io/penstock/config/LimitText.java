package io.penstock.config;

import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** Short description of an endpoint's limit. */
public final class LimitText {
  private LimitText() {}

  /** Returns the description for a configuration from {@code GET /endpoints}. */
  public static String of(JsonNode config) {
    StringJoiner words = new StringJoiner(" ");
    String own = own(config);
    if (!own.isEmpty()) {
      words.add(own);
    }
    JsonNode upstreams = config.path("upstreams");
    if (!upstreams.isEmpty()) {
      String first = upstream(upstreams.path(0));
      if (!first.isEmpty()) {
        words.add(first);
      }
      if (upstreams.size() > 1) {
        words.add("of " + upstreams.size());
      }
    }
    return words.toString();
  }

  private static String own(JsonNode config) {
    String rate = config.path("rate").asString("") + " " + config.path("unit").asString("");
    return switch (config.path("algorithm").asString("none")) {
      case "strict" -> rate;
      case "token_bucket" -> rate + " +" + config.path("burst_size").asString("");
      case "sliding_window" -> rate + " in " + config.path("window_seconds").asString("") + "s";
      case "token_window" ->
          FigureText.count(config.path("tokens_per_window").asLong(0))
              + "tok/"
              + config.path("window_seconds").asString("")
              + "s";
      default -> "";
    };
  }

  private static String upstream(JsonNode upstream) {
    StringJoiner words = new StringJoiner(" ");
    for (String unit : new String[] {"rpm", "tpm", "itpm", "otpm", "rpd"}) {
      long limit = upstream.path(unit).asLong(0);
      if (limit > 0) {
        words.add(FigureText.count(limit) + unit);
      }
    }
    long most = upstream.path("concurrency").asLong(0);
    if (most > 0) {
      words.add(most + "conc");
    }
    return words.toString();
  }
}
