package io.penstock.pool;

import io.penstock.tenant.SharedState;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which upstream issued an id that a later request may refer to, such as that of a
 * response, a file or a batch, because no other upstream knows it. Ids are kept for an hour; if
 * there are too many, the oldest are dropped. Safe from any thread; looking an id up takes no lock.
 *
 * <p>A cache that keeps what is used often, such as Caffeine, would not do: where all ids are new
 * it keeps the old ones and drops the latest, which are the ones that clients refer to.
 */
public final class ResponseOrigins {
  /** For how long an id is remembered: an hour, in nanoseconds. */
  public static final long KEPT_NANOS = 3_600_000_000_000L;

  /** The longest id that is remembered, in characters. */
  public static final int MAX_ID_LENGTH = 256;

  private record Origin(String id, String upstream, long atNanos) {}

  private final int most;

  @SharedState("origins of ids")
  private final ConcurrentMap<String, Origin> byId = new ConcurrentHashMap<>();

  /** Oldest first; with those whose ids were issued again since. */
  @SharedState("origins of ids")
  private final Queue<Origin> byAge = new ArrayDeque<>();

  /** Creates an empty memory for at most {@code most} ids, ≥ 1. */
  public ResponseOrigins(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("most is " + most + ", expected at least 1");
    }
    this.most = most;
  }

  /** Remembers the upstream that issued an id; ignores ids that are empty or too long. */
  public synchronized void remember(String upstream, String id, long now) {
    if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
      return;
    }
    Origin newest = new Origin(id, upstream, now);
    byId.put(id, newest);
    byAge.add(newest);
    Origin oldest = byAge.peek();
    while (oldest != null && (byAge.size() > most || now - oldest.atNanos() >= KEPT_NANOS)) {
      byAge.remove();
      byId.remove(oldest.id(), oldest);
      oldest = byAge.peek();
    }
  }

  /** Returns the id of the upstream that issued {@code id} within the last hour, or null. */
  public @Nullable String of(String id, long now) {
    Origin origin = byId.get(id);
    return origin == null || now - origin.atNanos() >= KEPT_NANOS ? null : origin.upstream();
  }

  /** Returns how many ids are remembered. */
  public int size() {
    return byId.size();
  }
}
