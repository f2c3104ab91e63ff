package io.penstock.cli;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** Feeds a board with made-up answers and events. */
final class Story {
  static final TerminalStyle BRIGHT = new TerminalStyle(true, true);

  final HandClock clock = new HandClock();
  final GatewayBoard board = new GatewayBoard(clock, ZoneOffset.UTC);

  static JsonNode json(String text) {
    return CommandJson.read(text.replace('\'', '"'));
  }

  /** Returns an endpoint in the form of {@code GET /endpoints}, with {@code more} members. */
  static String endpoint(String path, String more) {
    return "{'path':'%s'%s}".formatted(path, more.isEmpty() ? "" : "," + more);
  }

  Story endpoints(String... all) {
    StringJoiner array = new StringJoiner(",", "[", "]");
    for (String each : all) {
      array.add(each.startsWith("{") ? each : endpoint(each, ""));
    }
    board.endpoints(json(array.toString()));
    return this;
  }

  Story told(String name, String data) {
    board.told(name, json("{'at':'2026-11-22T12:00:00.5Z'," + data + "}"));
    return this;
  }

  /** Sends the board an event about a ticket. */
  Story ticket(String name, String path, long ticket, String... more) {
    StringJoiner all = new StringJoiner(",");
    all.add("'endpoint':'%s'".formatted(path)).add("'ticket':" + ticket);
    for (String each : more) {
      all.add(each);
    }
    return told(name, all.toString());
  }

  Story pass(long millis) {
    clock.pass(Duration.ofMillis(millis));
    return this;
  }

  WatchedEndpoint at(String path) {
    return board.endpoints().stream()
        .filter(each -> each.path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError(path + " is not there"));
  }
}
