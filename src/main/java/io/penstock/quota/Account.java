package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.limit.Demand;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one caller may spend: the quotas of its key, and of the group the key is in. Those who wait
 * do so at the same account only if it is the same object, which it stays when its terms change.
 * Safe from any thread.
 *
 * <p>Each request is {@linkplain #enter inside} from its arrival until it is settled: while anybody
 * is, the quotas stay the same objects.
 */
public final class Account {
  /** What came of a charge at arrival. */
  public sealed interface Charged {}

  /**
   * All that was asked for was taken.
   *
   * @param givers who gave it
   */
  public record Taken(List<Quota> givers, List<Spend> spends) implements Charged {}

  /** Nothing was taken. */
  public record Denied(Refusal refusal) implements Charged {}

  /**
   * Nothing was taken, and with the next slices it is known whether it can be.
   *
   * @param demand wakes who waits for them
   * @param begin when some may be spent that are here already; {@link
   *     io.penstock.time.Ticker#NEVER} for none
   */
  public record Dry(Demand demand, long begin) implements Charged {}

  private static final int SHUT = -1;

  private final String name;
  private final BiFunction<@Nullable String, Long, List<Quota>> quotas;
  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean waits;

  /**
   * Makes an account.
   *
   * @param name whose it is, for people
   * @param waits as {@link #waits}
   * @param quotas those of a model at an instant, in the order in which they are checked
   */
  public Account(
      String name, boolean waits, BiFunction<@Nullable String, Long, List<Quota>> quotas) {
    this.name = name;
    this.waits = waits;
    this.quotas = quotas;
  }

  /** Returns whose it is. */
  public String name() {
    return name;
  }

  /**
   * Returns whether requests wait for what they lack and are charged at release; otherwise they are
   * refused or charged, once, at arrival.
   */
  public boolean waits() {
    return waits;
  }

  /** Changes what {@link #waits} says, for who comes from now on. */
  public void waits(boolean waits) {
    this.waits = waits;
  }

  /** Returns the quotas that a request for {@code model} faces: those of the key come first. */
  public List<Quota> quotas(@Nullable String model, long now) {
    return quotas.apply(model, now);
  }

  /** Lets a request in; it must {@link #leave} once, after all it took is settled. */
  public void enter() {
    while (true) {
      int before = inside.get();
      if (before == SHUT) {
        Thread.onSpinWait(); // for as long as it takes to forget some limits
      } else if (inside.compareAndSet(before, before + 1)) {
        return;
      }
    }
  }

  /** Sees a request out. */
  public void leave() {
    inside.decrementAndGet();
  }

  /** Runs {@code action} while nobody is inside and nobody comes in; not when somebody is. */
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
   * Takes all that a ticket costs from all quotas, or says which of them denies it, and why, or
   * that nobody knows yet. One that is denied has taken nothing that anybody could have missed, and
   * wakes nobody.
   *
   * @param coming a ticket that nobody else has seen
   */
  public Charged charge(@Nullable String model, Ticket coming, long now) {
    List<Quota> givers = quotas(model, now);
    Set<Line.Waiter> skipped = new HashSet<>();
    Dry dry = null;
    for (Quota quota : givers) {
      Unmet unmet = quota.unmet(coming.cost(), now);
      Dry lacking = unmet == null ? null : unmet.dry(now);
      if (lacking != null) {
        dry = lacking;
        continue;
      }
      Refusal denial = unmet == null ? null : unmet.told(now).refusal(quota.name(), now);
      boolean limited = !quota.limits().isEmpty(); // not any more, maybe, for who waits there still
      boolean shared = limited && !quota.personal();
      if (denial == null && shared && !quota.line().lets(coming, skipped, now)) {
        denial = quota.kept();
      }
      if (denial != null) {
        return new Denied(denial);
      }
    }
    if (dry != null) {
      return dry;
    }
    Charged charged = take(givers, coming, now);
    if (charged instanceof Taken) {
      skipped.forEach(each -> each.skip(coming));
    }
    return charged;
  }

  /**
   * Returns the refusal that any request gets that comes now and costs at least itself, whatever
   * its model; null where there is none, where nobody knows yet, and where requests wait. Takes
   * nothing, and other regions are told as of any refusal.
   */
  public @Nullable Refusal foreseen(long now) {
    if (waits) {
      return null;
    }
    enter();
    try {
      for (Quota quota : quotas(null, now)) {
        Unmet unmet = quota.unmet(Cost.NO_TOKENS, now);
        if (unmet != null && unmet.dry(now) == null) {
          return unmet.told(now).refusal(quota.name(), now);
        }
      }
      return null;
    } finally {
      leave();
    }
  }

  /** Takes note of one that has just come, and waits or was refused. */
  public void stayed(@Nullable String model, Cost cost, long now) {
    quotas(model, now).forEach(quota -> quota.stayed(cost, now));
  }

  private static Charged take(List<Quota> givers, Ticket coming, long now) {
    List<Spend> spends = new ArrayList<>();
    for (int at = 0; at < givers.size(); at++) {
      Unmet unmet = givers.get(at).charge(coming.cost(), now, spends);
      if (unmet != null) {
        // Others were faster since the first look: who looked meanwhile looks again.
        spends.forEach(spend -> spend.giveBack(now));
        givers.subList(0, at).forEach(quota -> quota.line().wake());
        Dry dry = unmet.dry(now);
        String name = givers.get(at).name();
        return dry == null ? new Denied(unmet.told(now).refusal(name, now)) : dry;
      }
    }
    return new Taken(givers, spends);
  }

  /**
   * Accounts are themselves and nothing else; by their names they come in the same order always.
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
