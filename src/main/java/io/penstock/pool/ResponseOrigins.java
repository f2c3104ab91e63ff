package io.penstock.pool;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which upstream issued an id that a later request may refer to, such as that of a
 * response, a file or a batch, because no other upstream knows it. Ids are kept for an hour; if
 * there are too many, the oldest are dropped. Safe from any thread.
 */
public final class ResponseOrigins {
  /** For how long an id is remembered: an hour, in nanoseconds. */
  public static final long KEPT_NANOS = 3_600_000_000_000L;

  /** The longest id that is remembered, in characters. */
  public static final int MAX_ID_LENGTH = 256;

  private record Origin(String upstream, long atNanos) {}

  private final int most;
  private final LinkedHashMap<String, Origin> byId = new LinkedHashMap<>();

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
    byId.remove(id); // an id that is issued again becomes the newest
    byId.put(id, new Origin(upstream, now));
    var oldest = byId.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<String, Origin> entry = oldest.next();
      if (byId.size() <= most && now - entry.getValue().atNanos() < KEPT_NANOS) {
        return;
      }
      oldest.remove();
    }
  }

  /** Returns the id of the upstream that issued {@code id} within the last hour, or null. */
  public synchronized @Nullable String of(String id, long now) {
    Origin origin = byId.get(id);
    return origin == null || now - origin.atNanos() >= KEPT_NANOS ? null : origin.upstream();
  }

  /** Returns how many ids are remembered. */
  public synchronized int size() {
    return byId.size();
  }
}
