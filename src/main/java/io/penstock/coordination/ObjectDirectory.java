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
final class ObjectDirectory {
  private record Id(ObjectKind kind, String name) {}

  private final ObjectBounds bounds;
  private final WallClock wall;
  private final Consumer<ClientTurn> departure;
  private final Map<Id, CoordinationObject> objects = new HashMap<>();
  private final TimedTasks timedTasks = new TimedTasks();
  private final BoundedCount boundedCount;
  private final BoundedCount waiters;
  private List<ClientTurn> answered = new ArrayList<>();

  /**
   * Creates an empty directory.
   *
   * @param wall gives times in statistics; it is used for nothing else
   * @param departure receives turns of clients that go away
   */
  ObjectDirectory(ObjectBounds bounds, WallClock wall, Consumer<ClientTurn> departure) {
    this.bounds = bounds;
    this.wall = wall;
    this.departure = departure;
    this.boundedCount = new BoundedCount(bounds.holds());
    this.waiters = new BoundedCount(bounds.waiters());
  }

  /**
   * Does everything that is due at an instant, and returns the next instant at which anything is
   * due.
   */
  long step(long nowNanos) {
    timedTasks.run(nowNanos);
    return timedTasks.nextNanos();
  }

  /**
   * Returns the turns that were answered since the last call; the caller must {@linkplain
   * ClientTurn#deliverAnswer pass on} the answers.
   */
  List<ClientTurn> answered() {
    List<ClientTurn> answeredTurns = answered;
    answered = new ArrayList<>();
    return answeredTurns;
  }

  /** Does what is due, and then an operation as in {@link CoordinationService#call}. */
  ClientTurn call(String name, ObjectOperation objectOperation, long maxWaitNanos, long nowNanos) {
    step(nowNanos);
    ClientTurn clientTurn = new ClientTurn(objectOperation, nowNanos, departure);
    Id id = new Id(objectOperation.kind(), name);
    CoordinationObject known = objects.get(id);
    if (known != null) {
      known.usedNanos = nowNanos;
    }
    switch (objectOperation) {
      case ObjectOperation.Inspect _ ->
          answer(
              clientTurn,
              known == null
                  ? ObjectReplies.MISSING
                  : new ObjectReply.Statistics(known.statistics(nowNanos)));
      case ObjectOperation.Delete _ -> answer(clientTurn, delete(id, known));
      case ObjectOperation.Release _ when known == null ->
          answer(clientTurn, ObjectReplies.NOT_HELD);
      default -> {
        CoordinationObject object = known == null ? made(id, objectOperation, nowNanos) : known;
        if (object == null) {
          answer(clientTurn, ObjectReplies.tooManyObjects(bounds));
        } else {
          clientTurn.object = object;
          done(clientTurn, object, maxWaitNanos, nowNanos);
        }
      }
    }
    return clientTurn;
  }

  private void done(
      ClientTurn clientTurn, CoordinationObject object, long maxWaitNanos, long nowNanos) {
    if (clientTurn.operation().waits()) {
      object.adjust(clientTurn.operation(), nowNanos);
      ObjectReply again = object.again(clientTurn.operation(), nowNanos);
      if (again == null) {
        object.join(clientTurn);
      } else {
        answer(clientTurn, again);
      }
      serve(object, nowNanos);
      if (clientTurn.reply() == null) {
        park(clientTurn, object, maxWaitNanos);
      }
    } else {
      answer(clientTurn, object.act(clientTurn.operation(), wall.unixMillis(), nowNanos));
      serve(object, nowNanos);
    }
    schedule(object);
  }

  private void park(ClientTurn clientTurn, CoordinationObject object, long maxWaitNanos) {
    if (maxWaitNanos == 0) {
      object.leave(clientTurn);
      object.timedOut();
      answer(clientTurn, ObjectReplies.TIMED_OUT);
      return;
    }
    if (!waiters.take()) {
      object.leave(clientTurn);
      answer(clientTurn, ObjectReplies.tooManyWait(bounds));
      return;
    }
    clientTurn.parked = true;
    long atNanos =
        maxWaitNanos < 0
            ? Ticker.NEVER
            : CoordinationObject.later(clientTurn.arrivedNanos(), maxWaitNanos);
    clientTurn.deadline = timedTasks.note(atNanos, true, now -> expired(clientTurn, object));
  }

  private void expired(ClientTurn clientTurn, CoordinationObject object) {
    clientTurn.deadline = null;
    if (object.leave(clientTurn)) {
      object.timedOut();
      answer(clientTurn, ObjectReplies.TIMED_OUT);
    }
    schedule(object);
  }

  /** Removes a turn from its wait list, or takes back its grant, because its client went away. */
  void left(ClientTurn clientTurn, long nowNanos) {
    step(nowNanos);
    CoordinationObject object = clientTurn.object;
    if (object == null) {
      return;
    }
    if (object.leave(clientTurn)) {
      settled(clientTurn);
    } else {
      object.undo(clientTurn, nowNanos);
      serve(object, nowNanos);
    }
    schedule(object);
  }

  /** Ends all waits with {@code answer}. */
  void dismiss(ObjectReply answer) {
    for (CoordinationObject object : objects.values()) {
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

  private ObjectReply delete(Id id, @Nullable CoordinationObject object) {
    if (object == null) {
      return ObjectReplies.MISSING;
    }
    objects.remove(id);
    object.dismiss(ObjectReplies.deleted(id.kind())).forEach(this::note);
    timedTasks.strike(object.alarm);
    if (object instanceof SemaphoreObject semaphore) {
      semaphore.clear();
    }
    return ObjectReplies.DONE;
  }

  private @Nullable CoordinationObject made(Id id, ObjectOperation first, long nowNanos) {
    if (objects.size() >= bounds.objects()) {
      return null;
    }
    long millis = wall.unixMillis();
    CoordinationObject made =
        switch (first) {
          case ObjectOperation.TakeToken take -> new TokenBucketObject(take, millis, nowNanos);
          case ObjectOperation.Acquire acquire ->
              new SemaphoreObject(acquire, boundedCount, millis);
          case ObjectOperation.Arrive arrive -> new BarrierObject(arrive, millis);
          case ObjectOperation.AwaitSilence _, ObjectOperation.Kick _ ->
              new WatchdogObject(millis, nowNanos);
          case ObjectOperation.AwaitEvent _, ObjectOperation.Send _ -> new SignalObject(millis);
          case ObjectOperation.Count _, ObjectOperation.Value _, ObjectOperation.Reset _ ->
              new CounterObject(millis);
          case ObjectOperation.Release _, ObjectOperation.Inspect _, ObjectOperation.Delete _ ->
              throw new IllegalStateException("makes nothing: " + first);
        };
    made.usedNanos = nowNanos;
    objects.put(id, made);
    if (id.kind() == ObjectKind.TOKENBUCKET
        || id.kind() == ObjectKind.SEMAPHORE
        || id.kind() == ObjectKind.COUNTER) {
      forgetLater(id, made);
    }
    return made;
  }

  private void forgetLater(Id id, CoordinationObject object) {
    long atNanos = CoordinationObject.later(object.usedNanos, bounds.idleNanos());
    timedTasks.note(atNanos, true, now -> forget(id, object, now));
  }

  private void forget(Id id, CoordinationObject object, long nowNanos) {
    if (objects.get(id) != object) {
      return; // was deleted meanwhile
    }
    boolean unused = nowNanos - object.usedNanos >= bounds.idleNanos();
    if (unused && object.waiting() == 0 && object.blank(nowNanos)) {
      objects.remove(id);
      timedTasks.strike(object.alarm);
      return;
    }
    if (unused) {
      object.usedNanos = nowNanos; // check again after the same time
    }
    forgetLater(id, object);
  }

  private void serve(CoordinationObject object, long nowNanos) {
    object.serveAll(nowNanos).forEach(this::note);
  }

  /**
   * Schedules the instant at which the first waiter of an object can be served because of time
   * alone.
   */
  private void schedule(CoordinationObject object) {
    long atNanos = object.waiting() == 0 ? Ticker.NEVER : object.nextNanos();
    TimedTasks.Entry before = object.alarm;
    if (before != null && before.atNanos() == atNanos) {
      return;
    }
    timedTasks.strike(before);
    object.alarm = timedTasks.note(atNanos, false, now -> due(object, now));
  }

  private void due(CoordinationObject object, long nowNanos) {
    object.alarm = null;
    if (object.waiting() > 0) {
      object.usedNanos = nowNanos;
    }
    serve(object, nowNanos);
    schedule(object);
  }

  private void answer(ClientTurn clientTurn, ObjectReply objectReply) {
    clientTurn.answer(objectReply);
    note(clientTurn);
  }

  private void note(ClientTurn clientTurn) {
    settled(clientTurn);
    answered.add(clientTurn);
  }

  private void settled(ClientTurn clientTurn) {
    timedTasks.strike(clientTurn.deadline);
    clientTurn.deadline = null;
    if (clientTurn.parked) {
      clientTurn.parked = false;
      waiters.free(1);
    }
  }
}
