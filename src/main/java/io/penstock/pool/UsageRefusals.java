package io.penstock.pool;

import io.penstock.quota.Quota;
import io.penstock.tenant.SharedState;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Models of one upstream for which the gateway does not ask for the usage of streams for a while.
 * The upstream refused a request with the option that asks for it, which the gateway had added, and
 * served the same request without the option. Safe from any thread.
 */
final class UsageRefusals {
  /** For how long the gateway does not ask, in nanoseconds; then it tries again. */
  static final long NANOS = 600_000_000_000L;

  /**
   * Most models that are remembered: more than any provider has. Refusals of further models are
   * ignored.
   */
  static final int MOST = 1_000;

  @SharedState("refused questions for usage")
  private final ConcurrentMap<String, Long> ends = new ConcurrentHashMap<>();

  @SharedState("refused questions for usage")
  private final ConcurrentMap<Quota, LongAdder> times = new ConcurrentHashMap<>();

  /**
   * Returns the instant from which the gateway asks for the usage of a model; {@code now} if it
   * does already.
   */
  long ends(String model, long now) {
    Long end = ends.get(model);
    return end == null ? now : Math.max(now, end);
  }

  /**
   * Records a refusal and counts it for a pool, unless the gateway already does not ask for the
   * model.
   */
  synchronized void add(String model, Quota pool, long now) {
    ends.values().removeIf(end -> end <= now);
    if (ends.size() < MOST && ends.putIfAbsent(model, now + NANOS) == null) {
      times.computeIfAbsent(pool, absent -> new LongAdder()).increment();
    }
  }

  /** Returns how often the gateway stopped asking for a model of a pool. */
  long times(Quota pool) {
    LongAdder known = times.get(pool);
    return known == null ? 0 : known.sum();
  }

  /** Forgets all refusals, but not their counts: the upstream may be another one. */
  synchronized void forget() {
    ends.clear();
  }
}
