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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The known state of a watched gateway, from its answers and events. For one thread. */
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
  private final long began;
  private final TreeMap<String, WatchedEndpoint> endpoints = new TreeMap<>();
  private final Deque<Line> log = new ArrayDeque<>();
  private JsonNode upstreams = JsonNodeFactory.instance.arrayNode();
  private boolean connected;
  private boolean everConnected;
  private String trouble = "";
  private long events;

  GatewayBoard(InstantSource clock, ZoneId zone) {
    this.clock = clock;
    this.zone = zone;
    this.began = clock.millis();
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

  boolean connected() {
    return connected;
  }

  /** Returns whether there has ever been a connection. */
  boolean everConnected() {
    return everConnected;
  }

  /** Returns how long the gateway has been watched, in milliseconds. */
  long watchedMillis() {
    return Math.max(0, clock.millis() - began);
  }

  long now() {
    return clock.millis();
  }

  /** Returns the number of events received. */
  long events() {
    return events;
  }

  long waiting() {
    return endpoints.values().stream().mapToLong(WatchedEndpoint::depth).sum();
  }

  /**
   * Notes that events arrive from now on; forgets the known tickets, which may have been those of a
   * previous process.
   */
  void connect() {
    if (everConnected) {
      note(Tone.GOOD, "connected", "", "again");
    }
    connected = true;
    everConnected = true;
    trouble = "";
    endpoints.values().forEach(WatchedEndpoint::forget);
  }

  void disconnect(String why) {
    if (connected || !why.equals(trouble)) {
      note(Tone.BAD, "not connected", "", why);
    }
    connected = false;
    trouble = why;
  }

  /** Takes the answer of {@code GET /endpoints}. */
  void endpoints(JsonNode all) {
    Set<String> paths = new HashSet<>();
    for (JsonNode each : all) {
      String path = each.path("path").asString("");
      paths.add(path);
      endpoints.computeIfAbsent(path, WatchedEndpoint::new).said(each, clock.millis());
    }
    endpoints.keySet().retainAll(paths);
  }

  /** Takes the answer of {@code GET /upstreams}. */
  void upstreams(JsonNode all) {
    upstreams = all;
  }

  /** Takes a page of {@code GET /tickets}. */
  void tickets(String path, JsonNode page) {
    WatchedEndpoint watchedEndpoint = endpoints.get(path);
    if (watchedEndpoint == null) {
      return;
    }
    for (JsonNode ticket : page.isArray() ? page : page.path("tickets")) {
      long id = ticket.path("id").asLong(-1);
      if (id >= 0) {
        watchedEndpoint.arrived(id, clock.millis() - ticket.path("waited_ms").asLong(0));
      }
    }
  }

  /** Applies an event. */
  void told(String name, JsonNode data) {
    events++;
    JsonNode of = data.path("endpoint");
    if (of.isString() && data.has("ticket")) {
      count(name, data, endpoints.computeIfAbsent(of.stringValue(), WatchedEndpoint::new));
    }
    if (name.equals("lost")) {
      endpoints.values().forEach(WatchedEndpoint::forget);
    }
    String detail = EventText.detail(name, data);
    if (detail != null) {
      add(new Line(time(data), EventText.tone(name), name, of.asString(""), detail));
    }
  }

  private void count(String name, JsonNode data, WatchedEndpoint watchedEndpoint) {
    long ticket = data.path("ticket").asLong(-1);
    switch (name) {
      case "queued" -> watchedEndpoint.queued(ticket, clock.millis());
      case "released" -> {
        long waited = data.path("waited_ms").asLong(0);
        watchedEndpoint.left(ticket, waited > 0);
        watchedEndpoint.waits().add(waited);
      }
      case "expired" -> watchedEndpoint.left(ticket, true);
      case "refused", "cancelled" -> watchedEndpoint.left(ticket, false);
      case "settled" -> watchedEndpoint.used(data.path("used_tokens").asLong(0));
      default -> {} // other events only appear in the log
    }
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
