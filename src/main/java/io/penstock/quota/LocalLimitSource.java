package io.penstock.quota;

import io.penstock.limit.Cell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Limits of this instance alone, kept by their id for as long as they are configured: as many as
 * whoever asks for them lets go of again, never as many as clients have names for.
 *
 * <p>What limits of an earlier process remembered is inherited by those that are asked for, when
 * they are; until then it waits here for as long as it can count.
 */
public final class LocalLimitSource implements LimitSource {
  /** What has no window of its own waits for so long. */
  private static final long A_DAY_NANOS = LimitSpec.Day.NANOS;

  /** How much longer than its window anything can count: guards are far shorter. */
  private static final long SLACK_NANOS = 60_000_000_000L;

  /**
   * @param sinceNanos the instant from which it is here
   */
  private record Inherited(List<Cell> cells, long sinceNanos) {
    boolean over(LimitId id, long now) {
      long duration = id.durationNanos() == 0 ? A_DAY_NANOS : id.durationNanos();
      long newest = cells.stream().mapToLong(Cell::atNanos).max().orElse(sinceNanos);
      return now - Math.min(newest, sinceNanos + duration) > duration + SLACK_NANOS;
    }
  }

  private final ConcurrentHashMap<LimitId, Limit> limits = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<LimitId, Inherited> inherited = new ConcurrentHashMap<>();

  /** Told of each limit that is made, before anybody else knows it. */
  private final BiConsumer<LimitId, Limit> made;

  /** Makes a source of none. */
  public LocalLimitSource() {
    this((id, limit) -> {});
  }

  /** Makes a source of none that tells {@code made} of each limit before anybody else knows it. */
  public LocalLimitSource(BiConsumer<LimitId, Limit> made) {
    this.made = made;
  }

  /** Has limits that are asked for from now on go on with what others remembered. */
  public void inherit(Map<LimitId, List<Cell>> cells, long now) {
    cells.forEach((id, each) -> inherited.put(id, new Inherited(List.copyOf(each), now)));
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    Limit limit = limits.get(id);
    if (limit == null) {
      limit = limits.computeIfAbsent(id, absent -> made(absent, spec, now));
      inherited.remove(id); // not before: it is always in one of the two
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
   * Returns what limits are to remember if they are made anew, those that owe anything. Takes no
   * lock that a request could wait for.
   */
  public Map<LimitId, List<Cell>> owed(long now) {
    Map<LimitId, List<Cell>> owed = new HashMap<>();
    inherited.entrySet().removeIf(each -> each.getValue().over(each.getKey(), now));
    inherited.forEach((id, left) -> owed.put(id, left.cells()));
    limits.forEach(
        (id, limit) -> {
          List<Cell> cells = limit.cells(now);
          if (cells.isEmpty()) {
            owed.remove(id);
          } else {
            owed.put(id, cells);
          }
        });
    return owed;
  }
}
