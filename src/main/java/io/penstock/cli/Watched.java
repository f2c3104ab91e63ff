package io.penstock.cli;

import io.penstock.cli.Look.Tone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** An endpoint that is looked at: what it last said of itself, and what happened since. */
final class Watched {
  /** Known tickets are there for the colour of dots, of which a screen has some hundred. */
  private static final int MOST_TICKETS = 2_000;

  /** By how much the order of what arrives here may differ from what happened. */
  private static final long SLACK = 2_000;

  private final String path;
  private final Waits waits = new Waits();
  private final Map<Long, Long> arrivals = new LinkedHashMap<>();
  private JsonNode said = JsonNodeFactory.instance.objectNode();
  private long saidAt;
  private long since;
  private long tokens;

  Watched(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  Waits waits() {
    return waits;
  }

  /** Returns the tokens that were used since this program looks. */
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

  /** Returns how many wait. */
  long depth() {
    return Math.max(0, figure("queue_depth") + since);
  }

  /** Takes what the gateway says now. */
  void said(JsonNode endpoint, long now) {
    said = endpoint;
    saidAt = now;
    since = 0;
    // Whoever arrived before the oldest that waits has gone, and the word of it was lost.
    long oldest = now - figure("oldest_wait_ms") - SLACK;
    arrivals.values().removeIf(at -> at < oldest);
  }

  void queued(long ticket, long now) {
    since++;
    arrived(ticket, now);
  }

  /** A ticket was found waiting, since then. */
  void arrived(long ticket, long at) {
    if (arrivals.size() < MOST_TICKETS) {
      arrivals.putIfAbsent(ticket, at);
    }
  }

  /** It does not wait any more; most never did. */
  void left(long ticket, boolean counted) {
    if (arrivals.remove(ticket) != null || counted) {
      since = Math.max(since - 1, -figure("queue_depth"));
    }
  }

  void used(long more) {
    tokens += more;
  }

  /** Some events were lost: which tickets wait is not known any more. */
  void forget() {
    arrivals.clear();
  }

  /**
   * Returns the ages of the tickets that wait, oldest first; where there are more than {@code most}
   * of them, of some evenly among them.
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

  /** The last to come are known, since it is looked at: those before them are not. */
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
