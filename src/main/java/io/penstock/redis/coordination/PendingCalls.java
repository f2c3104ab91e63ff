package io.penstock.redis.coordination;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReplies;
import io.penstock.coordination.ObjectReply;
import io.penstock.coordination.TenantBound;
import io.penstock.coordination.TimedTasks;
import io.penstock.redis.TroubleLog;
import io.penstock.redis.coordination.ObjectScript.CallResult;
import io.penstock.redis.coordination.ObjectScript.Publication;
import io.penstock.redis.coordination.ObjectScript.ServedTurn;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns of this instance at shared objects, from arrival until each has its answer. A result that
 * could go to another turn is given to a client only after Redis knows that it was received here,
 * so an instance that was taken for dead hands out nothing. Used by one thread at a time.
 */
final class PendingCalls implements Membership.Listener {
  private static final int AT_ONCE = 500;
  private static final long LATER_NANOS = 100_000_000;
  private static final int MOST_ADMISSIONS = 20;

  static final ObjectReply AWAY =
      new ObjectReply.Unavailable(
          "objects are shared with other instances, and Redis does not answer");

  static final ObjectReply LOST =
      new ObjectReply.Unavailable("the place was lost, because Redis did not answer for too long");

  private final ObjectBounds bounds;
  private final Ticker ticker;
  private final TimedTasks timedTasks;
  private final Membership membership;
  private final ObjectCalls objectCalls;
  private final ObjectRegistrar registrar;
  private final WaitingTurns waitingTurns;
  private final PendingReleases pendingReleases;
  private final TenantBound waiters;

  /** All turns without an answer, by number. */
  private final Map<Long, PendingCall> visits = new HashMap<>();

  /** Received results that Redis must still be informed of, by object. */
  private final Map<String, List<PendingCall>> unacknowledged = new HashMap<>();

  private List<ClientTurn> answered = new ArrayList<>();
  private long number;

  PendingCalls(
      ObjectBounds bounds,
      Ticker ticker,
      TimedTasks timedTasks,
      StoreClock clock,
      ScriptPipeline scriptPipeline,
      Membership.Names names,
      TroubleLog troubleLog) {
    this.bounds = bounds;
    this.ticker = ticker;
    this.timedTasks = timedTasks;
    this.membership = new Membership(names, scriptPipeline, ticker, clock, troubleLog, this);
    this.objectCalls =
        new ObjectCalls(scriptPipeline, membership, bounds, ticker, clock, troubleLog);
    this.registrar = new ObjectRegistrar(scriptPipeline, membership, objectCalls, bounds);
    this.waiters = new TenantBound(bounds.waiters(), bounds.ownWaiters());
    this.waitingTurns = new WaitingTurns(timedTasks, clock, this::step);
    this.pendingReleases = new PendingReleases(objectCalls, ticker, this::applyResult);
  }

  /** Returns the membership of this instance. */
  Membership membership() {
    return membership;
  }

  /** Returns the turns answered since the last call; their clients are not notified yet. */
  List<ClientTurn> answered() {
    List<ClientTurn> turns = answered;
    answered = new ArrayList<>();
    return turns;
  }

  /** Returns the number of waiting turns. */
  long waiting() {
    return waitingTurns.waiting();
  }

  /** Begins a turn. */
  ClientTurn begin(
      String tenant,
      String name,
      ObjectOperation objectOperation,
      long maxWaitNanos,
      boolean open,
      Consumer<PendingCall> left) {
    long now = ticker.nanos();
    boolean waits = objectOperation.waits() && maxWaitNanos != 0;
    TenantBound.Room room = waits ? waiters.room(tenant, 1) : TenantBound.Room.FREE;
    boolean counts = waits && room == TenantBound.Room.FREE;
    long deadline = maxWaitNanos < 0 ? Ticker.NEVER : now + maxWaitNanos;
    String key = membership.key(objectOperation.kind(), name);
    PendingCall pendingCall =
        new PendingCall(key, tenant, name, ++number, deadline, counts ? 'w' : waits ? 'f' : 'n');
    ClientTurn clientTurn = pendingCall.begin(objectOperation, now, left);
    visits.put(pendingCall.number, pendingCall);
    if (counts) {
      waiters.add(tenant, 1);
    }
    pendingCall.ownFull = room == TenantBound.Room.OWN_FULL;
    if (!open || !membership.joined(now)) {
      over(pendingCall, AWAY);
    } else if (objectOperation instanceof ObjectOperation.Delete) {
      registrar.remove(
          objectOperation.kind(),
          name,
          trouble -> {
            if (trouble == null) {
              send(pendingCall, ObjectAdmission.NONE);
            } else {
              over(pendingCall, AWAY);
            }
          });
    } else {
      send(pendingCall, ObjectAdmission.NONE);
    }
    return clientTurn;
  }

  private void send(PendingCall pendingCall, ObjectAdmission admission) {
    if (pendingCall.operation().waits()) {
      waitingTurns.noteAsking(pendingCall);
    }
    objectCalls.ask(
        pendingCall.key,
        caller -> {
          pendingCall.of(caller.name());
          return ObjectScript.operation(
              caller,
              pendingCall.id(),
              pendingCall.operation(),
              bounds,
              admission,
              pendingCall.mode);
        },
        result -> {
          if (result == null) {
            failed(pendingCall);
          } else {
            if (pendingCall.phase == PendingCall.Phase.SENT) {
              replied(pendingCall, result);
            }
            applyResult(pendingCall.key, result);
          }
          if (pendingCall.operation().waits()) {
            waitingTurns.asked(pendingCall);
          }
        });
  }

  private void failed(PendingCall pendingCall) {
    if (pendingCall.phase == PendingCall.Phase.SENT) {
      over(pendingCall, AWAY);
      if (pendingCall.operation().waits()) {
        pendingReleases.later(pendingCall);
      }
    }
  }

  private void replied(PendingCall pendingCall, CallResult result) {
    switch (result.code()) {
      case 'W' -> waits(pendingCall);
      case 'A' -> admit(pendingCall, ObjectScript.parseGrowth(result.text()));
      case 'L', 'G' -> over(pendingCall, AWAY);
      default -> {
        pendingCall.given = result.given();
        ObjectReply objectReply =
            result.code() == 'F' && pendingCall.ownFull
                ? ObjectReplies.tooManyOwnWait(bounds)
                : ObjectScript.reply(
                    pendingCall.operation(),
                    result.code(),
                    result.text(),
                    result.message(),
                    bounds);
        over(pendingCall, objectReply == null ? AWAY : objectReply);
      }
    }
  }

  private void admit(PendingCall pendingCall, ObjectScript.@Nullable Growth growth) {
    pendingCall.admissions++;
    if (growth == null || pendingCall.admissions > MOST_ADMISSIONS) {
      over(pendingCall, AWAY); // the others take the room each time
      return;
    }
    registrar.admit(
        pendingCall.kind(),
        pendingCall.name,
        pendingCall.tenant,
        growth,
        admission -> {
          ObjectReply refusal = admission.refusal();
          if (refusal != null) {
            over(pendingCall, refusal);
          } else if (admission.lost().isEmpty()) {
            over(pendingCall, AWAY); // Redis did not decide
          } else {
            send(pendingCall, admission);
          }
        });
  }

  private void waits(PendingCall pendingCall) {
    if (pendingCall.isUnwanted() || !pendingCall.isOf(membership.name())) {
      abandon(pendingCall, LOST);
      return;
    }
    pendingCall.phase = PendingCall.Phase.WAITS;
    waitingTurns.add(pendingCall);
    pendingCall.deadline =
        timedTasks.note(pendingCall.deadlineNanos, true, now -> late(pendingCall));
  }

  private void late(PendingCall pendingCall) {
    pendingCall.deadline = null;
    objectCalls.upkeep(
        pendingCall.key,
        pendingCall.kind(),
        "timeout",
        pendingCall.id(),
        List::of,
        result -> {
          if (result != null) {
            applyResult(pendingCall.key, result);
          }
          if (pendingCall.phase == PendingCall.Phase.WAITS) {
            abandon(
                pendingCall,
                result == null || result.code() == 'T' ? ObjectReplies.TIMED_OUT : LOST);
          }
        });
  }

  /** Records that the client of a turn went away. */
  void left(PendingCall pendingCall) {
    switch (pendingCall.phase) {
      case SENT, HEARD -> {
        // its result is undone when it arrives
      }
      case WAITS -> abandon(pendingCall, AWAY);
      case OVER -> giveBack(pendingCall);
    }
  }

  private void giveBack(PendingCall pendingCall) {
    if (pendingCall.has()) {
      pendingReleases.now(pendingCall, pendingCall.given);
      pendingCall.given = null;
    }
  }

  /** Gives up a waiting turn, or whatever has become of it. */
  private void abandon(PendingCall pendingCall, ObjectReply objectReply) {
    pendingCall.given = null;
    over(pendingCall, objectReply);
    pendingReleases.now(pendingCall, null);
  }

  /** Answers a turn; gives its result back if the client no longer wants it. */
  private void over(PendingCall pendingCall, ObjectReply objectReply) {
    if (visits.remove(pendingCall.number) == null) {
      return;
    }
    if (pendingCall.counted()) {
      waiters.add(pendingCall.tenant, -1);
    }
    pendingCall.phase = PendingCall.Phase.OVER;
    waitingTurns.remove(pendingCall);
    timedTasks.strike(pendingCall.deadline);
    pendingCall.deadline = null;
    if (pendingCall.turn().answer(objectReply)) {
      answered.add(pendingCall.turn());
    } else {
      giveBack(pendingCall);
    }
  }

  /** Dismisses all waiting turns with one answer. */
  void dismiss(ObjectReply answer) {
    for (PendingCall pendingCall : List.copyOf(visits.values())) {
      if (pendingCall.phase == PendingCall.Phase.WAITS) {
        abandon(pendingCall, answer);
      } else if (pendingCall.operation().waits() && pendingCall.turn().answer(answer)) {
        answered.add(pendingCall.turn());
      }
    }
  }

  @Override
  public void lost() {
    for (PendingCall pendingCall : List.copyOf(visits.values())) {
      if (pendingCall.phase != PendingCall.Phase.SENT) {
        abandon(pendingCall, LOST);
      }
    }
  }

  /** Repeats releases that were not answered, and checks objects that may have expired. */
  @Override
  public void well() {
    pendingReleases.again(ticker.nanos());
    registrar.sweep();
  }

  // ---- publications and answers

  /** Takes in news about an object. */
  void applyPublication(Publication publication) {
    served(publication.key(), publication.served(), publication.message());
    waitingTurns.next(
        publication.key(), publication.nowMicros(), publication.nextMicros(), ticker.nanos());
  }

  private void applyResult(String key, CallResult result) {
    served(key, result.served(), result.message());
    waitingTurns.next(key, result.nowMicros(), result.nextMicros(), ticker.nanos());
  }

  private void served(String key, List<ServedTurn> all, String message) {
    for (ServedTurn each : all) {
      PendingCall pendingCall = visits.get(each.number());
      if (pendingCall == null
          || !pendingCall.key.equals(key)
          || pendingCall.phase == PendingCall.Phase.HEARD) {
        continue;
      }
      char code = each.given().code();
      pendingCall.given = each.given();
      ObjectReply objectReply =
          ObjectScript.reply(pendingCall.operation(), code, "", message, bounds);
      pendingCall.answer = objectReply == null ? LOST : objectReply;
      if (pendingCall.has()) {
        pendingCall.phase = PendingCall.Phase.HEARD;
      } else {
        over(pendingCall, pendingCall.answer);
      }
      acknowledge(pendingCall);
    }
  }

  private void acknowledge(PendingCall pendingCall) {
    List<PendingCall> others = unacknowledged.get(pendingCall.key);
    if (others != null && others.size() < AT_ONCE) {
      others.add(pendingCall);
      return;
    }
    List<PendingCall> all = new ArrayList<>(List.of(pendingCall));
    unacknowledged.put(pendingCall.key, all);
    if (ObjectScript.gives(pendingCall.kind())) {
      acknowledge(pendingCall, all);
    } else { // nothing waits for it, so the clients go first
      timedTasks.note(ticker.nanos() + LATER_NANOS, false, now -> acknowledge(pendingCall, all));
    }
  }

  private void acknowledge(PendingCall first, List<PendingCall> all) {
    objectCalls.upkeep(
        first.key,
        first.kind(),
        "ack",
        "",
        () -> {
          unacknowledged.remove(first.key, all);
          return all.stream().map(PendingCall::id).toList();
        },
        result -> {
          unacknowledged.remove(first.key, all); // it may have failed without being sent
          acknowledged(all, result);
        });
  }

  private void acknowledged(List<PendingCall> all, @Nullable CallResult result) {
    Set<Long> known =
        result == null ? Set.of() : new HashSet<>(ObjectScript.numbers(result.text()));
    for (PendingCall pendingCall : all) {
      ObjectReply answer = pendingCall.answer;
      if (pendingCall.phase == PendingCall.Phase.HEARD
          && answer != null
          && known.contains(pendingCall.number)) {
        over(pendingCall, answer);
      } else if (pendingCall.phase == PendingCall.Phase.HEARD) {
        abandon(pendingCall, LOST); // it was given to another turn, or nothing is known
      }
    }
    if (result != null) {
      applyResult(all.getFirst().key, result);
    }
  }

  // ---- upkeep of objects

  private void step(String key, ObjectKind objectKind) {
    objectCalls.upkeep(
        key,
        objectKind,
        "step",
        "",
        List::of,
        result -> {
          if (result == null) {
            waitingTurns.at(key, ticker.nanos() + Membership.BEAT_NANOS);
          } else {
            applyResult(key, result);
          }
        });
  }

  /** Looks at all objects where turns of this instance wait. */
  @Override
  public void othersDeparted() {
    waitingTurns.byObject().forEach(each -> step(each.getFirst().key, each.getFirst().kind()));
  }

  /** Asks for the state of all waiting turns, because a publication may have been missed. */
  @Override
  public void missed() {
    for (List<PendingCall> each : waitingTurns.byObject()) {
      for (int from = 0; from < each.size(); from += AT_ONCE) {
        ask(each.subList(from, Math.min(each.size(), from + AT_ONCE)));
      }
    }
  }

  private void ask(List<PendingCall> some) {
    PendingCall first = some.getFirst();
    List<String> ids = some.stream().map(PendingCall::id).toList();
    objectCalls.upkeep(
        first.key, first.kind(), "ask", "", () -> ids, result -> asked(some, result));
  }

  private void asked(List<PendingCall> some, @Nullable CallResult result) {
    if (result == null) {
      return; // it is asked again once Redis answers
    }
    applyResult(some.getFirst().key, result);
    Set<Long> lost = new HashSet<>(ObjectScript.numbers(result.text()));
    for (PendingCall pendingCall : some) {
      if (pendingCall.phase == PendingCall.Phase.WAITS && lost.contains(pendingCall.number)) {
        over(pendingCall, LOST);
      }
    }
  }
}
