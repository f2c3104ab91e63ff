package io.penstock.sync;

import io.penstock.coordination.Bounds;
import io.penstock.coordination.Kind;
import io.penstock.sync.ObjectScript.Caller;
import io.penstock.sync.ObjectScript.Said;
import io.penstock.sync.RedisLink.Call;
import io.penstock.sync.RedisLink.Reply;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the script of shared objects. When the script finds turns of instances that are unknown
 * here, it first checks whether those instances live, and then calls again. Used by one thread at a
 * time.
 */
final class Asking {
  private static final int TRIES = 4;

  /** Callback for the result of a call; one of its arguments is null. */
  interface Then {
    /** Takes in the result. */
    void said(@Nullable Said said, @Nullable RedisTrouble trouble);
  }

  private final Lane lane;
  private final Fellows fellows;
  private final Bounds bounds;
  private final Ticker ticker;
  private final StoreClock clock;
  private final Troubles troubles;

  Asking(
      Lane lane,
      Fellows fellows,
      Bounds bounds,
      Ticker ticker,
      StoreClock clock,
      Troubles troubles) {
    this.lane = lane;
    this.bounds = bounds;
    this.fellows = fellows;
    this.ticker = ticker;
    this.clock = clock;
    this.troubles = troubles;
  }

  /** Calls the script for an object. */
  void ask(String key, Function<Caller, List<String>> arguments, Then then) {
    new Question(key, arguments, then).ask();
  }

  /**
   * Calls the script for the upkeep of an object or of a turn there.
   *
   * @param more supplies further arguments when the call is sent
   */
  void upkeep(
      String key, Kind kind, String word, String turn, Supplier<List<String>> more, Then then) {
    ask(key, caller -> ObjectScript.upkeep(caller, kind, word, turn, bounds, more.get()), then);
  }

  private final class Question {
    private final String key;
    private final Function<Caller, List<String>> arguments;
    private final Then then;
    private List<String> unknown = List.of();
    private int tries;
    private long sentAt;

    Question(String key, Function<Caller, List<String>> arguments, Then then) {
      this.key = key;
      this.arguments = arguments;
      this.then = then;
    }

    void ask() {
      tries++;
      lane.add(this::call, this::answered);
    }

    private Call call() {
      sentAt = ticker.nanos();
      Caller caller = fellows.caller(fellows.goneOf(unknown));
      return new Call(ObjectScript.SCRIPT, key, arguments.apply(caller));
    }

    private void answered(Reply reply) {
      if (reply.trouble() != null) {
        failed(reply.trouble());
        return;
      }
      Said said;
      try {
        said = ObjectScript.said(reply.said());
      } catch (RedisTrouble odd) {
        failed(odd);
        return;
      }
      clock.heard(sentAt, ticker.nanos(), said.nowMicros());
      troubles.well(key);
      if (said.code() != 'U') {
        then.said(said, null);
      } else if (tries < TRIES) {
        unknown = List.of(said.text().split(" "));
        fellows.check(unknown, this::ask);
      } else {
        then.said(null, new RedisTrouble(RedisTrouble.Kind.SLOW));
      }
    }

    private void failed(RedisTrouble trouble) {
      if (trouble.kind() == RedisTrouble.Kind.VALUE) {
        troubles.failed(key, trouble); // only this object is faulty
      } else {
        troubles.failed(trouble);
      }
      then.said(null, trouble);
    }
  }
}
