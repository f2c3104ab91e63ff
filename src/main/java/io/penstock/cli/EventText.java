package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Descriptions of events, one line each. */
final class EventText {
  private EventText() {}

  static Tone tone(String name) {
    return switch (name) {
      case "queued" -> Tone.NEWS;
      case "released" -> Tone.PLAIN;
      case "served" -> Tone.GOOD;
      case "refused", "expired", "lost" -> Tone.BAD;
      case "cancelled" -> Tone.FAIR;
      default -> Tone.ODD;
    };
  }

  /** Returns the description of an event without its name, or null if it is not worth a line. */
  static @Nullable String detail(String name, JsonNode data) {
    return switch (name) {
      case "queued" -> ticket(data) + " " + tokens(data) + " tokens";
      case "released" -> released(data);
      case "served", "cancelled" -> ticket(data);
      case "refused", "expired" -> ticket(data) + " " + text(data, "reason") + ": " + why(data);
      case "settled" -> overrun(data);
      case "estimated", "returned", "called" -> null;
      case "config" -> (applied(data) ? "" : "kept the old one: ") + why(data);
      case "lost" -> FigureText.count(data.path("events").asLong(0)) + " events, this was too slow";
      default -> rest(data);
    };
  }

  private static String released(JsonNode data) {
    StringJoiner words = new StringJoiner(" ");
    words.add(ticket(data));
    words.add("waited " + FigureText.time(data.path("waited_ms").asLong(0)));
    if (data.path("upstream").isString()) {
      words.add("to " + text(data, "upstream"));
    }
    if (data.path("model").isString()) {
      words.add(text(data, "model"));
    }
    return words.toString();
  }

  private static @Nullable String overrun(JsonNode data) {
    long over = data.path("overrun_tokens").asLong(0);
    return over > 0
        ? ticket(data) + " used " + FigureText.count(over) + " tokens more than reserved"
        : null;
  }

  private static boolean applied(JsonNode data) {
    return data.path("applied").asBoolean(true);
  }

  private static String ticket(JsonNode data) {
    return "#" + data.path("ticket").asString("?");
  }

  private static String tokens(JsonNode data) {
    return FigureText.count(
        data.path("input_tokens").asLong(0) + data.path("output_tokens").asLong(0));
  }

  private static String why(JsonNode data) {
    return text(data, "detail");
  }

  private static String text(JsonNode data, String name) {
    return data.path(name).asString("");
  }

  /** Returns the data of an unknown event, such as one of a newer gateway, unchanged. */
  static String rest(JsonNode data) {
    StringJoiner words = new StringJoiner(" ");
    data.properties()
        .forEach(
            each -> {
              JsonNode value = each.getValue();
              if (value.isValueNode()
                  && !value.isNull()
                  && !each.getKey().equals("at")
                  && !each.getKey().equals("endpoint")) {
                words.add(each.getKey() + "=" + value.asString());
              }
            });
    return words.toString();
  }
}
