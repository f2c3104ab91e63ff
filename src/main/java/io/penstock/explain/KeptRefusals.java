package io.penstock.explain;

import io.penstock.refusal.Refusal;
import io.penstock.tenant.SharedState;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records of the refusals of the last hour, of all endpoints and of requests without one. At most
 * {@value #MOST_OF_KEY} are kept of each key, and as many of all requests without a key together.
 * Safe from any thread.
 */
public final class KeptRefusals {
  /** Most records that are kept. */
  static final int MOST = 10_000;

  /** Most records of one key. */
  static final int MOST_OF_KEY = 1_000;

  /** For how long a refusal is kept. */
  static final long KEPT_NANOS = 3_600_000_000_000L;

  /** The records, oldest first. */
  @SharedState("records of past tickets")
  private final LinkedHashSet<Kept> all = new LinkedHashSet<>();

  /** The same by key, oldest first; the empty name stands for requests without a key. */
  @SharedState("records of past tickets")
  private final Map<String, ArrayDeque<Kept>> byKey = new HashMap<>();

  /** A record, compared by identity. */
  private static final class Kept {
    private final PastTicket past;

    Kept(PastTicket past) {
      this.past = past;
    }

    private String key() {
      return Objects.requireNonNullElse(past.origin().key(), "");
    }
  }

  /** Adds the record of a refused ticket. */
  public synchronized void add(PastTicket past) {
    forget(past.decidedNanos());
    Kept kept = new Kept(past);
    ArrayDeque<Kept> ofKey = byKey.computeIfAbsent(kept.key(), name -> new ArrayDeque<>(0));
    if (ofKey.size() >= MOST_OF_KEY) {
      all.remove(ofKey.removeFirst());
    }
    ofKey.addLast(kept);
    all.add(kept);
    if (all.size() > MOST) {
      remove(all.getFirst());
    }
  }

  private void forget(long now) {
    while (!all.isEmpty() && now - all.getFirst().past.decidedNanos() > KEPT_NANOS) {
      remove(all.getFirst());
    }
  }

  private void remove(Kept kept) {
    all.remove(kept);
    ArrayDeque<Kept> ofKey = Objects.requireNonNull(byKey.get(kept.key()));
    ofKey.remove(kept); // the first one, as all are added and removed in one order
    if (ofKey.isEmpty()) {
      byKey.remove(kept.key());
    }
  }

  /** Returns the latest record that matches, or null. */
  public synchronized @Nullable PastTicket last(Predicate<PastTicket> which, long now) {
    forget(now);
    for (Kept each : all.reversed()) {
      if (which.test(each.past)) {
        return each.past;
      }
    }
    return null;
  }

  /**
   * Refusals of one key for one reason.
   *
   * @param key its name; null for requests without a key
   * @param reason the code of the reason
   * @param count how many are kept
   */
  public record Sum(@Nullable String key, String reason, long count) {}

  /** Returns the largest sums, the largest first, at most {@code most} of them. */
  public synchronized List<Sum> largest(int most, long now) {
    forget(now);
    return byKey.keySet().stream()
        .flatMap(
            key ->
                ofKey(key, now).entrySet().stream()
                    .map(each -> new Sum(named(key), each.getKey(), each.getValue())))
        .sorted(Comparator.comparingLong(Sum::count).reversed().thenComparing(Sum::reason))
        .limit(most)
        .toList();
  }

  private static @Nullable String named(String key) {
    return key.isEmpty() ? null : key;
  }

  /**
   * Returns how many refusals of a key are kept, by the code of the reason.
   *
   * @param key its name
   */
  public synchronized Map<String, Long> ofKey(String key, long now) {
    forget(now);
    Map<String, Long> counts = new HashMap<>();
    for (Kept each : byKey.getOrDefault(key, new ArrayDeque<>(0))) {
      Refusal refusal = each.past.refusal();
      if (refusal != null) {
        counts.merge(refusal.reason().code(), 1L, Long::sum);
      }
    }
    return counts;
  }
}
