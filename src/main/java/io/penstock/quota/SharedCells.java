package io.penstock.quota;

import io.penstock.limit.LimitSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the members of one limit were granted and spent, by cell. Belongs to one thread at a time.
 *
 * <p>Whatever counts with a cell does so for {@code reach} cells after it: none for a fixed window;
 * for a trailing one until the cell's end plus the window plus the guard.
 */
final class SharedCells {
  private static final int SUB_CELLS = 60;

  private record Heard(long capacity, long atNanos) {}

  private final long cellNanos;
  private final Map<String, Heard> members = new HashMap<>();
  private final TreeMap<Long, Map<String, Long>> parts = new TreeMap<>();
  private long capacity;
  private long barred = Supply.Ask.NONE;

  /** Of members that disagree on the guard the largest binds, as the lowest capacity does. */
  private long reach;

  SharedCells(LimitSpec spec) {
    this.cellNanos = cellNanos(spec);
  }

  static boolean sliceable(LimitSpec spec) {
    return capacity(spec) != Long.MAX_VALUE;
  }

  private static long cellNanos(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> Long.MAX_VALUE;
      case LimitSpec.Strict strict -> Long.MAX_VALUE;
      case LimitSpec.TokenBucket bucket -> Long.MAX_VALUE;
      case LimitSpec.SlidingWindow window -> Long.MAX_VALUE;
      case LimitSpec.Concurrency concurrency -> Long.MAX_VALUE;
      case LimitSpec.Day day -> Long.MAX_VALUE;
      case LimitSpec.FixedWindow window -> window.windowNanos();
      case LimitSpec.TrailingWindow window -> Math.ceilDiv(window.windowNanos(), SUB_CELLS);
    };
  }

  private static long reach(LimitSpec spec) {
    return spec instanceof LimitSpec.TrailingWindow window
        ? Math.ceilDiv(window.windowNanos() + window.guardNanos(), cellNanos(window))
        : 0;
  }

  private static long capacity(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.Unlimited unlimited -> Long.MAX_VALUE;
      case LimitSpec.Strict strict -> Long.MAX_VALUE;
      case LimitSpec.TokenBucket bucket -> Long.MAX_VALUE;
      case LimitSpec.SlidingWindow window -> Long.MAX_VALUE;
      case LimitSpec.Concurrency concurrency -> Long.MAX_VALUE;
      case LimitSpec.Day day -> Long.MAX_VALUE;
      case LimitSpec.FixedWindow window -> window.capacity();
      case LimitSpec.TrailingWindow window -> window.capacity();
    };
  }

  /** Whether a spec cuts time in the same cells. */
  boolean fits(LimitSpec spec) {
    return cellNanos == cellNanos(spec);
  }

  long cellAt(long nanos) {
    return Math.floorDiv(nanos, cellNanos);
  }

  /** Takes in what a member says, and forgets what counts no more. */
  void hear(String member, Supply.Ask ask, long now, long ttlNanos) {
    reach = Math.max(reach, reach(ask.spec()));
    prune(now);
    members.values().removeIf(heard -> now - heard.atNanos() > ttlNanos);
    members.put(member, new Heard(capacity(ask.spec()), now));
    capacity = members.values().stream().mapToLong(Heard::capacity).min().orElse(0);
    barred = Math.max(barred, ask.barred());
    parts.tailMap(ask.from(), true).values().forEach(cell -> cell.remove(member));
    for (Supply.Use use : ask.uses()) {
      if (use.cell() + reach >= cellAt(now)) {
        grant(member, use.cell(), use.amount());
      }
    }
  }

  /** Returns the lowest capacity that a living member has. */
  long capacity() {
    return capacity;
  }

  void grant(String member, long cell, long amount) {
    parts.computeIfAbsent(cell, absent -> new HashMap<>()).merge(member, amount, Long::sum);
  }

  /** What may still be granted in a cell: the least room of all windows that it counts in. */
  long room(long cell) {
    if (cell <= barred) {
      return 0;
    }
    long most = 0;
    for (long end = cell; end <= cell + reach; end++) {
      most = Math.max(most, counted(end));
    }
    return Math.max(0, capacity - most);
  }

  private long counted(long end) {
    long sum = 0;
    for (Map<String, Long> cell : parts.subMap(end - reach, true, end, true).values()) {
      for (long amount : cell.values()) {
        sum = Math.min(Long.MAX_VALUE / 2, sum + Math.min(amount, Long.MAX_VALUE / 4));
      }
    }
    return sum;
  }

  private void prune(long now) {
    parts.headMap(cellAt(now) - reach, false).clear();
  }

  /** Whether nobody has said anything for long and nothing counts. */
  boolean idle(long now, long ttlNanos) {
    prune(now);
    return parts.isEmpty()
        && members.values().stream().allMatch(heard -> now - heard.atNanos() > ttlNanos);
  }
}
