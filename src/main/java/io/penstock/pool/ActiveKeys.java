package io.penstock.pool;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The keys, or other senders, that sent requests a short time ago, as far as is needed to tell
 * whether one of them was the only one: the two latest senders. Safe from any thread.
 */
public final class ActiveKeys {
  /** How old the record of a key must be, in nanoseconds, before its next request is recorded. */
  private static final long STEP_NANOS = 1_000_000_000L;

  /** Stands for all requests without a key; no key has this name. */
  private static final String NO_KEY = "";

  /** A key, and the instant of a request of it that is at most a second older than its latest. */
  private record Sender(Object key, long atNanos) {
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
    boolean cover(Object key, long now) {
      boolean both = before != null && before.recent(now);
      return last.recent(now) && (last.key().equals(key) || both);
    }

    Senders with(Object key, long now) {
      return new Senders(new Sender(key, now), last.key().equals(key) ? before : last);
    }

    /** Returns whether no other key sent anything in the last {@code nanos} before {@code now}. */
    boolean only(Object key, long nanos, long now) {
      Sender other = last.key().equals(key) ? before : last;
      return other == null || now - other.atNanos() > nanos;
    }
  }

  private final long activeNanos;

  @SharedState("active senders")
  private final AtomicReference<@Nullable Senders> senders = new AtomicReference<>();

  /**
   * Creates an empty record.
   *
   * @param activeNanos for how long a sender counts as active, ≥ 0
   */
  public ActiveKeys(long activeNanos) {
    this.activeNanos = activeNanos;
  }

  /** Returns the name under which a key is recorded; null stands for requests without one. */
  static Object name(@Nullable Object key) {
    return key == null ? NO_KEY : key;
  }

  /** Records a request. It costs next to nothing when nothing that matters has changed. */
  public void sent(Object key, long now) {
    Senders present = senders.get();
    if (present == null || !present.cover(key, now)) {
      senders.accumulateAndGet(
          new Senders(new Sender(key, now), null),
          (all, next) -> all == null ? next : all.with(key, now));
    }
  }

  /** Returns whether no other key is active. */
  public boolean only(Object key, long now) {
    Senders present = senders.get();
    return present == null || present.only(key, activeNanos, now);
  }
}
