package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.redis.coordination.ObjectScript.CallResult;
import io.penstock.redis.coordination.ObjectScript.TurnResult;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns that give up their wait, or what they were given. The release is sent until Redis answers
 * it, so that nothing stays reserved for a client that is gone. Used by one thread at a time.
 */
final class PendingReleases {
  /**
   * Maximum number of releases that are remembered. Anything beyond is freed when this instance
   * ends, or when it expires.
   */
  private static final int MOST = 100_000;

  /** After this time, an operation that was sent is done, or never will be. */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A release to be sent again. */
  private record Later(String key, ObjectKind kind, String id, String heldKey, long fromNanos) {}

  private final ObjectCalls objectCalls;
  private final Ticker ticker;
  private final BiConsumer<String, CallResult> resultListener;
  private final Queue<Later> later = new ArrayDeque<>();

  /**
   * Creates an object without releases.
   *
   * @param resultListener receives each answer, with the key of the object
   */
  PendingReleases(
      ObjectCalls objectCalls, Ticker ticker, BiConsumer<String, CallResult> resultListener) {
    this.objectCalls = objectCalls;
    this.ticker = ticker;
    this.resultListener = resultListener;
  }

  /** Sends the release at once; {@code given} may be null when it is unknown. */
  void now(PendingCall pendingCall, @Nullable TurnResult given) {
    String heldKey = heldKey(pendingCall);
    List<String> more =
        given == null
            ? unsure(heldKey)
            : List.of(String.valueOf(given.code()), given.interval(), given.waited(), heldKey);
    say(new Later(pendingCall.key, pendingCall.kind(), pendingCall.id(), heldKey, 0), more);
  }

  /** Sends the release after the turn's earlier call is done, or never will be. */
  void later(PendingCall pendingCall) {
    add(
        new Later(
            pendingCall.key,
            pendingCall.kind(),
            pendingCall.id(),
            heldKey(pendingCall),
            ticker.nanos()));
  }

  private static String heldKey(PendingCall pendingCall) {
    return pendingCall.operation() instanceof ObjectOperation.Acquire acquire ? acquire.key() : "";
  }

  /**
   * Returns the arguments for a turn with an unknown result. The store finds a permit by its turn;
   * for a token, nothing shows whether it was already given back.
   */
  private static List<String> unsure(String heldKey) {
    return List.of(heldKey.isEmpty() ? "" : "S", "", "", heldKey);
  }

  private void add(Later each) {
    if (later.size() < MOST) {
      later.add(
          new Later(
              each.key(), each.kind(), each.id(), each.heldKey(), ticker.nanos() + SETTLED_NANOS));
    }
  }

  private void say(Later each, List<String> more) {
    objectCalls.upkeep(
        each.key(),
        each.kind(),
        "leave",
        each.id(),
        () -> more,
        (result, trouble) -> {
          if (result == null) {
            add(each);
          } else {
            resultListener.accept(each.key(), result);
          }
        });
  }

  /** Sends again the releases that were not answered; called when Redis answers. */
  void again(long nowNanos) {
    List<Later> due = new ArrayList<>();
    for (Iterator<Later> all = later.iterator(); all.hasNext(); ) {
      Later each = all.next();
      if (each.fromNanos() <= nowNanos) {
        due.add(each);
        all.remove();
      }
    }
    due.forEach(each -> say(each, unsure(each.heldKey())));
  }
}
