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
 * Grants an instance that is cut off from Redis its share of each limit, as the store would, but in
 * windows of the instance's own clock. Used by one thread at a time.
 */
final class Alone {
  private final long ttlNanos;

  /** One store per limit, so that an impossible request for one limit fails only that limit. */
  private final Map<LimitId, MemorySupply> stores = new HashMap<>();

  private long shared;
  private long number;

  Alone(long ttlNanos) {
    this.ttlNanos = ttlNanos;
  }

  /** Forgets earlier grants; the next ask for each limit reports everything it has. */
  void begin() {
    stores.clear();
  }

  /**
   * Returns the grant of a limit from its share, or null for none.
   *
   * @param ask reports everything that counts
   * @param parts number of instances by which the limit is divided
   * @param sharedNanos estimated time of the shared clock
   */
  Supply.@Nullable Grant grant(Supply.Ask ask, long parts, long sharedNanos) {
    LimitSpec part = Parts.of(ask.spec(), parts);
    if (part == null) {
      return null;
    }
    shared = Math.max(shared, sharedNanos);
    number++;
    long most = Partition.of(part).capacity();
    long head = ask.head() > most ? 0 : ask.head(); // more has to wait for contact
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
      stores.remove(ask.id()); // its cells have changed
    }
    return answer == null || answer.grants().isEmpty() ? null : answer.grants().getFirst();
  }
}
