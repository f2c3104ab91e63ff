package io.penstock.sharing;

import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Limits of this instance alone, kept by id until they are forgotten. Callers must forget each
 * limit that is no longer configured; names that clients make up must not become ids.
 *
 * <p>The saved charges of an earlier process are kept here, for as long as they can count, until
 * their limit is requested and takes them over.
 */
public final class LocalLimitSource implements LimitSource {
  /** For how long charges of a limit without a window are kept. */
  private static final long A_DAY_NANOS = LimitSpec.Day.NANOS;

  /**
   * How much longer than its window a charge can count at most; the guards of windows are far
   * shorter.
   */
  private static final long SLACK_NANOS = 60_000_000_000L;

  /**
   * @param sinceNanos the instant at which it was inherited
   */
  private record Inherited(List<ChargedCell> cells, long sinceNanos) {
    boolean over(LimitId id, long now) {
      long duration = id.durationNanos() == 0 ? A_DAY_NANOS : id.durationNanos();
      long newest = cells.stream().mapToLong(ChargedCell::atNanos).max().orElse(sinceNanos);
      return now - Math.min(newest, sinceNanos + duration) > duration + SLACK_NANOS;
    }
  }

  @SharedState("limits")
  private final ConcurrentHashMap<LimitId, Limit> limits = new ConcurrentHashMap<>();

  @SharedState("limits")
  private final ConcurrentHashMap<LimitId, Inherited> inherited = new ConcurrentHashMap<>();

  /** Receives each new limit, before any other code can get it. */
  private final BiConsumer<LimitId, Limit> made;

  /** Creates an empty source. */
  public LocalLimitSource() {
    this((id, limit) -> {});
  }

  /**
   * Creates an empty source that passes each new limit to {@code made} before any caller gets it.
   */
  public LocalLimitSource(BiConsumer<LimitId, Limit> made) {
    this.made = made;
  }

  /** Stores the charges of an earlier process for the limits that are requested from now on. */
  public void inherit(Map<LimitId, List<ChargedCell>> cells, long now) {
    cells.forEach((id, each) -> inherited.put(id, new Inherited(List.copyOf(each), now)));
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    Limit limit = limits.get(id);
    if (limit == null) {
      limit = limits.computeIfAbsent(id, absent -> made(absent, spec, now));
      inherited.remove(id); // not earlier: the charges must always be in one of the two maps
    }
    limit.resize(spec, now);
    return limit;
  }

  private Limit made(LimitId id, LimitSpec spec, long now) {
    Inherited left = inherited.get(id);
    Limit limit =
        left == null
            ? new Limit(spec, now)
            : Limit.restored(spec, left.cells(), left.sinceNanos(), now);
    made.accept(id, limit);
    return limit;
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    if (from.measure() != to.measure()) {
      throw new IllegalArgumentException(
          from + " counts " + from.measure() + ", expected the measure of " + to);
    }
    Limit kept = from.equals(to) ? null : limits.get(from);
    if (kept != null) {
      limits.putIfAbsent(to, kept);
      limits.remove(from);
    }
    return limit(to, spec, now);
  }

  @Override
  public void forget(LimitId id) {
    limits.remove(id);
    inherited.remove(id);
  }

  /**
   * Returns the charges to save for a restart, by limit, without the limits that have none. Takes
   * no lock that a request could wait for.
   */
  public Map<LimitId, List<ChargedCell>> owed(long now) {
    Map<LimitId, List<ChargedCell>> owed = new HashMap<>();
    inherited.entrySet().removeIf(each -> each.getValue().over(each.getKey(), now));
    inherited.forEach((id, left) -> owed.put(id, left.cells()));
    limits.forEach(
        (id, limit) -> {
          List<ChargedCell> cells = limit.cells(now);
          if (cells.isEmpty()) {
            owed.remove(id);
          } else {
            owed.put(id, cells);
          }
        });
    return owed;
  }
}
