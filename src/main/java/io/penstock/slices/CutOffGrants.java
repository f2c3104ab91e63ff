package io.penstock.slices;

import io.penstock.limit.CellPartition;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.slice.LimitParts;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.SliceStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Grants an instance that is cut off from Redis its share of each limit, as the store would, but in
 * windows of the instance's own clock. Used by one thread at a time.
 */
final class CutOffGrants {
  private final long ttlNanos;

  /** One store per limit, so that an impossible request for one limit fails only that limit. */
  private final Map<LimitId, MemorySliceStore> stores = new HashMap<>();

  private long shared;
  private long number;

  CutOffGrants(long ttlNanos) {
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
  SliceStore.@Nullable Grant grant(SliceStore.Ask ask, long parts, long sharedNanos) {
    LimitSpec part = LimitParts.of(ask.spec(), parts);
    if (part == null) {
      return null;
    }
    shared = Math.max(shared, sharedNanos);
    number++;
    long most = CellPartition.of(part).capacity();
    long head = ask.lackedAtOnce() > most ? 0 : ask.lackedAtOnce(); // more has to wait for contact
    SliceStore.Ask own =
        new SliceStore.Ask(
            ask.id(), part, ask.from(), ask.uses(), head, ask.wanted(), SliceStore.Ask.NONE);
    SliceStore.Answer answer =
        stores
            .computeIfAbsent(ask.id(), id -> new MemorySliceStore(() -> shared, ttlNanos, "own"))
            .round(new SliceStore.Round("self", number, List.of(own)))
            .handle((said, failure) -> failure == null ? said : null)
            .toCompletableFuture()
            .join();
    if (answer == null) {
      stores.remove(ask.id()); // its cells have changed
    }
    return answer == null || answer.grants().isEmpty() ? null : answer.grants().getFirst();
  }
}
