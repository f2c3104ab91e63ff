package io.penstock.redis.coordination;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.coordination.TimedTasks;
import io.penstock.redis.coordination.ObjectScript.TurnResult;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A turn of this instance at a shared object. Used by one thread at a time. */
final class PendingCall {
  /** Progress of a turn. */
  enum Phase {
    /** Its operation is under way to Redis. */
    SENT,
    /** It waits. */
    WAITS,
    /** It is served. Redis must know that this instance received that before the client does. */
    HEARD,
    /** It has its answer, or needs none. */
    OVER
  }

  final String key;
  final String tenant;
  final String name;
  final long number;
  final long deadlineNanos;

  /** Whether it may wait, as the script defines it. */
  final char mode;

  private @Nullable ClientTurn clientTurn;
  private String id = "";
  Phase phase = Phase.SENT;
  TimedTasks.@Nullable Entry deadline;

  /** Result that the script gave it, or null. */
  @Nullable TurnResult given;

  /** Reply to send once this is known to be allowed, or null. */
  @Nullable ObjectReply answer;

  /** Whether it may not wait because too many of its tenant wait. */
  boolean ownFull;

  /** Number of admissions of its object that it has asked for. */
  int admissions;

  PendingCall(String key, String tenant, String name, long number, long deadlineNanos, char mode) {
    this.key = key;
    this.tenant = tenant;
    this.name = name;
    this.number = number;
    this.deadlineNanos = deadlineNanos;
    this.mode = mode;
  }

  /** Begins its turn. */
  ClientTurn begin(
      ObjectOperation objectOperation, long nowNanos, Consumer<PendingCall> departure) {
    ClientTurn begun = new ClientTurn(objectOperation, nowNanos, turn -> departure.accept(this));
    clientTurn = begun;
    return begun;
  }

  ClientTurn turn() {
    return Objects.requireNonNull(clientTurn, "the turn has begun");
  }

  ObjectOperation operation() {
    return turn().operation();
  }

  ObjectKind kind() {
    return operation().kind();
  }

  /** Returns the identifier of the turn in the script. */
  String id() {
    return id;
  }

  /** Returns whether it counts towards the maximum of waiting turns. */
  boolean counted() {
    return mode == 'w';
  }

  /** Returns whether it belongs to that instance. */
  boolean isOf(String instance) {
    return id.equals(instance + ":" + number);
  }

  /** Assigns it to an instance. */
  void of(String instance) {
    id = instance + ":" + number;
  }

  /** Returns whether its answer is not needed any more. */
  boolean isUnwanted() {
    return turn().cancelled() || turn().reply() != null;
  }

  /** Returns whether it has a result that can be given back. */
  boolean has() {
    TurnResult has = given;
    return has != null && ObjectScript.gives(kind(), has.code());
  }
}
