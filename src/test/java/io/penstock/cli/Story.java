package io.penstock.cli;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** Feeds a board with made-up states and events. */
final class Story {
  static final TerminalStyle BRIGHT = new TerminalStyle(true, true);

  final HandClock clock = new HandClock();
  final GatewayBoard board = new GatewayBoard(clock, ZoneOffset.UTC);

  static JsonNode json(String text) {
    return CommandJson.read(text.replace('\'', '"'));
  }

  /** Returns an endpoint in the form of {@code GET /live}, with {@code more} members. */
  static String endpoint(String path, String more) {
    return "{'path':'%s'%s}".formatted(path, more.isEmpty() ? "" : "," + more);
  }

  /** Sends the board these endpoints as all there are. */
  Story endpoints(String... all) {
    return changes(true, "", all);
  }

  /** Sends the board changed endpoints, and one path that is gone unless empty. */
  Story changes(boolean whole, String removed, String... rows) {
    StringJoiner array = new StringJoiner(",", "[", "]");
    for (String each : rows) {
      array.add(each.startsWith("{") ? each : endpoint(each, ""));
    }
    String paths = removed.isEmpty() ? "[]" : "['" + removed + "']";
    board.update(
        "endpoints", json("{'whole':%s,'removed':%s,'rows':%s}".formatted(whole, paths, array)));
    return this;
  }

  Story event(String name, String data) {
    board.event(name, json("{'at':'2026-11-22T12:00:00.5Z'," + data + "}"));
    return this;
  }

  /** Sends the board an event about a ticket. */
  Story ticket(String name, String path, long ticket, String... more) {
    StringJoiner all = new StringJoiner(",");
    all.add("'endpoint':'%s'".formatted(path)).add("'ticket':" + ticket);
    for (String each : more) {
      all.add(each);
    }
    return event(name, all.toString());
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
