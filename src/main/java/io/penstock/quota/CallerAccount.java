package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.ShareDemand;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.PromiseHolder;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Quotas of one caller: those of its key and of the group that the key belongs to. Requests share a
 * wait only if they have the same account object; it stays the same object when its terms change.
 * Safe from any thread.
 *
 * <p>Each request is {@linkplain #enter inside} from its arrival until it is settled. While any
 * request is inside, the quotas stay the same objects.
 */
public final class CallerAccount {
  /** Result of a charge at arrival. */
  public sealed interface ChargeResult {}

  /**
   * The whole cost was taken.
   *
   * @param givers the quotas it was taken from
   */
  public record Taken(List<Quota> givers, List<Charge> charges) implements ChargeResult {}

  /** Nothing was taken. */
  public record Denied(Refusal refusal) implements ChargeResult {}

  /**
   * Nothing was taken; a larger share may let the cost be taken.
   *
   * @param demand wakes those that wait for a larger share
   * @param beginsAt the instant from which the present share suffices; {@link Ticker#NEVER} when it
   *     never does
   */
  public record AwaitingShare(ShareDemand demand, long beginsAt) implements ChargeResult {}

  private static final int SHUT = -1;
  private static final long SECOND_MILLIS = 1_000;

  private final String name;
  private final BiFunction<@Nullable String, Long, List<Quota>> quotas;

  @SharedState("accounts of keys")
  private final AtomicInteger inside = new AtomicInteger();

  private volatile boolean waits;
  private volatile long maxWaiting;
  private volatile long usedAtMillis;
  private volatile @Nullable Refusal revoked;

  /** Listeners that are called when the key is revoked. */
  @SharedState("accounts of keys")
  private final Set<Consumer<Boolean>> revocationListeners = ConcurrentHashMap.newKeySet();

  /**
   * Creates an account.
   *
   * @param name name of the key, for logs and messages
   * @param waits as {@link #waits}
   * @param quotas returns the quotas for a model at an instant, in the order in which they are
   *     checked
   */
  public CallerAccount(
      String name, boolean waits, BiFunction<@Nullable String, Long, List<Quota>> quotas) {
    this.name = name;
    this.waits = waits;
    this.quotas = quotas;
  }

  /** Returns the name of the key, for logs and messages. */
  public String name() {
    return name;
  }

  /**
   * Records that a request has come. Requests of the same second are recorded once, so that threads
   * hardly ever write to the same memory.
   */
  public void used(long unixMillis) {
    if (Math.abs(unixMillis - usedAtMillis) >= SECOND_MILLIS) {
      usedAtMillis = unixMillis;
    }
  }

  /**
   * Returns the Unix time in milliseconds of the latest request that was recorded, to the second; 0
   * if there was none.
   */
  public long usedAtMillis() {
    return usedAtMillis;
  }

  /**
   * Returns whether requests wait when a limit lacks room and are charged at release; otherwise
   * they are charged or refused once, at arrival.
   */
  public boolean waits() {
    return waits;
  }

  /**
   * Returns how many of its requests may wait in a queue before further ones that would wait for
   * its limits are refused; 0 when any number may.
   */
  public long maxWaiting() {
    return maxWaiting;
  }

  /** Sets {@link #maxWaiting}. */
  public void maxWaiting(long most) {
    maxWaiting = most;
  }

  /** Sets {@link #waits} for requests that arrive from now on. */
  public void waits(boolean waits) {
    this.waits = waits;
  }

  /** Returns the refusal of all its requests that do not run yet, or null while its key exists. */
  public @Nullable Refusal revoked() {
    return revoked;
  }

  /**
   * Makes all its requests that do not run yet be refused, and tells the listeners.
   *
   * @param cut whether running answers are broken off
   */
  public void revoke(Refusal refusal, boolean cut) {
    revoked = refusal;
    revocationListeners.forEach(listener -> listener.accept(cut));
  }

  /** Ends what {@link #revoke} began, for requests that come from now on. */
  public void restore() {
    revoked = null;
  }

  /**
   * Tells a listener when the key is revoked, and whether running answers are broken off; at once
   * if that has happened.
   *
   * @param listener may be called on any thread, more than once, and must not block
   * @return ends this
   */
  public Runnable whenRevoked(Consumer<Boolean> listener) {
    revocationListeners.add(listener);
    if (revoked != null) {
      listener.accept(false);
    }
    return () -> revocationListeners.remove(listener);
  }

  /** Returns the quotas that a request for {@code model} faces, those of the key first. */
  public List<Quota> quotas(@Nullable String model, long now) {
    return quotas.apply(model, now);
  }

  /** Returns the use of all limits that its requests face, also of those for {@code models}. */
  public List<LimitUse> uses(Collection<String> models, long now) {
    enter();
    try {
      Set<Quota> all = new LinkedHashSet<>(quotas(null, now));
      models.forEach(model -> all.addAll(quotas(model, now)));
      return all.stream()
          .flatMap(quota -> quota.limits().stream().map(each -> LimitUse.of(quota, each, now)))
          .toList();
    } finally {
      leave();
    }
  }

  /** Returns whether it has budgets, and this instance alone spends them. */
  public boolean hasOwnBudgets(long now) {
    enter();
    try {
      boolean any = false;
      for (Quota quota : quotas(null, now)) {
        for (MeteredLimit metered : quota.limits()) {
          if (metered.isBudget()) {
            any = true;
            if (metered.limit().sharing().isShared()) {
              return false;
            }
          }
        }
      }
      return any;
    } finally {
      leave();
    }
  }

  /** Returns the size of its smallest budget in tokens; {@link Long#MAX_VALUE} without any. */
  public long smallestBudget(long now) {
    enter();
    try {
      return quotas(null, now).stream()
          .flatMap(quota -> quota.limits().stream())
          .filter(MeteredLimit::isBudget)
          .mapToLong(metered -> metered.limit().capacity())
          .min()
          .orElse(Long.MAX_VALUE);
    } finally {
      leave();
    }
  }

  /** Counts a request as inside; it must {@link #leave} once, after all its charges are settled. */
  public void enter() {
    while (true) {
      int before = inside.get();
      if (before == SHUT) {
        Thread.onSpinWait(); // a short wait: ifEmpty only forgets some limits
      } else if (inside.compareAndSet(before, before + 1)) {
        return;
      }
    }
  }

  /** Ends what {@link #enter} began. */
  public void leave() {
    inside.decrementAndGet();
  }

  /**
   * Runs {@code action} if no request is inside, and lets none in until it ends; else does nothing.
   */
  public void ifEmpty(Runnable action) {
    if (inside.compareAndSet(0, SHUT)) {
      try {
        action.run();
      } finally {
        inside.set(0);
      }
    }
  }

  /**
   * Takes the cost of a ticket from all quotas, or from none. Where a quota has no room, the result
   * says which one and why, or that this is not known until the store answers. A denied ticket
   * takes nothing that other tickets could have missed, and wakes no waiters.
   *
   * @param ticket a new ticket that no other thread knows
   */
  public ChargeResult charge(@Nullable String model, Ticket ticket, long now) {
    List<Quota> givers = quotas(model, now);
    Set<WaitList.Waiter> skipped = new HashSet<>();
    AwaitingShare dry = null;
    for (Quota quota : givers) {
      Denial expected = quota.expectedDenial(ticket.cost(), now);
      AwaitingShare lacking = expected == null ? null : expected.awaitingShare(now);
      if (lacking != null) {
        dry = lacking;
        continue;
      }
      Refusal denial =
          expected == null
              ? null
              : denied(expected, quota, givers, ticket.cost(), ticket.client(), now);
      boolean limited =
          !quota.limits().isEmpty(); // the limits may be gone while tickets still wait there
      boolean shared = limited && !quota.ofKey();
      if (denial == null && shared && !quota.waitList().mayTake(ticket, skipped, now)) {
        denial = quota.claimRefusal();
      }
      if (denial != null) {
        return new Denied(denial);
      }
    }
    if (dry != null) {
      return dry;
    }
    ChargeResult charged = take(givers, ticket, now);
    if (charged instanceof Taken) {
      skipped.forEach(each -> each.skip(ticket));
    }
    return charged;
  }

  /**
   * Charges tokens that a request used beyond those that it was settled with. They may exceed what
   * its limits have left.
   */
  public void chargeLate(@Nullable String model, TokenUsage more, long now) {
    enter();
    try {
      quotas(model, now).forEach(quota -> quota.chargeLate(more, now));
    } finally {
      leave();
    }
  }

  /**
   * Returns the refusal that every request would get now: even one without tokens, for any model.
   * Returns null when there is no such refusal, when it is not known yet, and when requests wait.
   * Takes nothing. Other regions are informed, and the time it is told counts, as of any refusal.
   */
  public @Nullable Refusal certainRefusal(PromiseHolder client, long now) {
    if (waits) {
      return null;
    }
    enter();
    try {
      for (Quota quota : quotas(null, now)) {
        Denial denial = quota.expectedDenial(Cost.NO_TOKENS, now);
        if (denial != null && denial.awaitingShare(now) == null) {
          return denied(denial, quota, quotas(null, now), Cost.NO_TOKENS, client, now);
        }
      }
      return null;
    } finally {
      leave();
    }
  }

  /**
   * Returns the refusal of a call with an unknown number of tokens, by a budget that is used up;
   * null while there is none. Takes nothing.
   */
  public @Nullable Refusal usedUpBudget(long now) {
    enter();
    try {
      for (Quota quota : quotas(null, now)) {
        Refusal refusal = quota.usedUpBudget(now);
        if (refusal != null) {
          return refusal;
        }
      }
      return null;
    } finally {
      leave();
    }
  }

  /**
   * Reports to other regions which of the limits they share had no room for a request that has just
   * arrived and now waits or was refused.
   */
  public void reportDenials(@Nullable String model, Cost cost, long now) {
    quotas(model, now).forEach(quota -> quota.reportDenials(cost, now));
  }

  /**
   * Returns the refusal of a request that a quota has denied. The time in it is that at which all
   * quotas would admit the request after those that were refused before it.
   */
  static Refusal denied(
      Denial denial, Quota quota, List<Quota> givers, Cost cost, PromiseHolder client, long now) {
    Refusal refusal = denial.reportToRegions(now).refusal(quota.name(), now);
    if (refusal.retryAfterNanos() == Refusal.UNKNOWN) {
      return refusal;
    }
    long until = now + refusal.retryAfterNanos();
    for (Quota each : givers) {
      until = Math.max(until, each.promiseRoom(client, cost, now));
    }
    return until == Ticker.NEVER ? refusal : refusal.retryAfter(until - now);
  }

  private static ChargeResult take(List<Quota> givers, Ticket ticket, long now) {
    List<Charge> charges = new ArrayList<>();
    for (int at = 0; at < givers.size(); at++) {
      Denial denial = givers.get(at).charge(ticket.cost(), now, charges);
      if (denial != null) {
        // Other requests took it after the first look. Tickets that looked meanwhile may have seen
        // too little room: they look again.
        charges.forEach(charge -> charge.giveBack(now));
        givers.subList(0, at).forEach(quota -> quota.waitList().wake());
        AwaitingShare dry = denial.awaitingShare(now);
        return dry == null
            ? new Denied(
                denied(denial, givers.get(at), givers, ticket.cost(), ticket.client(), now))
            : dry;
      }
    }
    return new Taken(givers, charges);
  }

  /**
   * Compares by identity. The hash code is that of the name, so that hash order is the same in each
   * run.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return "Account[" + name + "]";
  }
}
