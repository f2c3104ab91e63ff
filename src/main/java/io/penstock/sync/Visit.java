package io.penstock.sync;

import io.penstock.coordination.Agenda;
import io.penstock.coordination.Kind;
import io.penstock.coordination.Operation;
import io.penstock.coordination.Reply;
import io.penstock.coordination.Turn;
import io.penstock.sync.ObjectScript.Given;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A turn of this instance at a shared object. One thread at a time. */
final class Visit {
  /** How far it has come. */
  enum Phase {
    /** Its operation is on the way. */
    SENT,
    /** It waits. */
    WAITS,
    /** It is served, and Redis is to know that this was heard before its client does. */
    HEARD,
    /** It has its answer, or needs none. */
    OVER
  }

  final String key;
  final String name;
  final long number;
  final long deadlineNanos;

  /** Whether it may wait, as the script has it. */
  final char mode;

  private @Nullable Turn turn;
  private String id = "";
  Phase phase = Phase.SENT;
  Agenda.@Nullable Entry deadline;

  /** What it was given there, or null. */
  @Nullable Given given;

  /** What it is to be answered once it is known that it may be, or null. */
  @Nullable Reply answer;

  Visit(String key, String name, long number, long deadlineNanos, char mode) {
    this.key = key;
    this.name = name;
    this.number = number;
    this.deadlineNanos = deadlineNanos;
    this.mode = mode;
  }

  /** Begins its turn. */
  Turn begin(Operation operation, long nowNanos, Consumer<Visit> departure) {
    Turn begun = new Turn(operation, nowNanos, gone -> departure.accept(this));
    turn = begun;
    return begun;
  }

  Turn turn() {
    return Objects.requireNonNull(turn, "the turn has begun");
  }

  Operation operation() {
    return turn().operation();
  }

  Kind kind() {
    return operation().kind();
  }

  /** Returns what the script knows it by. */
  String id() {
    return id;
  }

  /** Returns whether it counts among those who may wait. */
  boolean counted() {
    return mode == 'w';
  }

  /** Returns whether it is of that instance. */
  boolean isOf(String instance) {
    return id.equals(instance + ":" + number);
  }

  /** Has it be one of an instance. */
  void of(String instance) {
    id = instance + ":" + number;
  }

  /** Returns whether nobody is to hear of its answer. */
  boolean unwanted() {
    return turn().cancelled() || turn().reply() != null;
  }

  /** Returns whether it was given what can be given back. */
  boolean has() {
    Given has = given;
    return has != null && ObjectScript.gives(kind(), has.code());
  }
}
