package io.penstock.quota;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for a quota, and for whom it is kept. Safe from any thread.
 *
 * <p>A waiter is a lane of an endpoint: tickets that face the same quotas. When a later ticket
 * takes what an earlier one waits for, the earlier one is <em>skipped</em>. One that has been
 * skipped often enough <em>claims</em> the quota: until it has gone nobody else takes from it.
 * Tickets are known by their order, which is unique in the process.
 */
public final class Line {
  /** A lane as others see it; all methods are safe from any thread. */
  public interface Waiter {
    /** Returns the order of its first ticket, {@link Long#MAX_VALUE} when it has none. */
    long headOrder();

    /** Returns whether its first ticket may not be skipped once more. */
    boolean skippedEnough();

    /** Counts a skip of its first ticket. */
    void skip();

    /**
     * Has its first ticket claim the quota that is all it lacks at {@code now}. Returns that quota,
     * or null when it lacks nothing, or more, or holds a claim already.
     */
    @Nullable Quota claim(long now);

    /** Has its tickets looked at again. */
    void wake();
  }

  private record Place(Waiter waiter, long order) {}

  /** No ticket has this order. */
  public static final long NOBODY = -1;

  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Place> claim = new AtomicReference<>();

  Line() {}

  /** Adds a waiter, if it is not there. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Removes a waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns whether the quota is kept for any ticket. */
  public boolean kept() {
    return claim.get() != null;
  }

  /** Returns whether the quota is kept for a ticket other than that one. */
  public boolean keptFrom(long order) {
    Place current = claim.get();
    return current != null && current.order() != order;
  }

  /** Returns the order of the ticket of {@code waiter} it is kept for, or {@link #NOBODY}. */
  public long keptFor(Waiter waiter) {
    Place current = claim.get();
    return current != null && current.waiter().equals(waiter) ? current.order() : NOBODY;
  }

  /** Keeps the quota for a ticket, if it is not kept for another. Returns whether it is now. */
  public boolean claim(Waiter waiter, long order) {
    return claim.compareAndSet(null, new Place(waiter, order)) || !keptFrom(order);
  }

  /** Ends the claim of a ticket, if it has one, and wakes those who wait. */
  public void release(long order) {
    Place current = claim.get();
    if (current != null && current.order() == order && claim.compareAndSet(current, null)) {
      wake();
    }
  }

  /**
   * Has the earlier first tickets of others that have been skipped enough claim what they lack,
   * before a ticket of {@code waiter} takes from the quota: this quota, or another.
   */
  public void ask(Waiter waiter, long order, long now) {
    if (kept() || waiters.stream().noneMatch(other -> entitled(other, waiter, order))) {
      return;
    }
    for (Waiter other : oldestFirst()) {
      if (entitled(other, waiter, order) && other.claim(now) != null) {
        other.wake();
      }
    }
  }

  /**
   * Adds those who are skipped when a ticket of {@code waiter} takes from the quota: all others
   * with an earlier first ticket, unless the quota is kept anyway.
   */
  public void skipped(Waiter waiter, long order, Set<Waiter> into) {
    if (kept()) {
      return;
    }
    for (Waiter other : waiters) {
      if (earlier(other, waiter, order)) {
        into.add(other);
      }
    }
  }

  private static boolean entitled(Waiter other, Waiter waiter, long order) {
    return earlier(other, waiter, order) && other.skippedEnough();
  }

  private static boolean earlier(Waiter other, Waiter waiter, long order) {
    return !other.equals(waiter) && other.headOrder() < order;
  }

  /** Wakes all who wait, the one with the oldest ticket first. */
  public void wake() {
    if (!waiters.isEmpty()) {
      oldestFirst().forEach(Waiter::wake);
    }
  }

  /** Orders change while this runs: each is read once, or the sort could see a contradiction. */
  private List<Waiter> oldestFirst() {
    List<Place> all = new ArrayList<>();
    waiters.forEach(waiter -> all.add(new Place(waiter, waiter.headOrder())));
    all.sort(Comparator.comparingLong(Place::order));
    return all.stream().map(Place::waiter).toList();
  }
}
