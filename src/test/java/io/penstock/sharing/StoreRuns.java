package io.penstock.sharing;

import io.penstock.sharing.SliceStore.Run;
import io.penstock.sharing.SliceStore.Seen;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs of a store within one process, with the number of rounds that had been counted when each run
 * ended, as far as the store still knows. Times are microseconds. Belongs to one thread at a time.
 */
final class StoreRuns {
  private static final long NANOS_PER_MICRO = 1_000;

  /** For how long the store remembers how a run ended. */
  private static final long KNOWN_MICROS = TimeUnit.HOURS.toMicros(48);

  /**
   * The end of a run.
   *
   * @param count the number of rounds that had been counted
   * @param at the time of the first round of the next run
   * @param next the name of the next run
   */
  private record Ended(long count, long at, String next) {}

  private final Map<String, Ended> ended = new HashMap<>();

  /** The last run with a round; null before the first round. */
  private @Nullable String before;

  private String name;

  /** Time of the first round of this run; negative before it. */
  private long begunAt = -1;

  /** Time of the last round of the previous run; negative when there was none. */
  private long beforeAt = -1;

  private long count;
  private long heardAt = -1;

  /**
   * Starts a first run.
   *
   * @param name name of that run, different for each store that begins without data
   */
  StoreRuns(String name) {
    this.name = name;
  }

  /** Starts another run, which goes on with the data of this one. */
  void next(String other) {
    if (!other.equals(name)) {
      name = other;
      begunAt = -1;
      beforeAt = heardAt;
    }
  }

  /**
   * Starts a new run because a member has seen that the store was rolled back: nothing that was
   * answered in the run of {@code seen} is certain.
   */
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

  /** Notes that a round has arrived. */
  void begin(long now) {
    if (begunAt < 0) {
      begunAt = now;
      if (before != null) {
        ended.put(before, new Ended(count, now, name));
      }
      before = name;
    }
  }

  /** Notes that the round was counted. */
  void roundCounted(long counted, long now) {
    count = counted;
    heardAt = now;
  }

  /** Forgets runs that ended long ago. */
  void forget(long now) {
    ended.values().removeIf(each -> now - each.at() > KNOWN_MICROS);
  }

  boolean is(String run) {
    return name.equals(run);
  }

  /** Returns whether a member was told about rounds of this life that the store does not know. */
  boolean fell(Seen seen, long counted) {
    return is(seen.run()) ? seen.count() > counted : seen.count() > keptSince(seen.run());
  }

  /**
   * Returns how many of the rounds that had been counted at the last answer to a member are
   * certainly known to the store; {@link Long#MAX_VALUE} when all are.
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
