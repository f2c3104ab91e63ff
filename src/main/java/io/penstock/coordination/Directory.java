package io.penstock.coordination;

import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All coordination objects, by name. Time is an argument and never goes back; nothing happens
 * between calls. Used by one thread at a time.
 */
final class Directory {
  private record Id(Kind kind, String name) {}

  private final Bounds bounds;
  private final WallClock wall;
  private final Consumer<Turn> departure;
  private final Map<Id, Named> objects = new HashMap<>();
  private final Agenda agenda = new Agenda();
  private final Places places;
  private final Places waiters;
  private List<Turn> answered = new ArrayList<>();

  /**
   * Creates an empty directory.
   *
   * @param wall gives times in statistics; it is used for nothing else
   * @param departure receives turns of clients that go away
   */
  Directory(Bounds bounds, WallClock wall, Consumer<Turn> departure) {
    this.bounds = bounds;
    this.wall = wall;
    this.departure = departure;
    this.places = new Places(bounds.holds());
    this.waiters = new Places(bounds.waiters());
  }

  /**
   * Does everything that is due at an instant, and returns the next instant at which anything is
   * due.
   */
  long step(long nowNanos) {
    agenda.run(nowNanos);
    return agenda.nextNanos();
  }

  /**
   * Returns the turns that were answered since the last call; the caller must {@linkplain Turn#tell
   * pass on} the answers.
   */
  List<Turn> answered() {
    List<Turn> told = answered;
    answered = new ArrayList<>();
    return told;
  }

  /** Does what is due, and then an operation as in {@link Coordination#call}. */
  Turn call(String name, Operation operation, long maxWaitNanos, long nowNanos) {
    step(nowNanos);
    Turn turn = new Turn(operation, nowNanos, departure);
    Id id = new Id(operation.kind(), name);
    Named known = objects.get(id);
    if (known != null) {
      known.usedNanos = nowNanos;
    }
    switch (operation) {
      case Operation.Inspect _ ->
          answer(
              turn, known == null ? Replies.MISSING : new Reply.Told(known.statistics(nowNanos)));
      case Operation.Delete _ -> answer(turn, delete(id, known));
      case Operation.Release _ when known == null -> answer(turn, Replies.NOT_HELD);
      default -> {
        Named object = known == null ? made(id, operation, nowNanos) : known;
        if (object == null) {
          answer(turn, Replies.tooManyObjects(bounds));
        } else {
          turn.object = object;
          done(turn, object, maxWaitNanos, nowNanos);
        }
      }
    }
    return turn;
  }

  private void done(Turn turn, Named object, long maxWaitNanos, long nowNanos) {
    if (turn.operation().waits()) {
      object.adjust(turn.operation(), nowNanos);
      Reply again = object.again(turn.operation(), nowNanos);
      if (again == null) {
        object.join(turn);
      } else {
        answer(turn, again);
      }
      serve(object, nowNanos);
      if (turn.reply() == null) {
        park(turn, object, maxWaitNanos);
      }
    } else {
      answer(turn, object.act(turn.operation(), wall.unixMillis(), nowNanos));
      serve(object, nowNanos);
    }
    schedule(object);
  }

  private void park(Turn turn, Named object, long maxWaitNanos) {
    if (maxWaitNanos == 0) {
      object.leave(turn);
      object.timedOut();
      answer(turn, Replies.TIMED_OUT);
      return;
    }
    if (!waiters.take()) {
      object.leave(turn);
      answer(turn, Replies.tooManyWait(bounds));
      return;
    }
    turn.parked = true;
    long atNanos = maxWaitNanos < 0 ? Ticker.NEVER : Named.later(turn.arrivedNanos(), maxWaitNanos);
    turn.deadline = agenda.note(atNanos, true, now -> expired(turn, object));
  }

  private void expired(Turn turn, Named object) {
    turn.deadline = null;
    if (object.leave(turn)) {
      object.timedOut();
      answer(turn, Replies.TIMED_OUT);
    }
    schedule(object);
  }

  /** Removes a turn from its wait list, or takes back its grant, because its client went away. */
  void left(Turn turn, long nowNanos) {
    step(nowNanos);
    Named object = turn.object;
    if (object == null) {
      return;
    }
    if (object.leave(turn)) {
      settled(turn);
    } else {
      object.undo(turn, nowNanos);
      serve(object, nowNanos);
    }
    schedule(object);
  }

  /** Ends all waits with {@code answer}. */
  void dismiss(Reply answer) {
    for (Named object : objects.values()) {
      object.dismiss(answer).forEach(this::note);
      schedule(object);
    }
  }

  /** Returns the number of waiting clients. */
  long waiting() {
    return waiters.taken();
  }

  /** Returns the number of objects. */
  long objects() {
    return objects.size();
  }

  private Reply delete(Id id, @Nullable Named object) {
    if (object == null) {
      return Replies.MISSING;
    }
    objects.remove(id);
    object.dismiss(Replies.deleted(id.kind())).forEach(this::note);
    agenda.strike(object.alarm);
    if (object instanceof Semaphore semaphore) {
      semaphore.clear();
    }
    return Replies.DONE;
  }

  private @Nullable Named made(Id id, Operation first, long nowNanos) {
    if (objects.size() >= bounds.objects()) {
      return null;
    }
    long millis = wall.unixMillis();
    Named made =
        switch (first) {
          case Operation.TakeToken take -> new TokenBucket(take, millis, nowNanos);
          case Operation.Acquire acquire -> new Semaphore(acquire, places, millis);
          case Operation.Arrive arrive -> new Barrier(arrive, millis);
          case Operation.AwaitSilence _, Operation.Kick _ -> new Watchdog(millis, nowNanos);
          case Operation.AwaitEvent _, Operation.Send _ -> new Signal(millis);
          case Operation.Count _, Operation.Value _, Operation.Reset _ -> new Counter(millis);
          case Operation.Release _, Operation.Inspect _, Operation.Delete _ ->
              throw new IllegalStateException("makes nothing: " + first);
        };
    made.usedNanos = nowNanos;
    objects.put(id, made);
    if (id.kind() == Kind.TOKENBUCKET || id.kind() == Kind.SEMAPHORE || id.kind() == Kind.COUNTER) {
      forgetLater(id, made);
    }
    return made;
  }

  private void forgetLater(Id id, Named object) {
    long atNanos = Named.later(object.usedNanos, bounds.idleNanos());
    agenda.note(atNanos, true, now -> forget(id, object, now));
  }

  private void forget(Id id, Named object, long nowNanos) {
    if (objects.get(id) != object) {
      return; // was deleted meanwhile
    }
    boolean unused = nowNanos - object.usedNanos >= bounds.idleNanos();
    if (unused && object.waiting() == 0 && object.blank(nowNanos)) {
      objects.remove(id);
      agenda.strike(object.alarm);
      return;
    }
    if (unused) {
      object.usedNanos = nowNanos; // check again after the same time
    }
    forgetLater(id, object);
  }

  private void serve(Named object, long nowNanos) {
    object.serveAll(nowNanos).forEach(this::note);
  }

  /**
   * Schedules the instant at which the first waiter of an object can be served because of time
   * alone.
   */
  private void schedule(Named object) {
    long atNanos = object.waiting() == 0 ? Ticker.NEVER : object.nextNanos();
    Agenda.Entry before = object.alarm;
    if (before != null && before.atNanos() == atNanos) {
      return;
    }
    agenda.strike(before);
    object.alarm = agenda.note(atNanos, false, now -> due(object, now));
  }

  private void due(Named object, long nowNanos) {
    object.alarm = null;
    if (object.waiting() > 0) {
      object.usedNanos = nowNanos;
    }
    serve(object, nowNanos);
    schedule(object);
  }

  private void answer(Turn turn, Reply reply) {
    turn.answer(reply);
    note(turn);
  }

  private void note(Turn turn) {
    settled(turn);
    answered.add(turn);
  }

  private void settled(Turn turn) {
    agenda.strike(turn.deadline);
    turn.deadline = null;
    if (turn.parked) {
      turn.parked = false;
      waiters.free(1);
    }
  }
}
