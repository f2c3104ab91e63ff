package io.penstock.sync;

import io.penstock.limit.LimitSpec;
import io.penstock.limit.Partition;
import io.penstock.limit.Parts;
import io.penstock.quota.LimitId;
import io.penstock.quota.MemorySupply;
import io.penstock.quota.Supply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Grants an instance that is cut off its parts of limits, as the store would: all in windows of its
 * own clock. Belongs to one thread at a time.
 */
final class Alone {
  private final long ttlNanos;

  /** One a limit: one that is asked what it cannot do fails none but itself. */
  private final Map<LimitId, MemorySupply> stores = new HashMap<>();

  private long shared;
  private long number;

  Alone(long ttlNanos) {
    this.ttlNanos = ttlNanos;
  }

  /** Forgets what was granted before: whoever asks says what it has. */
  void begin() {
    stores.clear();
  }

  /**
   * Returns what a limit is granted of its part, or null for nothing.
   *
   * @param ask all that counts is in it
   * @param parts among how many it is divided
   * @param sharedNanos what the shared clock would say
   */
  Supply.@Nullable Grant grant(Supply.Ask ask, long parts, long sharedNanos) {
    LimitSpec part = Parts.of(ask.spec(), parts);
    if (part == null) {
      return null;
    }
    shared = Math.max(shared, sharedNanos);
    number++;
    long most = Partition.of(part).capacity();
    long head = ask.head() > most ? 0 : ask.head(); // it waits until there is contact again
    Supply.Ask own =
        new Supply.Ask(ask.id(), part, ask.from(), ask.uses(), head, ask.wanted(), Supply.Ask.NONE);
    Supply.Answer answer =
        stores
            .computeIfAbsent(ask.id(), id -> new MemorySupply(() -> shared, ttlNanos, "own"))
            .round(new Supply.Round("self", number, List.of(own)))
            .handle((said, failure) -> failure == null ? said : null)
            .toCompletableFuture()
            .join();
    if (answer == null) {
      stores.remove(ask.id()); // its cells are others than before
    }
    return answer == null || answer.grants().isEmpty() ? null : answer.grants().getFirst();
  }
}
