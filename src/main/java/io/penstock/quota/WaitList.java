package io.penstock.quota;

import io.penstock.limit.ShareDemand;
import io.penstock.queue.Ticket;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Wait list of one quota, with the ticket that claims the quota. Safe from any thread.
 *
 * <p>A waiter is a lane of an endpoint: tickets that face the same quotas. When a later ticket
 * takes what an earlier one waits for, the earlier one is <em>skipped</em>. A ticket that has been
 * skipped often enough <em>claims</em> the quota: until it has been released, no other ticket takes
 * from the quota. A ticket that may not be skipped for another reason may claim sooner. A ticket
 * that {@linkplain Ticket#keepsCharges keeps charges while it waits} ignores the claims of tickets
 * that do not, and takes them over. A ticket that loses its claim in this way claims whatever else
 * it lacks, before another ticket may overtake it.
 */
public final class WaitList implements ShareDemand.Waiter {
  /** View of a lane for other lanes; all methods are safe from any thread. */
  public interface Waiter {
    /** Returns the arrival number of its first ticket, {@link Long#MAX_VALUE} when it has none. */
    long headOrder();

    /**
     * Returns whether its tickets {@linkplain Ticket#keepsCharges keep charges while they wait}:
     * all do, or none.
     */
    boolean keepsCharges();

    /** Returns whether its first ticket comes before {@code released}, a ticket of another lane. */
    boolean precedes(Ticket released);

    /** Returns whether it has a ticket that may not be skipped by {@code released} once more. */
    boolean unskippable(Ticket released);

    /** Counts a skip of its tickets that come before {@code released}. */
    void skip(Ticket released);

    /**
     * Claims a quota for one of its tickets that may not be skipped by {@code released}, has no
     * claim yet, and lacks only that quota at {@code now}. Returns that quota, or null when there
     * is no such ticket.
     */
    @Nullable Quota claim(Ticket released, long now);

    /**
     * Returns whether the ticket is in this lane and the lane is in the wait lists of its quotas.
     */
    boolean hasWaiting(Ticket ticket);

    /** Requests that its tickets are checked again. */
    void wake();

    /**
     * Returns whether its tickets are of the endpoint that {@code owner} identifies; true for a
     * waiter that takes nothing.
     */
    default boolean isOf(Object owner) {
      return true;
    }

    /** Returns whether any of its tickets may have a claim. */
    default boolean mayHaveClaim() {
      return false;
    }
  }

  /** Stands for new tickets, which wait nowhere yet. */
  private static final Waiter NOBODY =
      new WaitObserver() {
        @Override
        public void wake() {}
      };

  private record Position(Waiter waiter, boolean keepsCharges, long order) {}

  /**
   * Claim of a ticket on the quota. A claim is void once its ticket is decided or has left the lane
   * that claimed. Another thread that saw the ticket before may still make such a claim.
   */
  private record Claim(Waiter waiter, Ticket ticket) {
    boolean isVoid() {
      return ticket.state() != Ticket.State.PARKED || !waiter.hasWaiting(ticket);
    }

    boolean of(long order) {
      return ticket.order() == order;
    }

    boolean binds(boolean holds) {
      return ticket.keepsCharges() || !holds;
    }
  }

  private static final Comparator<Position> OLDEST_FIRST =
      Comparator.comparingLong(Position::order);
  private static final Comparator<Position> HOLDERS_FIRST =
      Comparator.comparing(Position::keepsCharges).reversed().thenComparing(OLDEST_FIRST);

  @SharedState("lanes")
  private final Set<Waiter> waiters = ConcurrentHashMap.newKeySet(1);

  @SharedState("skips and claims")
  private final AtomicReference<@Nullable Claim> claim = new AtomicReference<>();

  WaitList() {}

  /** Subscribes to the shared ones of {@code limits}: from now on larger shares wake this list. */
  void follow(List<MeteredLimit> limits) {
    for (MeteredLimit metered : limits) {
      ShareDemand shareDemand = metered.limit().sharing().demand();
      if (shareDemand != null) {
        shareDemand.join(this);
      }
    }
  }

  /** Ends what {@link #follow} began. */
  void unfollow(List<MeteredLimit> limits) {
    for (MeteredLimit metered : limits) {
      ShareDemand shareDemand = metered.limit().sharing().demand();
      if (shareDemand != null) {
        shareDemand.leave(this);
      }
    }
  }

  /** Adds a waiter if it is not in the list. */
  public void join(Waiter waiter) {
    waiters.add(waiter);
  }

  /** Removes a waiter. */
  public void leave(Waiter waiter) {
    waiters.remove(waiter);
  }

  /** Returns how many waiters there are. */
  public int size() {
    return waiters.size();
  }

  /** Returns whether tickets of another endpoint than that of {@code owner} wait here. */
  public boolean othersWait(Object owner) {
    for (Waiter waiter : waiters) {
      if (!waiter.isOf(owner)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the present claim, or null. Removes a void claim and then wakes all waiters. */
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

  /** Returns the ticket that claims the quota, or null. */
  public @Nullable Ticket claimant() {
    Claim current = current();
    return current == null ? null : current.ticket();
  }

  /** Returns whether any ticket claims the quota. */
  public boolean isClaimed() {
    return current() != null;
  }

  /**
   * Returns whether a ticket claims the quota and other tickets must respect its claim. {@code
   * holds} is whether these keep charges while they wait.
   */
  public boolean isClaimed(boolean holds) {
    Claim current = current();
    return current != null && current.binds(holds);
  }

  /**
   * Returns whether another ticket claims the quota and {@code ticket} may not ignore that claim.
   */
  public boolean isClaimedForOther(Ticket ticket) {
    return isClaimedForOther(ticket.order(), ticket.keepsCharges());
  }

  /**
   * Returns whether the quota is claimed by a ticket other than the one with arrival number {@code
   * order}, and that one may not ignore the claim.
   *
   * @param holds whether the one with that arrival number keeps charges while it waits
   */
  public boolean isClaimedForOther(long order, boolean holds) {
    Claim current = current();
    return current != null && !current.of(order) && current.binds(holds);
  }

  /** Returns whether the ticket with that arrival number claims the quota. */
  public boolean claimedFor(long order) {
    Claim current = current();
    return current != null && current.of(order);
  }

  /** Returns the ticket of {@code waiter} that claims the quota, or null. */
  public @Nullable Ticket claimedFor(Waiter waiter) {
    Claim current = current();
    return current != null && current.waiter().equals(waiter) ? current.ticket() : null;
  }

  /**
   * Claims the quota for a ticket, unless the claim of another ticket binds it. Returns whether the
   * ticket has the claim now.
   */
  public boolean claim(Waiter waiter, Ticket ticket) {
    Claim mine = new Claim(waiter, ticket);
    while (true) {
      Claim current = current();
      boolean known = current != null && current.of(ticket.order());
      if (known || (current != null && current.binds(ticket.keepsCharges()))) {
        return known;
      }
      if (claim.compareAndSet(current, mine)) {
        return true;
      }
    }
  }

  /** Ends the claim of a ticket, if it has one, and wakes all waiters. */
  public void release(Ticket ticket) {
    Claim current = claim.get();
    if (current != null
        && current.ticket().order() == ticket.order()
        && claim.compareAndSet(current, null)) {
      wake();
    }
  }

  /**
   * Makes claims for tickets that may not be skipped, before {@code released}, a ticket of {@code
   * waiter}, takes from this quota. Each ticket of other waiters that comes before {@code released}
   * and may not be skipped claims the quota it lacks, this or another. Waiters with tickets that
   * keep charges come first, so that no claim is made here only to be taken over.
   *
   * @return whether any claim was made: it may have replaced a claim of another ticket of {@code
   *     waiter}
   */
  public boolean claimForUnskippable(Waiter waiter, Ticket released, long now) {
    if (isClaimed() || !anyUnskippable(waiter, released)) {
      return false;
    }
    boolean any = false;
    for (Waiter other : places(HOLDERS_FIRST)) {
      if (unskippable(other, waiter, released) && claims(other, released, now)) {
        other.wake();
        any = true;
      }
    }
    return any;
  }

  /**
   * Makes claims for the tickets of one waiter, each for what it lacks, until one claims this quota
   * or no other ticket can claim. Returns whether any claim was made.
   */
  private boolean claims(Waiter other, Ticket released, long now) {
    boolean any = false;
    while (other.claim(released, now) != null) {
      any = true;
      if (isClaimed()) {
        return true;
      }
    }
    return any;
  }

  private boolean anyUnskippable(Waiter waiter, Ticket released) {
    for (Waiter other : waiters) {
      if (unskippable(other, waiter, released)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the waiters that are skipped when {@code released}, a ticket of {@code waiter}, takes from
   * the quota: all others with a first ticket that comes before it. Adds none while a ticket claims
   * the quota.
   */
  public void addSkipped(Waiter waiter, Ticket released, Set<Waiter> into) {
    if (isClaimed()) {
      return;
    }
    for (Waiter other : waiters) {
      if (!other.equals(waiter) && other.precedes(released)) {
        into.add(other);
      }
    }
  }

  /**
   * Returns whether a new ticket, which does not wait here, may take from the quota. If so, adds
   * the waiters that it skips to {@code into}.
   */
  boolean mayTake(Ticket ticket, Set<Waiter> into, long now) {
    if (waiters.isEmpty() && !isClaimed()) {
      return true;
    }
    claimForUnskippable(NOBODY, ticket, now);
    if (isClaimedForOther(ticket)) {
      return false;
    }
    addSkipped(NOBODY, ticket, into);
    return true;
  }

  private static boolean unskippable(Waiter other, Waiter waiter, Ticket released) {
    return !other.equals(waiter) && other.unskippable(released);
  }

  /** Wakes all waiters, the one with the oldest ticket first. */
  @Override
  public void wake() {
    if (waiters.size() <= 1) {
      waiters.forEach(Waiter::wake);
    } else {
      places(OLDEST_FIRST).forEach(Waiter::wake);
    }
  }

  /** Wakes the waiters that may have claims: what else they lack may have changed. */
  void wakeClaimants() {
    for (Waiter waiter : waiters) {
      if (waiter.mayHaveClaim()) {
        waiter.wake();
      }
    }
  }

  /**
   * Returns the waiters, sorted. Their orders change meanwhile, so each is read only once: the sort
   * could see a contradiction otherwise.
   */
  private List<Waiter> places(Comparator<Position> order) {
    List<Position> all = new ArrayList<>();
    waiters.forEach(
        waiter -> all.add(new Position(waiter, waiter.keepsCharges(), waiter.headOrder())));
    all.sort(order);
    return all.stream().map(Position::waiter).toList();
  }
}
