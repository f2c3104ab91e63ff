package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import io.penstock.config.FigureText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * State of an endpoint, as last reported.
 *
 * @param row its row of {@code GET /live}; members that it lacks are unknown
 */
record WatchedEndpoint(String path, JsonNode row) {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

  /** Colours of the age classes, which the gateway counts, from the youngest to the oldest. */
  private static final List<Tone> AGES =
      List.of(Tone.FRESH, Tone.GOOD, Tone.FAIR, Tone.LATE, Tone.BAD);

  long figure(String name) {
    return row.path(name).asLong(0);
  }

  /** Returns a figure as text; a dash if it is unknown. */
  String count(String name) {
    return row.path(name).isNumber() ? FigureText.count(figure(name)) : "-";
  }

  /** Returns the number of waiting tickets. */
  long depth() {
    return figure("queue_depth");
  }

  double utilization() {
    return row.path("utilization").asDouble(0);
  }

  boolean paused() {
    return row.path("paused").asBoolean(false);
  }

  /** Returns its state in one word, such as {@code open} or {@code failing}. */
  String state() {
    return row.path("state").path("what").asString(paused() ? "paused" : "open");
  }

  /** Returns the colour of its state. */
  Tone tone() {
    return switch (state()) {
      case "open" -> Tone.PLAIN;
      case "failing" -> Tone.BAD;
      default -> Tone.FAIR;
    };
  }

  /** Returns what keeps it from letting requests go, and until when; empty while it is open. */
  String trouble(ZoneId zone) {
    String detail = row.path("state").path("detail").asString("");
    String until = row.path("state").path("until").asString("");
    if (until.isEmpty()) {
      return detail;
    }
    String time = TIME.withZone(zone).format(Instant.parse(until));
    return detail + (state().equals("failing") ? ", next try " : ", until ") + time;
  }

  /** Returns what its next ticket waits for, or what keeps it from letting any go. */
  String heldBy(ZoneId zone) {
    String trouble = trouble(zone);
    return trouble.isEmpty() ? text("held_by") : trouble;
  }

  /** Returns a text, empty if there is none. */
  String text(String name) {
    return row.path(name).asString("");
  }

  /** Returns a percentile of the recent waiting times as text. */
  String wait(String percentile) {
    JsonNode millis = row.path("waits").path(percentile);
    return millis.isNumber() ? FigureText.time(millis.asLong()) : "-";
  }

  /** Returns the age of the oldest waiting ticket as text. */
  String oldest() {
    return depth() == 0 ? "-" : FigureText.time(figure("oldest_wait_ms"));
  }

  /** Returns the colour of the waiting ticket at this place, from the oldest; grey if unknown. */
  Tone age(long place) {
    long left = place;
    for (int age = AGES.size() - 1; age >= 0; age--) {
      left -= row.path("ages").path(age).asLong(0);
      if (left < 0) {
        return AGES.get(age);
      }
    }
    return Tone.SOFT;
  }
}
