package io.penstock.prefix;

import io.penstock.tenant.SharedState;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The different ways in which prompts went on from one beginning, as far as the provider may still
 * have the beginning in its cache.
 *
 * <p>A conversation goes on from its last turn in one way; from instructions that conversations
 * share, each of them goes on in its own. At most {@value #MOST} ways are remembered, and the one
 * that was seen longest ago is forgotten first. Safe from any thread.
 */
final class Continuations {
  /** Number of ways that are remembered. */
  static final int MOST = 32;

  /** The instants at which ways were seen last, by fingerprint, that seen longest ago first. */
  @SharedState("ways on from a beginning")
  private final LinkedHashMap<Long, Long> lastSeenNanos = new LinkedHashMap<>(4, 0.75f, true);

  /**
   * Notes that a prompt went on in a way now, and returns how many different ways were seen within
   * the lifetime, this one included: 1 to {@value #MOST}.
   *
   * @param next the fingerprint of the next boundary after the beginning
   * @param lifetimeNanos how long the provider keeps the beginning after each use
   */
  synchronized int seen(long next, long lifetimeNanos, long now) {
    lastSeenNanos.put(next, now);
    Iterator<Map.Entry<Long, Long>> oldest = lastSeenNanos.entrySet().iterator();
    while (oldest.hasNext()) {
      boolean expired = now - oldest.next().getValue() >= lifetimeNanos;
      if (!expired && lastSeenNanos.size() <= MOST) {
        break;
      }
      oldest.remove();
    }
    return lastSeenNanos.size();
  }
}
