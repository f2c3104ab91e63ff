package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.redis.coordination.ObjectScript.CallResult;
import io.penstock.redis.coordination.ObjectScript.TurnResult;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
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

  /** Release of a turn, and of the permit that it may have. */
  private record Release(String key, ObjectKind kind, String id, String heldKey) {
    static Release of(PendingCall pendingCall) {
      return new Release(
          pendingCall.key,
          pendingCall.kind(),
          pendingCall.id(),
          pendingCall.operation() instanceof ObjectOperation.Acquire acquire ? acquire.key() : "");
    }

    /**
     * Returns the arguments for an unknown result. The store finds a permit by its turn; for a
     * token, nothing shows whether it was already given back.
     */
    List<String> unsure() {
      return List.of(heldKey.isEmpty() ? "" : "S", "", "", heldKey);
    }
  }

  /** A release to be sent again. */
  private record Later(Release release, long fromNanos) {}

  private final ObjectCalls objectCalls;
  private final Ticker ticker;
  private final BiConsumer<String, CallResult> resultListener;

  /** Releases in the order of their instants. */
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
    Release release = Release.of(pendingCall);
    send(
        release,
        given == null
            ? release.unsure()
            : List.of(
                String.valueOf(given.code()), given.interval(), given.waited(), release.heldKey()));
  }

  /** Sends the release after the turn's earlier call is done, or never will be. */
  void later(PendingCall pendingCall) {
    add(Release.of(pendingCall));
  }

  private void add(Release release) {
    if (later.size() < MOST) {
      later.add(new Later(release, ticker.nanos() + SETTLED_NANOS));
    }
  }

  private void send(Release release, List<String> more) {
    objectCalls.upkeep(
        release.key(),
        release.kind(),
        "leave",
        release.id(),
        () -> more,
        result -> {
          if (result == null) {
            add(release);
          } else {
            resultListener.accept(release.key(), result);
          }
        });
  }

  /** Sends again the releases that were not answered; called when Redis answers. */
  void again(long nowNanos) {
    Later next = later.peek();
    while (next != null && next.fromNanos() <= nowNanos) {
      later.remove();
      send(next.release(), next.release().unsure());
      next = later.peek();
    }
  }
}
