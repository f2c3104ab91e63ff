package io.penstock.quota;

import io.penstock.quota.Supply.Run;
import io.penstock.quota.Supply.Seen;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a store within one process, and how many rounds had been counted when each of them
 * ended, as far as the store still knows. Times are microseconds. Belongs to one thread at a time.
 */
final class MemoryRuns {
  private static final long NANOS_PER_MICRO = 1_000;

  /** How long the store knows how a run ended. */
  private static final long KNOWN_MICROS = TimeUnit.HOURS.toMicros(48);

  /**
   * The end of a run.
   *
   * @param count how many rounds had been counted
   * @param at when the first round of the next run was
   * @param next the name of the next run
   */
  private record Ended(long count, long at, String next) {}

  private final Map<String, Ended> ended = new HashMap<>();

  /** The last run in which a round was; null before the first round. */
  private @Nullable String before;

  private String name;

  /** When the first round of this run was; negative before it. */
  private long begunAt = -1;

  /** When the last round of the run before was; negative when there was none. */
  private long beforeAt = -1;

  private long count;
  private long heardAt = -1;

  /**
   * Begins with a first run.
   *
   * @param name of that run, another one for each store that begins with nothing
   */
  MemoryRuns(String name) {
    this.name = name;
  }

  /** Another run goes on with what this one knew. */
  void next(String other) {
    if (!other.equals(name)) {
      name = other;
      begunAt = -1;
      beforeAt = heardAt;
    }
  }

  /** A member knows that the store was rolled back: nothing that was told in its run is sure. */
  void rolledBack(Seen seen, long now) {
    if (seen.run().equals(name)) {
      String next = name + "~" + now + "-" + count;
      ended.put(name, new Ended(0, now, next));
      before = next;
      name = next;
      begunAt = now;
      beforeAt = -1;
    }
  }

  /** A round has come. */
  void begin(long now) {
    if (begunAt < 0) {
      begunAt = now;
      if (before != null) {
        ended.put(before, new Ended(count, now, name));
      }
      before = name;
    }
  }

  /** It was counted. */
  void heard(long counted, long now) {
    count = counted;
    heardAt = now;
  }

  /** Forgets how runs ended that ended long ago. */
  void forget(long now) {
    ended.values().removeIf(each -> now - each.at() > KNOWN_MICROS);
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
    long least = Long.MAX_VALUE;
    String at = run;
    while (!is(at)) {
      Ended end = ended.get(at);
      if (end == null) {
        return 0;
      }
      least = Math.min(least, end.count());
      at = end.next();
    }
    return least;
  }

  Run now(long kept, long now) {
    long gap = beforeAt < 0 ? Long.MAX_VALUE : Math.max(0, begunAt - beforeAt) * NANOS_PER_MICRO;
    return new Run(name, Math.max(0, now - begunAt) * NANOS_PER_MICRO, gap, kept);
  }
}
