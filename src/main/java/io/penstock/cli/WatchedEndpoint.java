package io.penstock.cli;

import io.penstock.cli.TerminalStyle.Tone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A watched endpoint: its last reported state, and the changes since. */
final class WatchedEndpoint {
  /**
   * Maximum number of known tickets. They only determine the colours of dots, and a screen has a
   * few hundred.
   */
  private static final int MOST_TICKETS = 2_000;

  /** Tolerance for events that arrive in another order than they happened, in milliseconds. */
  private static final long SLACK = 2_000;

  private final String path;
  private final WaitStatistics waitStatistics = new WaitStatistics();
  private final Map<Long, Long> arrivals = new LinkedHashMap<>();
  private JsonNode said = JsonNodeFactory.instance.objectNode();
  private long saidAt;
  private long since;
  private long tokens;

  WatchedEndpoint(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  WaitStatistics waits() {
    return waitStatistics;
  }

  /** Returns the tokens used since this program started to watch. */
  long tokens() {
    return tokens;
  }

  long figure(String name) {
    return said.path(name).asLong(0);
  }

  double utilization() {
    return said.path("utilization").asDouble(0);
  }

  boolean paused() {
    return said.path("paused").asBoolean(false);
  }

  JsonNode config() {
    return said.path("config");
  }

  /** Returns the number of waiting tickets. */
  long depth() {
    return Math.max(0, figure("queue_depth") + since);
  }

  /** Takes the state that the gateway reports now. */
  void said(JsonNode endpoint, long now) {
    said = endpoint;
    saidAt = now;
    since = 0;
    // Tickets older than the oldest waiting one have left, and their events were lost.
    long oldest = now - figure("oldest_wait_ms") - SLACK;
    arrivals.values().removeIf(at -> at < oldest);
  }

  void queued(long ticket, long now) {
    since++;
    arrived(ticket, now);
  }

  /** Notes a waiting ticket and its arrival time. */
  void arrived(long ticket, long at) {
    if (arrivals.size() < MOST_TICKETS) {
      arrivals.putIfAbsent(ticket, at);
    }
  }

  /**
   * Notes that a ticket has left; {@code counted} says that it counts as having waited even if it
   * is unknown here.
   */
  void left(long ticket, boolean counted) {
    if (arrivals.remove(ticket) != null || counted) {
      since = Math.max(since - 1, -figure("queue_depth"));
    }
  }

  void used(long more) {
    tokens += more;
  }

  /** Forgets the known tickets, after events were lost. */
  void forget() {
    arrivals.clear();
  }

  /**
   * Returns the ages of the waiting tickets, oldest first; if there are more than {@code most}, a
   * sample evenly spread over them.
   */
  List<Tone> ages(int most, long now) {
    long depth = depth();
    int dots = (int) Math.min(depth, Math.max(0, most));
    List<Long> known = known((int) Math.min(depth, MOST_TICKETS));
    long unknown = depth - known.size();
    List<Tone> ages = new ArrayList<>();
    for (int dot = 0; dot < dots; dot++) {
      long place = depth <= dots || dots == 1 ? dot : dot * (depth - 1) / (dots - 1);
      if (place >= unknown) {
        ages.add(tone(now - known.get((int) (place - unknown))));
      } else {
        ages.add(place == 0 ? tone(figure("oldest_wait_ms") + now - saidAt) : Tone.SOFT);
      }
    }
    return ages;
  }

  /**
   * Returns the arrival times of the newest tickets: those that arrived before watching began are
   * unknown.
   */
  private List<Long> known(int most) {
    List<Long> all = new ArrayList<>(arrivals.values());
    all.sort(null);
    return all.subList(Math.max(0, all.size() - most), all.size());
  }

  static Tone tone(long millis) {
    if (millis < 1_000) {
      return Tone.GOOD;
    }
    if (millis < 10_000) {
      return Tone.FAIR;
    }
    return millis < 60_000 ? Tone.LATE : Tone.BAD;
  }
}
