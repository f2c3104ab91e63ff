package io.penstock.pool;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The keys that sent requests for an upstream in the last minute, as far as is needed to tell
 * whether one of them was the only one: those of the two latest senders. Safe from any thread.
 */
final class ActiveKeys {
  static final long ACTIVE_NANOS = 60_000_000_000L;

  /** How old the record of a key must be, in nanoseconds, before its next request is recorded. */
  private static final long STEP_NANOS = 1_000_000_000L;

  /** Stands for all requests without a key; no key has this name. */
  private static final String NO_KEY = "";

  /** A key, and the instant of a request of it that is at most a second older than its latest. */
  private record Sender(String key, long atNanos) {
    boolean active(long now) {
      return now - atNanos <= ACTIVE_NANOS;
    }

    boolean recent(long now) {
      return now - atNanos < STEP_NANOS;
    }
  }

  /**
   * The two keys that sent something last.
   *
   * @param before the key that sent something before the last one, which is another one
   */
  private record Senders(Sender last, @Nullable Sender before) {
    /** Returns whether a request at an instant changes nothing that matters. */
    boolean cover(String key, long now) {
      boolean both = before != null && before.recent(now);
      return last.recent(now) && (last.key().equals(key) || both);
    }

    Senders with(String key, long now) {
      return new Senders(new Sender(key, now), last.key().equals(key) ? before : last);
    }

    boolean only(String key, long now) {
      return !isActiveBeside(last, key, now) && !isActiveBeside(before, key, now);
    }

    private static boolean isActiveBeside(@Nullable Sender sender, String key, long now) {
      return sender != null && !sender.key().equals(key) && sender.active(now);
    }
  }

  @SharedState("health of upstreams")
  private final AtomicReference<@Nullable Senders> senders = new AtomicReference<>();

  /** Returns the name under which a key is recorded; null stands for requests without one. */
  static String name(@Nullable String key) {
    return key == null ? NO_KEY : key;
  }

  /** Records a request. It costs next to nothing when nothing that matters has changed. */
  void sent(String key, long now) {
    Senders present = senders.get();
    if (present == null || !present.cover(key, now)) {
      senders.accumulateAndGet(
          new Senders(new Sender(key, now), null),
          (all, next) -> all == null ? next : all.with(key, now));
    }
  }

  /** Returns whether no other key sent anything in the last minute. */
  boolean only(String key, long now) {
    Senders present = senders.get();
    return present == null || present.only(key, now);
  }
}
