package io.penstock.coordination;

import io.penstock.tenant.SharedState;
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

  @SharedState("coordination objects")
  private final Map<Id, CoordinationObject> objects = new HashMap<>();

  private final TimedTasks timedTasks = new TimedTasks();
  private final BoundedCount boundedCount;
  private final TenantBound waiters;
  private final TenantBound places;
  private final TenantBound bytes;

  @SharedState("coordination objects")
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
    this.waiters = new TenantBound(bounds.waiters(), bounds.ownWaiters());
    this.places = new TenantBound(bounds.objects(), bounds.ownObjects());
    this.bytes = new TenantBound(bounds.bytes(), bounds.ownBytes());
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
  ClientTurn call(
      String tenant,
      String name,
      ObjectOperation objectOperation,
      long maxWaitNanos,
      long nowNanos) {
    step(nowNanos);
    ClientTurn clientTurn = new ClientTurn(objectOperation, nowNanos, departure);
    clientTurn.tenant = tenant;
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
        ObjectReply full = known == null ? creationFault(tenant, name, objectOperation) : null;
        if (full == null) {
          CoordinationObject object =
              known == null ? made(tenant, id, objectOperation, nowNanos) : known;
          clientTurn.object = object;
          done(clientTurn, object, maxWaitNanos, nowNanos);
        } else {
          answer(clientTurn, full);
        }
      }
    }
    return clientTurn;
  }

  private void done(
      ClientTurn clientTurn, CoordinationObject object, long maxWaitNanos, long nowNanos) {
    if (clientTurn.operation().waits()) {
      await(clientTurn, object, maxWaitNanos, nowNanos);
    } else {
      long added = object.addedBytes(clientTurn.operation());
      ObjectReply full = added == 0 ? null : grown(clientTurn.tenant, object, 0, added);
      answer(
          clientTurn,
          full == null ? object.act(clientTurn.operation(), wall.unixMillis(), nowNanos) : full);
      serve(object, nowNanos);
    }
    schedule(object);
  }

  private void await(
      ClientTurn clientTurn, CoordinationObject object, long maxWaitNanos, long nowNanos) {
    object.adjust(clientTurn.operation(), nowNanos);
    ObjectReply answer = object.again(clientTurn.operation(), nowNanos);
    object.noteKey(clientTurn.operation());
    if (answer == null && object.grantsAtOnce()) {
      answer = grown(clientTurn.tenant, object, 1, 0);
    }
    if (answer == null) {
      object.join(clientTurn);
    } else {
      answer(clientTurn, answer);
    }
    serve(object, nowNanos);
    if (clientTurn.reply() == null) {
      park(clientTurn, object, maxWaitNanos);
    }
  }

  private void park(ClientTurn clientTurn, CoordinationObject object, long maxWaitNanos) {
    ObjectReply refusal = maxWaitNanos == 0 ? ObjectReplies.TIMED_OUT : null;
    if (refusal != null) {
      object.timedOut();
    } else {
      refusal =
          switch (waiters.room(clientTurn.tenant, 1)) {
            case FREE -> grown(clientTurn.tenant, object, 0, 0);
            case FULL -> ObjectReplies.tooManyWait(bounds);
            case OWN_FULL -> ObjectReplies.tooManyOwnWait(bounds);
          };
    }
    if (refusal != null) {
      object.leave(clientTurn);
      answer(clientTurn, refusal);
      return;
    }
    waiters.add(clientTurn.tenant, 1);
    clientTurn.parked = true;
    long atNanos =
        maxWaitNanos < 0
            ? Ticker.NEVER
            : CoordinationObject.later(clientTurn.arrivedNanos(), maxWaitNanos);
    clientTurn.deadline = timedTasks.note(atNanos, true, now -> expired(clientTurn, object));
  }

  /** Returns why a tenant cannot create an object by an operation, or null when it can. */
  private @Nullable ObjectReply creationFault(
      String tenant, String name, ObjectOperation objectOperation) {
    return fault(places.room(tenant, 1), bytes.room(tenant, firstBytes(name, objectOperation)));
  }

  private @Nullable ObjectReply fault(TenantBound.Room objects, TenantBound.Room bytesOfAll) {
    if (objects == TenantBound.Room.OWN_FULL) {
      return ObjectReplies.tooManyOwnObjects(bounds);
    }
    if (bytesOfAll == TenantBound.Room.OWN_FULL) {
      return ObjectReplies.tooManyOwnBytes(bounds);
    }
    if (objects == TenantBound.Room.FULL) {
      return ObjectReplies.tooManyObjects(bounds);
    }
    return bytesOfAll == TenantBound.Room.FULL ? ObjectReplies.tooManyBytes(bounds) : null;
  }

  private static long firstBytes(String name, ObjectOperation first) {
    long content =
        first instanceof ObjectOperation.Send(String message)
            ? ObjectFootprint.message(message)
            : 0;
    return ObjectFootprint.empty(name)
        + content
        + (first.waits() ? ObjectFootprint.turn(CoordinationObject.keyBytes(first)) : 0);
  }

  /**
   * Charges an object that grows to the tenant that makes it grow, instead of the tenant before, so
   * that nobody can use up the share of another. Returns why it cannot grow, or null when it has.
   */
  private @Nullable ObjectReply grown(
      String tenant, CoordinationObject object, int turns, long more) {
    long needs = object.emptyBytes + object.filledBytes(turns) + more;
    if (needs <= object.chargedBytes) {
      return null;
    }
    String before = object.owner;
    long charged = object.chargedBytes;
    uncharge(object);
    ObjectReply fault = fault(places.room(tenant, 1), bytes.room(tenant, needs));
    charge(object, fault == null ? tenant : before, fault == null ? needs : charged);
    return fault;
  }

  private void charge(CoordinationObject object, String tenant, long needs) {
    places.add(tenant, 1);
    bytes.add(tenant, needs);
    object.owner = tenant;
    object.chargedBytes = needs;
  }

  private void uncharge(CoordinationObject object) {
    places.add(object.owner, -1);
    bytes.add(object.owner, -object.chargedBytes);
    object.chargedBytes = 0;
  }

  /** Gives back the bytes that an object does not need any more. */
  private void shrink(CoordinationObject object) {
    long needs = object.emptyBytes + object.filledBytes(0);
    if (needs < object.chargedBytes) {
      bytes.add(object.owner, needs - object.chargedBytes);
      object.chargedBytes = needs;
    }
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

  /** Returns the bytes of all objects. */
  long bytes() {
    return bytes.taken();
  }

  private ObjectReply delete(Id id, @Nullable CoordinationObject object) {
    if (object == null) {
      return ObjectReplies.MISSING;
    }
    objects.remove(id);
    uncharge(object);
    object.dismiss(ObjectReplies.deleted(id.kind())).forEach(this::note);
    timedTasks.strike(object.alarm);
    if (object instanceof SemaphoreObject semaphore) {
      semaphore.clear();
    }
    return ObjectReplies.DONE;
  }

  private CoordinationObject made(String tenant, Id id, ObjectOperation first, long nowNanos) {
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
    made.emptyBytes = ObjectFootprint.empty(id.name());
    charge(made, tenant, firstBytes(id.name(), first));
    forgetLater(id, made);
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
      uncharge(object);
      timedTasks.strike(object.alarm);
      return;
    }
    shrink(object);
    if (unused) {
      object.usedNanos = nowNanos; // check again after the same time
    }
    forgetLater(id, object);
  }

  private void serve(CoordinationObject object, long nowNanos) {
    object.serveAll(nowNanos).forEach(this::note);
  }

  /**
   * Gives back the bytes that an object does not need any more, and schedules the instant at which
   * its first waiter can be served because of time alone.
   */
  private void schedule(CoordinationObject object) {
    shrink(object);
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
      waiters.add(clientTurn.tenant, -1);
    }
  }
}
