package io.penstock.redis.coordination;

import io.penstock.redis.RedisDiagnosis;
import io.penstock.redis.RedisLink.Call;
import io.penstock.redis.RedisLink.Reply;
import io.penstock.redis.RedisTrouble;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pipeline of script calls, in the order they were added. Calls added while others are under way
 * are sent together afterwards; if the ones under way get no answer, the waiting calls fail with
 * them, so that no caller waits for one timeout after another. Used by one thread at a time, except
 * for {@link #flush}, which is called without a lock.
 */
final class ScriptPipeline {
  private static final int AT_ONCE = 1_000;

  private record Item(Supplier<Call> call, Consumer<Reply> then) {}

  private final Function<List<Call>, CompletableFuture<List<Reply>>> store;
  private final Object lock;
  private final Consumer<Runnable> entering;
  private final Queue<Item> items = new ArrayDeque<>();
  private final Ticker ticker;
  private boolean sending;
  private long answered;
  private long answeredNanos;

  /**
   * Creates a pipeline without calls.
   *
   * @param store executes calls
   * @param lock that guards the pipeline
   * @param entering runs code with that lock
   */
  ScriptPipeline(
      Function<List<Call>, CompletableFuture<List<Reply>>> store,
      Object lock,
      Consumer<Runnable> entering,
      Ticker ticker) {
    this.store = store;
    this.lock = lock;
    this.entering = entering;
    this.ticker = ticker;
  }

  /**
   * Adds a call.
   *
   * @param call supplies the call when it is sent
   * @param then receives the result
   */
  void add(Supplier<Call> call, Consumer<Reply> then) {
    items.add(new Item(call, then));
  }

  /** Returns whether no call is under way or waiting. */
  boolean idle() {
    return !sending && items.isEmpty();
  }

  /** Returns the number of answered batches. */
  long answered() {
    return answered;
  }

  /** Returns the total time of answered batches, in nanoseconds. */
  long answeredNanos() {
    return answeredNanos;
  }

  /** Sends the waiting calls, unless others are under way. */
  void flush() {
    List<Item> some = new ArrayList<>();
    List<Call> calls = new ArrayList<>();
    long sentAt;
    synchronized (lock) {
      if (sending || items.isEmpty()) {
        return;
      }
      sending = true;
      sentAt = ticker.nanos();
      while (!items.isEmpty() && some.size() < AT_ONCE) {
        Item item = items.remove();
        some.add(item);
        calls.add(item.call().get());
      }
    }
    var _ =
        store
            .apply(calls)
            .whenComplete(
                (replies, failure) ->
                    entering.accept(() -> answered(some, sentAt, replies, failure)));
  }

  private void answered(
      List<Item> some, long sentAt, @Nullable List<Reply> replies, @Nullable Throwable failure) {
    sending = false;
    if (replies == null) {
      RedisTrouble trouble = RedisDiagnosis.of(failure == null ? ObjectScript.odd() : failure);
      List<Item> all = new ArrayList<>(some);
      all.addAll(items);
      items.clear();
      all.forEach(each -> each.then().accept(new Reply(null, trouble)));
      return;
    }
    answered++;
    answeredNanos += ticker.nanos() - sentAt;
    for (int i = 0; i < some.size(); i++) {
      some.get(i).then().accept(replies.get(i));
    }
  }
}
