package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.TroubleLog;
import io.penstock.redis.coordination.ObjectScript.CallResult;
import io.penstock.redis.coordination.ObjectScript.Caller;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the script of shared objects. When the script finds turns of instances that are unknown
 * here, it first checks whether those instances live, and then calls again. Used by one thread at a
 * time.
 */
final class ObjectCalls {
  private static final int TRIES = 4;

  private final ScriptPipeline scriptPipeline;
  private final Membership membership;
  private final ObjectBounds bounds;
  private final Ticker ticker;
  private final StoreClock clock;
  private final TroubleLog troubleLog;

  ObjectCalls(
      ScriptPipeline scriptPipeline,
      Membership membership,
      ObjectBounds bounds,
      Ticker ticker,
      StoreClock clock,
      TroubleLog troubleLog) {
    this.scriptPipeline = scriptPipeline;
    this.bounds = bounds;
    this.membership = membership;
    this.ticker = ticker;
    this.clock = clock;
    this.troubleLog = troubleLog;
  }

  /** Calls the script for an object; {@code then} receives the result, or null without one. */
  void ask(
      String key, Function<Caller, List<String>> arguments, Consumer<@Nullable CallResult> then) {
    new Question(key, arguments, then).ask();
  }

  /**
   * Calls the script for the upkeep of an object or of a turn there.
   *
   * @param more supplies further arguments when the call is sent
   */
  void upkeep(
      String key,
      ObjectKind objectKind,
      String word,
      String turn,
      Supplier<List<String>> more,
      Consumer<@Nullable CallResult> then) {
    ask(
        key,
        caller -> ObjectScript.upkeep(caller, objectKind, word, turn, bounds, more.get()),
        then);
  }

  private final class Question {
    private final String key;
    private final Function<Caller, List<String>> arguments;
    private final Consumer<@Nullable CallResult> then;
    private List<String> unknown = List.of();
    private int tries;
    private long sentAt;

    Question(
        String key, Function<Caller, List<String>> arguments, Consumer<@Nullable CallResult> then) {
      this.key = key;
      this.arguments = arguments;
      this.then = then;
    }

    void ask() {
      tries++;
      scriptPipeline.add(this::call, this::answered);
    }

    private Call call() {
      sentAt = ticker.nanos();
      Caller caller = membership.caller(membership.departedAmong(unknown));
      return new Call(ObjectScript.SCRIPT, key, arguments.apply(caller));
    }

    private void answered(Reply reply) {
      if (reply.trouble() != null) {
        failed(reply.trouble());
        return;
      }
      CallResult result;
      try {
        result = ObjectScript.parseResult(reply.content());
      } catch (RedisTrouble odd) {
        failed(odd);
        return;
      }
      clock.addReading(sentAt, ticker.nanos(), result.nowMicros());
      troubleLog.recordSuccess(key);
      if (result.code() != 'U') {
        then.accept(result);
      } else if (tries < TRIES) {
        unknown = List.of(result.text().split(" "));
        membership.check(unknown, this::ask);
      } else {
        then.accept(null);
      }
    }

    private void failed(RedisTrouble trouble) {
      if (trouble.kind() == RedisTrouble.Kind.VALUE) {
        troubleLog.recordFailure(key, trouble); // only this object is faulty
      } else {
        troubleLog.recordFailure(trouble);
      }
      then.accept(null);
    }
  }
}
