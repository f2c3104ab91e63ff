package io.penstock.counts;

import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Everything that one writer has read of the counts of the other instances. Thread-safe. */
final class CountsRead {
  private record Cell(LimitId id, long cell) {}

  private final Map<String, Map<Cell, Long>> limits = new HashMap<>();
  private final Set<String> missed = new HashSet<>();
  private final Set<String> unannounced = new HashSet<>();
  private String since = "0";
  private String next = "0";

  /** Returns the Redis time of the last request for changes. */
  synchronized String since() {
    return since;
  }

  /**
   * Reads the reply that lists changed limits, and adds limits that could not be read before.
   *
   * @throws IllegalArgumentException when it is not such a reply
   */
  synchronized List<String> changed(@Nullable Object content) {
    if (!(content instanceof List<?> reply) || reply.isEmpty()) {
      throw new IllegalArgumentException("reply of the changes script is not one of its own");
    }
    next = String.valueOf(reply.getFirst());
    unannounced.clear();
    Set<String> changed = new LinkedHashSet<>(missed);
    reply.subList(1, reply.size()).forEach(limit -> changed.add(String.valueOf(limit)));
    return List.copyOf(changed);
  }

  /**
   * Returns the limits to announce as changed: the given ones, and earlier ones that were not
   * acknowledged.
   */
  synchronized Set<String> announce(Set<String> changed) {
    unannounced.addAll(changed);
    return Set.copyOf(unannounced);
  }

  /** Remembers that a limit could not be read; it counts as changed next time. */
  synchronized void miss(String limit) {
    missed.add(limit);
  }

  /** Records that all changes have been read. */
  synchronized void settle() {
    since = next;
  }

  /**
   * Replaces the known counts of other instances for one limit.
   *
   * @throws IllegalArgumentException when the reply contains anything but counts; nothing is
   *     changed then
   */
  synchronized void take(String limit, @Nullable Object content) {
    if (!(content instanceof List<?> reply) || reply.size() % 3 != 0) {
      throw new IllegalArgumentException("reply of the counts script is not one of its own");
    }
    Map<Cell, Long> sums = new HashMap<>();
    for (int i = 0; i < reply.size(); i += 3) {
      LimitId id = RedisCountStore.id(limit, String.valueOf(reply.get(i)));
      long cell = Long.parseLong(String.valueOf(reply.get(i + 1)));
      Count count = new Count(id, cell, Long.parseLong(String.valueOf(reply.get(i + 2))));
      sums.merge(new Cell(id, cell), count.amount(), WriterCounts::sum);
    }
    missed.remove(limit);
    if (sums.isEmpty()) {
      limits.remove(limit);
    } else {
      limits.put(limit, sums);
    }
  }

  /** Returns the counts of other instances that are still needed, and forgets the rest. */
  synchronized List<Count> others(long unixMillis) {
    List<Count> others = new ArrayList<>();
    limits
        .values()
        .removeIf(
            sums -> {
              sums.keySet().removeIf(cell -> count(cell, 0).expiresAtMillis() <= unixMillis);
              sums.forEach((cell, amount) -> others.add(count(cell, amount)));
              return sums.isEmpty();
            });
    return others;
  }

  private static Count count(Cell cell, long amount) {
    return new Count(cell.id(), cell.cell(), amount);
  }
}
