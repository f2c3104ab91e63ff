package io.penstock.pool;

import io.penstock.quota.Quota;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Models of one upstream whose streams are not asked for their usage for a while, because the
 * upstream refused a request to which the gateway had added the option that asks, and served the
 * same request without it. Safe from any thread.
 */
final class UsageRefusals {
  /** How long a model is not asked, in nanoseconds; then it is tried again. */
  static final long NANOS = 600_000_000_000L;

  /** More models than any provider has; what a refusal of others says is not remembered. */
  static final int MOST = 1_000;

  private final ConcurrentMap<String, Long> ends = new ConcurrentHashMap<>();
  private final ConcurrentMap<Quota, LongAdder> times = new ConcurrentHashMap<>();

  /** Returns the instant from which a model may be asked, at most {@code now} if it may. */
  long ends(String model, long now) {
    Long end = ends.get(model);
    return end == null ? now : Math.max(now, end);
  }

  /** Takes note of a refusal, and counts it for a pool, unless the model is not asked anyway. */
  synchronized void add(String model, Quota pool, long now) {
    ends.values().removeIf(end -> end <= now);
    if (ends.size() < MOST && ends.putIfAbsent(model, now + NANOS) == null) {
      times.computeIfAbsent(pool, absent -> new LongAdder()).increment();
    }
  }

  /** Returns how often streams of a pool stopped being asked. */
  long times(Quota pool) {
    LongAdder known = times.get(pool);
    return known == null ? 0 : known.sum();
  }

  /** Forgets whom not to ask: the upstream may be another one. */
  synchronized void forget() {
    ends.clear();
  }
}
