package io.penstock.sync;

import io.penstock.coordination.Agenda;
import io.penstock.coordination.Bounds;
import io.penstock.coordination.Kind;
import io.penstock.coordination.Operation;
import io.penstock.coordination.Replies;
import io.penstock.coordination.Reply;
import io.penstock.coordination.Turn;
import io.penstock.sync.ObjectScript.Said;
import io.penstock.sync.ObjectScript.Served;
import io.penstock.sync.ObjectScript.Told;
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
final class Visits {
  private static final int AT_ONCE = 500;
  private static final long LATER_NANOS = 100_000_000;

  static final Reply AWAY =
      new Reply.Unavailable("objects are shared with other instances, and Redis does not answer");

  static final Reply LOST =
      new Reply.Unavailable("the place was lost, because Redis did not answer for too long");

  private final Bounds bounds;
  private final Ticker ticker;
  private final Agenda agenda;
  private final Fellows fellows;
  private final Asking asking;
  private final Registrar registrar;
  private final Places places;
  private final Leaving leaving;

  /** All turns without an answer, by number. */
  private final Map<Long, Visit> visits = new HashMap<>();

  /** Received results that Redis must still be informed of, by object. */
  private final Map<String, List<Visit>> heard = new HashMap<>();

  private List<Turn> answered = new ArrayList<>();
  private long number;
  private long counted;

  Visits(
      Bounds bounds,
      Ticker ticker,
      Agenda agenda,
      StoreClock clock,
      Lane lane,
      Fellows fellows,
      Asking asking) {
    this.bounds = bounds;
    this.ticker = ticker;
    this.agenda = agenda;
    this.fellows = fellows;
    this.asking = asking;
    this.registrar = new Registrar(lane, fellows, asking, bounds);
    this.places = new Places(agenda, clock, this::step);
    this.leaving = new Leaving(asking, ticker, this::heardOf);
  }

  /** Returns the turns answered since the last call; their clients are not notified yet. */
  List<Turn> answered() {
    List<Turn> told = answered;
    answered = new ArrayList<>();
    return told;
  }

  /** Returns the number of waiting turns. */
  long waiting() {
    return places.waiting();
  }

  /** Begins a turn. */
  Turn begin(
      String name, Operation operation, long maxWaitNanos, boolean open, Consumer<Visit> left) {
    long now = ticker.nanos();
    boolean waits = operation.waits() && maxWaitNanos != 0;
    boolean counts = waits && counted < bounds.waiters();
    long deadline = maxWaitNanos < 0 ? Ticker.NEVER : now + maxWaitNanos;
    String key = fellows.key(operation.kind(), name);
    Visit visit = new Visit(key, name, ++number, deadline, counts ? 'w' : waits ? 'f' : 'n');
    Turn turn = visit.begin(operation, now, left);
    visits.put(visit.number, visit);
    counted += counts ? 1 : 0;
    if (!open || !fellows.joined(now)) {
      over(visit, AWAY);
    } else if (operation instanceof Operation.Delete) {
      registrar.remove(
          operation.kind(),
          name,
          trouble -> {
            if (trouble == null) {
              send(visit, "");
            } else {
              over(visit, AWAY);
            }
          });
    } else {
      send(visit, "");
    }
    return turn;
  }

  private void send(Visit visit, String made) {
    if (visit.operation().waits()) {
      places.asks(visit);
    }
    asking.ask(
        visit.key,
        caller -> {
          visit.of(caller.name());
          return ObjectScript.operation(
              caller, visit.id(), visit.operation(), bounds, made, visit.mode);
        },
        (said, trouble) -> {
          if (said == null) {
            failed(visit);
          } else {
            if (visit.phase == Visit.Phase.SENT) {
              replied(visit, said);
            }
            heardOf(visit.key, said);
          }
          if (visit.operation().waits()) {
            places.asked(visit);
          }
        });
  }

  private void failed(Visit visit) {
    if (visit.phase == Visit.Phase.SENT) {
      over(visit, AWAY);
      if (visit.operation().waits()) {
        leaving.later(visit);
      }
    }
  }

  private void replied(Visit visit, Said said) {
    switch (said.code()) {
      case 'W' -> waits(visit);
      case 'A' -> registrar.admit(visit.kind(), visit.name, is -> admitted(visit, is));
      case 'L', 'G' -> over(visit, AWAY);
      default -> {
        visit.given = said.given();
        Reply reply = ObjectScript.reply(visit.operation(), said, bounds);
        over(visit, reply == null ? AWAY : reply);
      }
    }
  }

  private void admitted(Visit visit, Registrar.Admission admission) {
    if (admission.full()) {
      over(visit, Replies.tooManyObjects(bounds));
    } else if (admission.lost().isEmpty()) {
      over(visit, AWAY);
    } else {
      send(visit, admission.lost());
    }
  }

  private void waits(Visit visit) {
    if (visit.unwanted() || !visit.isOf(fellows.name())) {
      abandon(visit, LOST);
      return;
    }
    visit.phase = Visit.Phase.WAITS;
    places.add(visit);
    visit.deadline = agenda.note(visit.deadlineNanos, true, now -> late(visit));
  }

  private void late(Visit visit) {
    visit.deadline = null;
    asking.upkeep(
        visit.key,
        visit.kind(),
        "timeout",
        visit.id(),
        List::of,
        (said, trouble) -> {
          if (said != null) {
            heardOf(visit.key, said);
          }
          if (visit.phase == Visit.Phase.WAITS) {
            abandon(visit, said == null || said.code() == 'T' ? Replies.TIMED_OUT : LOST);
          }
        });
  }

  /** Records that the client of a turn went away. */
  void left(Visit visit) {
    switch (visit.phase) {
      case SENT, HEARD -> {
        // its result is undone when it arrives
      }
      case WAITS -> abandon(visit, AWAY);
      case OVER -> giveBack(visit);
    }
  }

  private void giveBack(Visit visit) {
    if (visit.has()) {
      leaving.now(visit, visit.given);
      visit.given = null;
    }
  }

  /** Gives up a waiting turn, or whatever has become of it. */
  private void abandon(Visit visit, Reply reply) {
    visit.given = null;
    over(visit, reply);
    leaving.now(visit, null);
  }

  /** Answers a turn; gives its result back if the client no longer wants it. */
  private void over(Visit visit, Reply reply) {
    if (visits.remove(visit.number) == null) {
      return;
    }
    counted -= visit.counted() ? 1 : 0;
    visit.phase = Visit.Phase.OVER;
    places.remove(visit);
    agenda.strike(visit.deadline);
    visit.deadline = null;
    if (visit.turn().answer(reply)) {
      answered.add(visit.turn());
    } else {
      giveBack(visit);
    }
  }

  /** Dismisses all waiting turns with one answer. */
  void dismiss(Reply answer) {
    for (Visit visit : List.copyOf(visits.values())) {
      if (visit.phase == Visit.Phase.WAITS) {
        abandon(visit, answer);
      } else if (visit.operation().waits() && visit.turn().answer(answer)) {
        answered.add(visit.turn());
      }
    }
  }

  /** Records that the waiting turns of this instance are gone. */
  void lost() {
    for (Visit visit : List.copyOf(visits.values())) {
      if (visit.phase != Visit.Phase.SENT) {
        abandon(visit, LOST);
      }
    }
  }

  /** Repeats releases that were not answered. */
  void again() {
    leaving.again(ticker.nanos());
  }

  // ---- publications and answers

  /** Takes in news about an object. */
  void told(Told told) {
    served(told.key(), told.served(), told.message());
    places.next(told.key(), told.nowMicros(), told.nextMicros(), ticker.nanos());
  }

  private void heardOf(String key, Said said) {
    served(key, said.served(), said.message());
    places.next(key, said.nowMicros(), said.nextMicros(), ticker.nanos());
  }

  private void served(String key, List<Served> all, String message) {
    for (Served each : all) {
      Visit visit = visits.get(each.number());
      if (visit == null || !visit.key.equals(key) || visit.phase == Visit.Phase.HEARD) {
        continue;
      }
      char code = each.given().code();
      visit.given = each.given();
      Reply reply = ObjectScript.reply(visit.operation(), code, "", message, bounds);
      visit.answer = reply == null ? LOST : reply;
      if (visit.has()) {
        visit.phase = Visit.Phase.HEARD;
      } else {
        over(visit, visit.answer);
      }
      acknowledge(visit);
    }
  }

  private void acknowledge(Visit visit) {
    List<Visit> others = heard.get(visit.key);
    if (others != null && others.size() < AT_ONCE) {
      others.add(visit);
      return;
    }
    List<Visit> all = new ArrayList<>(List.of(visit));
    heard.put(visit.key, all);
    if (ObjectScript.gives(visit.kind())) {
      acknowledge(visit, all);
    } else { // nothing waits for it, so the clients go first
      agenda.note(ticker.nanos() + LATER_NANOS, false, now -> acknowledge(visit, all));
    }
  }

  private void acknowledge(Visit first, List<Visit> all) {
    asking.upkeep(
        first.key,
        first.kind(),
        "ack",
        "",
        () -> {
          heard.remove(first.key, all);
          return all.stream().map(Visit::id).toList();
        },
        (said, trouble) -> {
          heard.remove(first.key, all); // it may have failed without being sent
          acknowledged(all, said);
        });
  }

  private void acknowledged(List<Visit> all, @Nullable Said said) {
    Set<Long> known = said == null ? Set.of() : new HashSet<>(ObjectScript.numbers(said.text()));
    for (Visit visit : all) {
      Reply answer = visit.answer;
      if (visit.phase == Visit.Phase.HEARD && answer != null && known.contains(visit.number)) {
        over(visit, answer);
      } else if (visit.phase == Visit.Phase.HEARD) {
        abandon(visit, LOST); // it was given to another turn, or nothing is known
      }
    }
    if (said != null) {
      heardOf(all.getFirst().key, said);
    }
  }

  // ---- upkeep of objects

  private void step(String key, Kind kind) {
    asking.upkeep(
        key,
        kind,
        "step",
        "",
        List::of,
        (said, trouble) -> {
          if (said == null) {
            places.at(key, ticker.nanos() + Fellows.BEAT_NANOS);
          } else {
            heardOf(key, said);
          }
        });
  }

  /** Looks at all objects where turns of this instance wait. */
  void stepAll() {
    places.byObject().forEach(each -> step(each.getFirst().key, each.getFirst().kind()));
  }

  /** Asks for the state of all waiting turns, because a publication may have been missed. */
  void askAll() {
    for (List<Visit> each : places.byObject()) {
      for (int from = 0; from < each.size(); from += AT_ONCE) {
        ask(each.subList(from, Math.min(each.size(), from + AT_ONCE)));
      }
    }
  }

  private void ask(List<Visit> some) {
    Visit first = some.getFirst();
    List<String> ids = some.stream().map(Visit::id).toList();
    asking.upkeep(
        first.key, first.kind(), "ask", "", () -> ids, (said, trouble) -> asked(some, said));
  }

  private void asked(List<Visit> some, @Nullable Said said) {
    if (said == null) {
      return; // it is asked again once Redis answers
    }
    heardOf(some.getFirst().key, said);
    Set<Long> lost = new HashSet<>(ObjectScript.numbers(said.text()));
    for (Visit visit : some) {
      if (visit.phase == Visit.Phase.WAITS && lost.contains(visit.number)) {
        over(visit, LOST);
      }
    }
  }
}
