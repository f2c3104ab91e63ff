package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The known state of a watched gateway, from its streams. For one thread. */
final class GatewayBoard {
  private static final int MOST_LINES = 500;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

  /**
   * One line of the log.
   *
   * @param endpoint path of the endpoint, or empty
   */
  record Line(String time, Tone tone, String what, String endpoint, String detail) {}

  private final InstantSource clock;
  private final ZoneId zone;
  private final TreeMap<String, WatchedEndpoint> endpoints = new TreeMap<>();
  private final Deque<Line> log = new ArrayDeque<>();
  private JsonNode upstreams = JsonNodeFactory.instance.arrayNode();
  private JsonNode instance = JsonNodeFactory.instance.objectNode();
  private boolean connected;
  private boolean everConnected;
  private String trouble = "";
  private String configured = "";
  private JsonNode config = JsonNodeFactory.instance.objectNode();

  GatewayBoard(InstantSource clock, ZoneId zone) {
    this.clock = clock;
    this.zone = zone;
  }

  /** Returns the endpoints by path. */
  Collection<WatchedEndpoint> endpoints() {
    return endpoints.values();
  }

  /** Returns the latest log lines, newest first. */
  List<Line> log(int most) {
    return log.stream().limit(most).toList();
  }

  /** Returns the upstream with this id, or an empty node. */
  JsonNode upstream(String id) {
    for (JsonNode upstream : upstreams) {
      if (upstream.path("id").asString("").equals(id)) {
        return upstream;
      }
    }
    return JsonNodeFactory.instance.objectNode();
  }

  /** Returns the zone of the times that are shown. */
  ZoneId zone() {
    return zone;
  }

  /** Returns the state of the instance; empty until it is known. */
  JsonNode instance() {
    return instance;
  }

  /** Returns the number of upstreams that do not work. */
  long unhealthy() {
    long unhealthy = 0;
    for (JsonNode upstream : upstreams) {
      unhealthy += upstream.path("health").asString("healthy").equals("healthy") ? 0 : 1;
    }
    return unhealthy;
  }

  boolean connected() {
    return connected;
  }

  /** Returns whether there has ever been a connection. */
  boolean everConnected() {
    return everConnected;
  }

  /** Returns the sum of a figure of all endpoints. */
  long sum(String figure) {
    return endpoints.values().stream().mapToLong(each -> each.figure(figure)).sum();
  }

  /** Returns the configuration of the endpoint, empty until it is known. */
  JsonNode config(String path) {
    return configured.equals(path) ? config : JsonNodeFactory.instance.objectNode();
  }

  /** Takes the configuration of an endpoint. */
  void configure(String path, JsonNode known) {
    configured = path;
    config = known;
  }

  /** Notes that the state arrives from now on. */
  void connect() {
    if (everConnected) {
      note(Tone.GOOD, "connected", "", "again");
    }
    connected = true;
    everConnected = true;
    trouble = "";
  }

  void disconnect(String why) {
    if (connected || !why.equals(trouble)) {
      note(Tone.BAD, "not connected", "", why);
    }
    connected = false;
    trouble = why;
  }

  /** Applies a change of state. */
  void update(String name, JsonNode data) {
    switch (name) {
      case "endpoints" -> endpoints(data);
      case "upstreams" -> upstreams = data;
      case "instance" -> instance = data;
      default -> {} // missed snapshots lose nothing
    }
  }

  private void endpoints(JsonNode changes) {
    if (changes.path("whole").asBoolean(false)) {
      endpoints.clear();
    }
    for (JsonNode path : changes.path("removed")) {
      endpoints.remove(path.asString(""));
    }
    for (JsonNode row : changes.path("rows")) {
      String path = row.path("path").asString("");
      endpoints.put(path, new WatchedEndpoint(path, row));
    }
  }

  /** Adds an event to the log. */
  void event(String name, JsonNode data) {
    StringJoiner detail = new StringJoiner(", ");
    data.path("words").forEach(each -> detail.add(each.asString("")));
    String endpoint = data.path("endpoint").asString("");
    add(new Line(time(data), tone(data), name, endpoint, ticket(data) + detail));
  }

  private static String ticket(JsonNode data) {
    JsonNode ticket = data.path("ticket");
    return ticket.isIntegralNumber() ? "#" + ticket.asLong() + " " : "";
  }

  private static Tone tone(JsonNode data) {
    return switch (data.path("tone").asString("")) {
      case "news" -> Tone.NEWS;
      case "good" -> Tone.GOOD;
      case "fair" -> Tone.FAIR;
      case "bad" -> Tone.BAD;
      case "odd" -> Tone.ODD;
      default -> Tone.PLAIN;
    };
  }

  /** Adds a log line of this program itself. */
  void note(Tone tone, String what, String endpoint, String detail) {
    add(new Line(text(Instant.ofEpochMilli(clock.millis())), tone, what, endpoint, detail));
  }

  private void add(Line line) {
    log.addFirst(line);
    if (log.size() > MOST_LINES) {
      log.removeLast();
    }
  }

  private String time(JsonNode data) {
    try {
      return text(Instant.parse(data.path("at").asString("")));
    } catch (DateTimeException none) {
      return text(Instant.ofEpochMilli(clock.millis()));
    }
  }

  private String text(Instant at) {
    return TIME.format(LocalTime.ofInstant(at, zone));
  }
}
