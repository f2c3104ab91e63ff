package io.penstock.quota;

import io.penstock.quota.Supply.Run;
import io.penstock.quota.Supply.Seen;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a store within one process, and how many rounds had been counted when each of them
 * ended, as far as the store still knows. Times are microseconds. Belongs to one thread at a time.
 */
final class MemoryRuns {
  private static final String FIRST = "first";
  private static final long NANOS_PER_MICRO = 1_000;

  /** How many rounds were counted when a run ended, oldest first. */
  private final Map<String, Long> ended = new LinkedHashMap<>();

  private String name = FIRST;

  /** When the first round of this run was; negative before it. */
  private long begunAt = -1;

  /** When the last round of the run before was; negative when there was none. */
  private long beforeAt = -1;

  private long count;
  private long heardAt = -1;

  /** Another run goes on with what this one knew. */
  void next(String other) {
    if (!other.equals(name)) {
      end(other, count);
    }
  }

  private void end(String other, long kept) {
    ended.put(name, kept);
    name = other;
    begunAt = -1;
    beforeAt = heardAt;
  }

  /** A member knows that the store was rolled back: nothing that was told in its run is sure. */
  void rolledBack(Seen seen, long now) {
    if (seen.run().equals(name)) {
      end(name + "~" + now + "-" + count, 0);
      begunAt = now;
      beforeAt = -1;
    }
  }

  /** A round has come. */
  void begin(long now) {
    begunAt = begunAt < 0 ? now : begunAt;
  }

  /** It was counted. */
  void heard(long counted, long now) {
    count = counted;
    heardAt = now;
  }

  boolean is(String run) {
    return name.equals(run);
  }

  /** Returns whether a member was told of rounds of this life that the store does not know of. */
  boolean fell(Seen seen, long counted) {
    return is(seen.run()) ? seen.count() > counted : seen.count() > keptSince(seen.run());
  }

  /**
   * Returns how many of the rounds that were counted when a member was answered last the store
   * surely knows.
   */
  long kept(@Nullable Seen seen, String life, long counted) {
    if (seen == null) {
      return Long.MAX_VALUE;
    }
    boolean same = origin(seen.life()).equals(origin(life));
    if (same && is(seen.run())) {
      return seen.count() > counted ? 0 : Long.MAX_VALUE;
    }
    long kept = same ? keptSince(seen.run()) : 0;
    return seen.count() > kept ? kept : Long.MAX_VALUE;
  }

  private static String origin(String life) {
    return life.replaceFirst("~.*", "");
  }

  private long keptSince(String run) {
    if (!ended.containsKey(run)) {
      return 0;
    }
    long least = Long.MAX_VALUE;
    boolean since = false;
    for (Map.Entry<String, Long> each : ended.entrySet()) {
      since |= each.getKey().equals(run);
      least = since ? Math.min(least, each.getValue()) : least;
    }
    return least;
  }

  Run now(long kept, long now) {
    long gap = beforeAt < 0 ? Long.MAX_VALUE : Math.max(0, begunAt - beforeAt) * NANOS_PER_MICRO;
    return new Run(name, Math.max(0, now - begunAt) * NANOS_PER_MICRO, gap, kept);
  }
}
