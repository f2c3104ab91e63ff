package io.penstock.coordination;

import io.penstock.time.Ticker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * One object, and who waits for it, in order of arrival. What it does depends on its past and on
 * the instants it is given, on nothing else. One thread at a time.
 */
abstract sealed class Named permits TokenBucket, Semaphore, Signal, Watchdog, Counter, Barrier {
  private static final long MILLI = 1_000_000L;

  private final SequencedSet<Turn> waiting = new LinkedHashSet<>();
  private final long createdMillis;
  private long served;
  private long waitedNanos;
  private long timedOut;

  /** When it was used last, and what the agenda has of it; for the directory. */
  long usedNanos;

  Agenda.@Nullable Entry alarm;

  Named(long createdMillis) {
    this.createdMillis = createdMillis;
  }

  /** Takes over what an operation says of it, such as its size. */
  abstract void adjust(Operation operation, long nowNanos);

  /** Does what does not wait. */
  abstract Reply act(Operation operation, long nowMillis, long nowNanos);

  /** Returns the answer to who has already what it asks for, and so never waits; or null. */
  @Nullable Reply again(Operation operation, long nowNanos) {
    return null;
  }

  /** Serves the first that waits: returns its answer, or null when it has to wait on. */
  abstract @Nullable Reply serve(Turn first, long nowNanos);

  /** Returns from when on time alone lets the first that waits be served. */
  abstract long nextNanos();

  /** Takes back what a turn was given whose client is gone. */
  abstract void takeBack(Object given, long nowNanos);

  /** Returns whether nothing is lost when it is made anew. */
  abstract boolean blank(long nowNanos);

  /** Adds what is to be known of it. */
  abstract void describe(Map<String, Object> statistics, long nowNanos);

  final void join(Turn turn) {
    waiting.add(turn);
  }

  /** Has one go that waits; false when it did not. */
  final boolean leave(Turn turn) {
    return waiting.remove(turn);
  }

  final int waiting() {
    return waiting.size();
  }

  /** Serves those that wait, first come, first served, and returns who has an answer now. */
  final List<Turn> serveAll(long nowNanos) {
    List<Turn> gone = new ArrayList<>();
    while (!waiting.isEmpty()) {
      Turn first = waiting.getFirst();
      Reply reply = first.cancelled() ? Replies.DONE : serve(first, nowNanos);
      if (reply == null) {
        return gone;
      }
      waiting.removeFirst();
      gone.add(first);
      if (!first.answer(reply)) {
        undo(first, nowNanos); // its client went away while it was served
      }
    }
    return gone;
  }

  /** Takes back what a turn was given, if anything. */
  final void undo(Turn turn, long nowNanos) {
    Object given = turn.given;
    turn.given = null;
    if (given != null) {
      served--;
      waitedNanos -= turn.waitedNanos;
      takeBack(given, nowNanos);
    }
  }

  /** Has all that wait go, with one answer. */
  final List<Turn> dismiss(Reply answer) {
    List<Turn> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(turn -> turn.answer(answer));
    return all;
  }

  /** Counts one that was served, and what it was given. */
  final void served(Turn turn, @Nullable Object given, long nowNanos) {
    turn.given = given;
    turn.waitedNanos = nowNanos - turn.arrivedNanos();
    served++;
    waitedNanos += turn.waitedNanos;
  }

  final void timedOut() {
    timedOut++;
  }

  /** Returns what happened here so far. */
  final Map<String, Object> statistics(long nowNanos) {
    Map<String, Object> statistics = new LinkedHashMap<>();
    describe(statistics, nowNanos);
    statistics.put("created_at", time(createdMillis));
    return statistics;
  }

  /** Adds how many were served and how long they waited, under the names that kind has for it. */
  final void describeWaits(Map<String, Object> statistics, String servedName) {
    statistics.put(servedName, served);
    statistics.put("timed_out", timedOut);
  }

  final void describeTimes(Map<String, Object> statistics) {
    long millis = waitedNanos / MILLI;
    statistics.put("total_wait_time", millis);
    statistics.put("average_wait_time", served == 0 ? 0.0 : (double) millis / served);
  }

  static String time(long unixMillis) {
    return Instant.ofEpochMilli(unixMillis).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Returns an instant so long from another; one that is too far never comes. */
  static long later(long nowNanos, long byNanos) {
    long at = nowNanos + byNanos;
    return at < nowNanos ? Ticker.NEVER : at;
  }
}
