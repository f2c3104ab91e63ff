package io.penstock.coordination;

import io.penstock.tenant.SharedState;
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
abstract sealed class CoordinationObject
    permits TokenBucketObject,
        SemaphoreObject,
        SignalObject,
        WatchdogObject,
        CounterObject,
        BarrierObject {
  private static final long MILLI = 1_000_000L;

  @SharedState("coordination objects")
  private final SequencedSet<ClientTurn> waiting = new LinkedHashSet<>();

  private final long createdMillis;
  private long served;
  private long waitedNanos;
  private long timedOut;

  /** Instant of its last use. This and its entry of the agenda belong to the directory. */
  long usedNanos;

  TimedTasks.@Nullable Entry alarm;

  /** The tenant that made it, or made it grow last, and the bytes charged to that tenant. */
  String owner = "";

  long chargedBytes;

  /** Its bytes without any content. */
  long emptyBytes;

  /** Length of the longest key of a waiting client or a permit since there was none. */
  private long longestKeyBytes;

  CoordinationObject(long createdMillis) {
    this.createdMillis = createdMillis;
  }

  /** Applies the parameters of an operation, such as a size, if there are any. */
  void adjust(ObjectOperation objectOperation, long nowNanos) {}

  /** Does an operation that never waits. */
  abstract ObjectReply act(ObjectOperation objectOperation, long nowMillis, long nowNanos);

  /**
   * Returns the answer to a client that already has what it asks for, so that it need not wait;
   * else null.
   */
  @Nullable ObjectReply again(ObjectOperation objectOperation, long nowNanos) {
    return null;
  }

  /** Serves the first waiter: returns its answer, or null when it has to go on waiting. */
  abstract @Nullable ObjectReply serve(ClientTurn first, long nowNanos);

  /** Returns the instant from which the first waiter can be served because of time alone. */
  long nextNanos() {
    return Ticker.NEVER;
  }

  /** Takes back the grant of a turn because its client is gone, if it is one that can return. */
  void takeBack(Object given, long nowNanos) {}

  /** Returns whether the object may be forgotten once it was not used for long. */
  boolean blank(long nowNanos) {
    return true;
  }

  /** Returns the number of permits that are held. */
  int held() {
    return 0;
  }

  /** Returns the bytes that an operation adds to the object for good, beside a permit. */
  long addedBytes(ObjectOperation objectOperation) {
    return 0;
  }

  /** Returns the bytes of what the object stores, beside waiting clients and permits. */
  long contentBytes() {
    return 0;
  }

  /** Returns whether a client that arrives now is given a permit at once. */
  boolean grantsAtOnce() {
    return false;
  }

  /**
   * Returns the bytes of waiting clients, permits and content.
   *
   * @param more the number of further waiting clients or permits
   */
  final long filledBytes(int more) {
    long turns = (long) waiting.size() + held() + more;
    longestKeyBytes = turns == 0 ? 0 : longestKeyBytes;
    return contentBytes() + turns * ObjectFootprint.turn(longestKeyBytes);
  }

  /** Takes note of the key that a client states. */
  final void noteKey(ObjectOperation objectOperation) {
    longestKeyBytes = Math.max(longestKeyBytes, keyBytes(objectOperation));
  }

  /** Returns the bytes of the key that a client states, or 0. */
  static long keyBytes(ObjectOperation objectOperation) {
    return objectOperation instanceof ObjectOperation.Acquire acquire
        ? ObjectFootprint.length(acquire.key())
        : 0;
  }

  /** Adds the statistics of this kind of object. */
  abstract void describe(Map<String, Object> statistics, long nowNanos);

  final void join(ClientTurn clientTurn) {
    waiting.add(clientTurn);
  }

  /** Removes a waiting turn; returns false when it did not wait. */
  final boolean leave(ClientTurn clientTurn) {
    return waiting.remove(clientTurn);
  }

  final int waiting() {
    return waiting.size();
  }

  /** Serves the waiters in order of arrival, and returns the turns that have an answer now. */
  final List<ClientTurn> serveAll(long nowNanos) {
    List<ClientTurn> answered = new ArrayList<>();
    while (!waiting.isEmpty()) {
      ClientTurn first = waiting.getFirst();
      ObjectReply reply = first.cancelled() ? ObjectReplies.DONE : serve(first, nowNanos);
      if (reply == null) {
        return answered;
      }
      waiting.removeFirst();
      answered.add(first);
      if (!first.answer(reply)) {
        undo(first, nowNanos); // its client went away while it was served
      }
    }
    return answered;
  }

  /** Takes back the grant of a turn, if it has any. */
  final void undo(ClientTurn clientTurn, long nowNanos) {
    Object given = clientTurn.given;
    clientTurn.given = null;
    if (given != null) {
      served--;
      waitedNanos -= clientTurn.waitedNanos;
      takeBack(given, nowNanos);
    }
  }

  /** Ends all waits with {@code answer}, and returns their turns. */
  final List<ClientTurn> dismiss(ObjectReply answer) {
    List<ClientTurn> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(clientTurn -> clientTurn.answer(answer));
    return all;
  }

  /** Counts a served turn, and stores its grant. */
  final void served(ClientTurn clientTurn, @Nullable Object given, long nowNanos) {
    clientTurn.given = given;
    clientTurn.waitedNanos = nowNanos - clientTurn.arrivedNanos();
    served++;
    waitedNanos += clientTurn.waitedNanos;
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
