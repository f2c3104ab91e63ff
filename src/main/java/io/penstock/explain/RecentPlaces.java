package io.penstock.explain;

import io.penstock.dispatch.Dispatcher;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.WaitForecast;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The places of an endpoint's waiting tickets as of a moment ago, for the many clients that want to
 * know theirs. Safe from any thread.
 *
 * <p>All who ask within a short time share one walk through the queue, so that it does not matter
 * how many clients ask. The owner of the queue only copies the list; the waits are estimated on
 * another thread.
 */
public final class RecentPlaces {
  private static final long LEAST_FRESH_NANOS = 20_000_000;

  /** Time for which a walk is good, for each ticket in it: about fifty times what it costs. */
  private static final long FRESH_NANOS_PER_TICKET = 50_000;

  /**
   * The place of a ticket.
   *
   * @param position its place, from 1, in the order in which tickets would go if everything fitted
   * @param expected how long it will still wait from then on
   */
  public record Place(int position, WaitForecast expected) {}

  /** All places at an instant, by the arrival numbers of the tickets. */
  public static final class Places {
    private final long nanos;
    private final Map<Long, Place> byNumber;

    private Places(long nanos, Map<Long, Place> byNumber) {
      this.nanos = nanos;
      this.byNumber = byNumber;
    }

    static Places of(QueueSnapshot snapshot) {
      Map<Long, Place> byNumber = new HashMap<>();
      for (QueuePlace each : snapshot.places()) {
        byNumber.put(each.ticket().order(), new Place(each.position(), each.expected()));
      }
      return new Places(snapshot.nanos(), byNumber);
    }

    /**
     * Returns the place of a ticket; null when it is not known, because the ticket came later or
     * stands too far behind, or its caller has not been charged yet.
     */
    public @Nullable Place of(ParkedTicket ticket) {
      return byNumber.get(ticket.order());
    }

    private boolean fresh(long now) {
      long lasts = Math.max(LEAST_FRESH_NANOS, byNumber.size() * FRESH_NANOS_PER_TICKET);
      return now - nanos < lasts;
    }
  }

  private final Consumer<ObjLongConsumer<Dispatcher>> owner;

  @SharedState("places told to waiting clients")
  private final AtomicReference<@Nullable CompletableFuture<Places>> walk = new AtomicReference<>();

  private volatile @Nullable Places latest;

  /**
   * Creates places that nobody has asked for yet.
   *
   * @param owner runs a task as the owner of the queue, soon
   */
  public RecentPlaces(Consumer<ObjLongConsumer<Dispatcher>> owner) {
    this.owner = owner;
  }

  /**
   * Returns places that were taken a moment ago, or will be in a moment, on any thread. Whoever
   * cancels the future cancels it for nobody else.
   */
  public CompletableFuture<Places> at(long now) {
    Places known = latest;
    if (known != null && known.fresh(now)) {
      return CompletableFuture.completedFuture(known);
    }
    CompletableFuture<Places> mine = new CompletableFuture<>();
    CompletableFuture<Places> running = walk.compareAndExchange(null, mine);
    if (running != null) {
      return running.copy();
    }
    owner.accept(
        (dispatcher, at) -> {
          QueueSnapshot snapshot =
              QueueSnapshot.of(dispatcher, List.of(), QueueSnapshot.FARTHEST, at);
          mine.completeAsync(() -> publish(snapshot));
        });
    return mine.copy();
  }

  private Places publish(QueueSnapshot snapshot) {
    try {
      Places places = Places.of(snapshot);
      latest = places;
      return places;
    } finally {
      walk.set(null);
    }
  }

  /** Forgets the places of an empty queue. */
  public void forget() {
    if (latest != null) {
      latest = null;
    }
  }
}
