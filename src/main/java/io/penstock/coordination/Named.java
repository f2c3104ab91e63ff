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
 * Coordination object with its waiting clients, in order of arrival. Its behaviour depends only on
 * past calls and their instants. Used by one thread at a time.
 */
abstract sealed class Named permits TokenBucket, Semaphore, Signal, Watchdog, Counter, Barrier {
  private static final long MILLI = 1_000_000L;

  private final SequencedSet<Turn> waiting = new LinkedHashSet<>();
  private final long createdMillis;
  private long served;
  private long waitedNanos;
  private long timedOut;

  /** Instant of its last use. This and its entry of the agenda belong to the directory. */
  long usedNanos;

  Agenda.@Nullable Entry alarm;

  Named(long createdMillis) {
    this.createdMillis = createdMillis;
  }

  /** Applies the parameters of an operation, such as a size. */
  abstract void adjust(Operation operation, long nowNanos);

  /** Does an operation that never waits. */
  abstract Reply act(Operation operation, long nowMillis, long nowNanos);

  /**
   * Returns the answer to a client that already has what it asks for, so that it need not wait;
   * else null.
   */
  @Nullable Reply again(Operation operation, long nowNanos) {
    return null;
  }

  /** Serves the first waiter: returns its answer, or null when it has to go on waiting. */
  abstract @Nullable Reply serve(Turn first, long nowNanos);

  /** Returns the instant from which the first waiter can be served because of time alone. */
  abstract long nextNanos();

  /** Takes back the grant of a turn because its client is gone. */
  abstract void takeBack(Object given, long nowNanos);

  /** Returns whether nothing is lost if the object is removed and created again. */
  abstract boolean blank(long nowNanos);

  /** Adds the statistics of this kind of object. */
  abstract void describe(Map<String, Object> statistics, long nowNanos);

  final void join(Turn turn) {
    waiting.add(turn);
  }

  /** Removes a waiting turn; returns false when it did not wait. */
  final boolean leave(Turn turn) {
    return waiting.remove(turn);
  }

  final int waiting() {
    return waiting.size();
  }

  /** Serves the waiters in order of arrival, and returns the turns that have an answer now. */
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

  /** Takes back the grant of a turn, if it has any. */
  final void undo(Turn turn, long nowNanos) {
    Object given = turn.given;
    turn.given = null;
    if (given != null) {
      served--;
      waitedNanos -= turn.waitedNanos;
      takeBack(given, nowNanos);
    }
  }

  /** Ends all waits with {@code answer}, and returns their turns. */
  final List<Turn> dismiss(Reply answer) {
    List<Turn> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(turn -> turn.answer(answer));
    return all;
  }

  /** Counts a served turn, and stores its grant. */
  final void served(Turn turn, @Nullable Object given, long nowNanos) {
    turn.given = given;
    turn.waitedNanos = nowNanos - turn.arrivedNanos();
    served++;
    waitedNanos += turn.waitedNanos;
  }

  final void timedOut() {
    timedOut++;
  }

  /** Returns the statistics of the object so far. */
  final Map<String, Object> statistics(long nowNanos) {
    Map<String, Object> statistics = new LinkedHashMap<>();
    describe(statistics, nowNanos);
    statistics.put("created_at", time(createdMillis));
    return statistics;
  }

  /**
   * Adds how many turns were served, under the name that the kind has for it, and how many timed
   * out.
   */
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

  /** Returns the sum of an instant and a time, {@link Ticker#NEVER} on overflow. */
  static long later(long nowNanos, long byNanos) {
    long at = nowNanos + byNanos;
    return at < nowNanos ? Ticker.NEVER : at;
  }
}
