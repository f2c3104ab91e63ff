package io.penstock.quota;

import io.penstock.limit.Demand;
import io.penstock.queue.Ticket;
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
 * skipped often enough <em>claims</em> the quota: until it has gone nobody else takes from it. A
 * ticket that may not be skipped for another reason may claim sooner. A ticket that {@linkplain
 * Ticket#holds holds} something passes the claims of those who do not, and takes them over; who
 * loses a claim to it claims again what else it lacks, before another ticket is let past it.
 */
public final class Line implements Demand.Waiter {
  /** A lane as others see it; all methods are safe from any thread. */
  public interface Waiter {
    /** Returns the order of its first ticket, {@link Long#MAX_VALUE} when it has none. */
    long headOrder();

    /** Returns whether its tickets {@linkplain Ticket#holds hold} something: all do, or none. */
    boolean holds();

    /** Returns whether its first ticket comes before {@code gone}, a ticket of another lane. */
    boolean precedes(Ticket gone);

    /** Returns whether it has a ticket that {@code gone} may not skip once more. */
    boolean unskippable(Ticket gone);

    /** Counts a skip of its tickets that come before {@code gone}. */
    void skip(Ticket gone);

    /**
     * Has a ticket that {@code gone} may not skip, and that has no claim yet, claim the quota that
     * is all it lacks at {@code now}. Returns that quota, or null when there is no such ticket.
     */
    @Nullable Quota claim(Ticket gone, long now);

    /** Returns whether that ticket is in this lane, and the lane in the lines of its quotas. */
    boolean waits(Ticket ticket);

    /** Has its tickets looked at again. */
    void wake();

    /** Returns whether anything may be kept for a ticket of its. */
    default boolean keeps() {
      return false;
    }
  }

  /** Stands for those who come and wait nowhere. */
  private static final Waiter NOBODY =
      new Onlooker() {
        @Override
        public void wake() {}
      };

  private record Place(Waiter waiter, boolean holds, long order) {}

  /**
   * The ticket a quota is kept for. A claim is void once its ticket is decided or has left the lane
   * that claimed: another thread may still make such a claim, because it saw the ticket before.
   */
  private record Claim(Waiter waiter, Ticket ticket) {
    boolean isVoid() {
      return ticket.state() != Ticket.State.PARKED || !waiter.waits(ticket);
    }

    boolean of(long order) {
      return ticket.order() == order;
    }

    boolean binds(boolean holds) {
      return ticket.holds() || !holds;
    }
  }

  private static final Comparator<Place> OLDEST_FIRST = Comparator.comparingLong(Place::order);
  private static final Comparator<Place> HOLDERS_FIRST =
      Comparator.comparing(Place::holds).reversed().thenComparing(OLDEST_FIRST);

  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet(1);
  private final AtomicReference<@Nullable Claim> claim = new AtomicReference<>();

  Line() {}

  /** Is woken from now on when there are more slices of those of the limits that are shared. */
  void follow(List<Metered> limits) {
    for (Metered metered : limits) {
      Demand demand = metered.limit().demand();
      if (demand != null) {
        demand.join(this);
      }
    }
  }

  /** Undoes {@link #follow}. */
  void unfollow(List<Metered> limits) {
    for (Metered metered : limits) {
      Demand demand = metered.limit().demand();
      if (demand != null) {
        demand.leave(this);
      }
    }
  }

  /** Adds a waiter, if it is not there. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Removes a waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns the claim that counts, or null; one that is void is removed, and all look again. */
  private @Nullable Claim current() {
    while (true) {
      Claim current = claim.get();
      if (current == null || !current.isVoid()) {
        return current;
      }
      if (claim.compareAndSet(current, null)) {
        wake();
      }
    }
  }

  /** Returns whether the quota is kept for any ticket. */
  public boolean kept() {
    return current() != null;
  }

  /**
   * Returns whether the quota is kept for any ticket that one who holds something, or not, may not
   * pass.
   */
  public boolean kept(boolean holds) {
    Claim current = current();
    return current != null && current.binds(holds);
  }

  /** Returns whether the quota is kept for another ticket, which that one may not pass. */
  public boolean keptFrom(Ticket ticket) {
    return keptFrom(ticket.order(), ticket.holds());
  }

  /**
   * Returns whether the quota is kept for a ticket other than that of that arrival number.
   *
   * @param holds whether something stays taken for that one while it waits
   */
  public boolean keptFrom(long order, boolean holds) {
    Claim current = current();
    return current != null && !current.of(order) && current.binds(holds);
  }

  /** Returns whether the quota is kept for the ticket of that arrival number. */
  public boolean keptFor(long order) {
    Claim current = current();
    return current != null && current.of(order);
  }

  /** Returns the ticket of {@code waiter} it is kept for, or null. */
  public @Nullable Ticket keptFor(Waiter waiter) {
    Claim current = current();
    return current != null && current.waiter().equals(waiter) ? current.ticket() : null;
  }

  /** Keeps the quota for a ticket, if it is not kept from it. Returns whether it is now. */
  public boolean claim(Waiter waiter, Ticket ticket) {
    Claim mine = new Claim(waiter, ticket);
    while (true) {
      Claim current = current();
      boolean known = current != null && current.of(ticket.order());
      if (known || (current != null && current.binds(ticket.holds()))) {
        return known;
      }
      if (claim.compareAndSet(current, mine)) {
        return true;
      }
    }
  }

  /** Ends the claim of a ticket, if it has one, and wakes those who wait. */
  public void release(Ticket ticket) {
    Claim current = claim.get();
    if (current != null
        && current.ticket().order() == ticket.order()
        && claim.compareAndSet(current, null)) {
      wake();
    }
  }

  /**
   * Has the tickets of others that come before {@code gone} and may not be skipped claim what they
   * lack, before that ticket of {@code waiter} takes from the quota: this quota, or another. Those
   * who hold something come first, so that nobody here has a claim only to see it taken over.
   *
   * @return whether any did: a claim of the other tickets of {@code waiter} may have been taken
   *     over
   */
  public boolean ask(Waiter waiter, Ticket gone, long now) {
    if (kept() || !anyUnskippable(waiter, gone)) {
      return false;
    }
    boolean any = false;
    for (Waiter other : places(HOLDERS_FIRST)) {
      if (unskippable(other, waiter, gone) && claims(other, gone, now)) {
        other.wake();
        any = true;
      }
    }
    return any;
  }

  /**
   * Has the tickets of one waiter claim, each what it lacks, until one claims this quota or none is
   * left that can claim; returns whether any did.
   */
  private boolean claims(Waiter other, Ticket gone, long now) {
    boolean any = false;
    while (other.claim(gone, now) != null) {
      any = true;
      if (kept()) {
        return true;
      }
    }
    return any;
  }

  private boolean anyUnskippable(Waiter waiter, Ticket gone) {
    for (Waiter other : waiters) {
      if (unskippable(other, waiter, gone)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds those who are skipped when {@code gone}, a ticket of {@code waiter}, takes from the quota:
   * all others with a first ticket that comes before it, unless the quota is kept anyway.
   */
  public void skipped(Waiter waiter, Ticket gone, Set<Waiter> into) {
    if (kept()) {
      return;
    }
    for (Waiter other : waiters) {
      if (!other.equals(waiter) && other.precedes(gone)) {
        into.add(other);
      }
    }
  }

  /**
   * Returns whether one that comes, and waits for nothing here, may take from the quota; those it
   * skips are then added to {@code into}.
   */
  boolean lets(Ticket coming, Set<Waiter> into, long now) {
    if (waiters.isEmpty() && !kept()) {
      return true;
    }
    ask(NOBODY, coming, now);
    if (keptFrom(coming)) {
      return false;
    }
    skipped(NOBODY, coming, into);
    return true;
  }

  private static boolean unskippable(Waiter other, Waiter waiter, Ticket gone) {
    return !other.equals(waiter) && other.unskippable(gone);
  }

  /** Wakes all who wait, the one with the oldest ticket first. */
  @Override
  public void wake() {
    if (waiters.size() <= 1) {
      waiters.forEach(Waiter::wake);
    } else {
      places(OLDEST_FIRST).forEach(Waiter::wake);
    }
  }

  /** Wakes those for whom anything is kept: what they lack besides may have changed. */
  void wakeKeepers() {
    for (Waiter waiter : waiters) {
      if (waiter.keeps()) {
        waiter.wake();
      }
    }
  }

  /** Orders change while this runs: each is read once, or the sort could see a contradiction. */
  private List<Waiter> places(Comparator<Place> order) {
    List<Place> all = new ArrayList<>();
    waiters.forEach(waiter -> all.add(new Place(waiter, waiter.holds(), waiter.headOrder())));
    all.sort(order);
    return all.stream().map(Place::waiter).toList();
  }
}
