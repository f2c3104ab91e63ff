package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectReply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statistics of an object under the names that users see. */
final class ObjectStatistics {
  private static final long MICROS_PER_MILLI = 1_000;

  private final Map<String, Long> fields = new HashMap<>();
  private final Map<String, Object> shown = new LinkedHashMap<>();

  private ObjectStatistics(String text) {
    String[] words = text.split(" ", -1);
    for (int i = 0; i + 1 < words.length; i += 2) {
      fields.put(words[i], Long.parseLong(words[i + 1]));
    }
  }

  /**
   * Returns the statistics that the script wrote as names and numbers, or null when they are
   * incomplete.
   */
  static @Nullable ObjectReply parse(ObjectKind kind, String text) {
    try {
      ObjectStatistics statistics = new ObjectStatistics(text);
      statistics.show(kind);
      return new ObjectReply.Statistics(statistics.shown);
    } catch (NumberFormatException odd) {
      return null;
    }
  }

  private void show(ObjectKind kind) {
    switch (kind) {
      case TOKENBUCKET -> {
        waits("acquired");
        times();
      }
      case SEMAPHORE -> {
        waits("acquired");
        same("reacquired");
        same("released");
        same("expired");
        put("max_ever_held", "most");
        times();
      }
      case EVENT -> {
        waits("waited");
        put("triggered", "sent");
        times();
      }
      case WATCHDOG -> {
        waits("waited");
        same("kicks");
        long kicked = field("kicked");
        shown.put("last_kick", kicked == 0 ? "" : time(kicked));
      }
      case COUNTER -> {
        same("value");
        same("increments");
        same("resets");
      }
      case BARRIER -> {
        same("waiting");
        same("size");
        waits("total_waited");
        shown.put("triggered", field("passing") < 0 ? 0L : 1L);
        times();
      }
    }
    shown.put("created_at", time(field("born") / MICROS_PER_MILLI));
  }

  private void waits(String servedName) {
    put(servedName, "served");
    put("timed_out", "timedout");
  }

  private void times() {
    long millis = field("waited") / MICROS_PER_MILLI;
    long served = field("served");
    shown.put("total_wait_time", millis);
    shown.put("average_wait_time", served == 0 ? 0.0 : (double) millis / served);
  }

  private void same(String name) {
    put(name, name);
  }

  private void put(String name, String field) {
    shown.put(name, field(field));
  }

  private long field(String name) {
    Long value = fields.get(name);
    if (value == null) {
      throw new NumberFormatException(name + " is missing");
    }
    return value;
  }

  private static String time(long unixMillis) {
    return Instant.ofEpochMilli(unixMillis).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
