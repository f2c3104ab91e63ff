package io.penstock.quota;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Dimension;
import io.penstock.cost.Tariff;
import io.penstock.cost.Weight;
import io.penstock.limit.Answer;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Regional;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Limits of an endpoint, key, model or upstream that are taken together, with the list of tickets
 * that wait for them. A quota stays the same object when its terms change, so that tickets do not
 * wait in an outdated list. Safe from any thread.
 */
public final class Quota {
  /** Cost rule for requests that are charged at arrival instead of at release. */
  private static final Tariff AT_ARRIVAL = Tariff.of(Charge.WHOLE);

  private final String name;
  private final boolean personal;
  private final Line line = new Line();
  private final List<Gate> gates;
  private volatile Terms terms;

  /**
   * Creates a quota.
   *
   * @param name the name of the owner, for refusals and logs
   * @param charge the rule for the cost of a request
   * @param limits the limits, in the order in which they are checked and taken
   */
  public Quota(String name, Tariff charge, List<Metered> limits) {
    this(name, charge, limits, List.of());
  }

  /**
   * Creates a quota that admits nothing while one of its gates is shut.
   *
   * @param gates the gates; code that shuts or opens one must wake the {@link #line}
   */
  public Quota(String name, Tariff charge, List<Metered> limits, List<Gate> gates) {
    this(name, false, charge, limits, gates);
  }

  private Quota(
      String name, boolean personal, Tariff charge, List<Metered> limits, List<Gate> gates) {
    this.name = name;
    this.personal = personal;
    this.gates = List.copyOf(gates);
    this.terms = new Terms(charge, limits);
    line.follow(this.terms.limits());
  }

  /** Creates a {@link #personal} quota. */
  public static Quota personal(String name, List<Metered> limits) {
    return new Quota(name, true, Tariff.of(Charge.TOTAL), limits, List.of());
  }

  /** Creates a quota with a cost rule without further settings. */
  public Quota(String name, Charge charge, List<Metered> limits) {
    this(name, Tariff.of(charge), limits);
  }

  /** Replaces cost rule and limits, and wakes all waiters. */
  public void change(Charge charge, List<Metered> limits) {
    change(Tariff.of(charge), limits);
  }

  /** Replaces cost rule and limits, and wakes all waiters. */
  public void change(Tariff charge, List<Metered> limits) {
    line.unfollow(terms.limits());
    line.follow(limits);
    terms = new Terms(charge, limits);
    line.wake();
  }

  /** Returns the name of the owner. */
  public String name() {
    return name;
  }

  /**
   * Returns whether it is the quota of one key. Tickets that wait for such a quota hold up no other
   * tickets, are never skipped and have no claims.
   */
  public boolean personal() {
    return personal;
  }

  /** Returns its limits. */
  public List<Metered> limits() {
    return terms.limits();
  }

  /** Returns the instant from which all gates let a request pass, at least {@code now}. */
  public long gatesOpen(long now) {
    long instant = now;
    for (Gate gate : gates) {
      instant = Math.max(instant, gate.opens(now));
    }
    return instant;
  }

  /** Returns the list of tickets that wait for it. */
  public Line line() {
    return line;
  }

  /**
   * Lowers {@code room} to what is free now, ignoring pacing. Returns false when not even a request
   * without tokens would be admitted.
   */
  public boolean lower(Sizes room, long now) {
    Terms current = terms;
    if (gatesOpen(now) > now) {
      return false;
    }
    for (Metered metered : current.limits()) {
      long free = metered.limit().room(now);
      Dimension dimension = current.charge().dimension(metered.measure());
      if (dimension != null) {
        room.lower(dimension, free);
      } else if (free < 1) {
        return false;
      }
      if (Terms.needsInput(metered)) {
        room.lower(Dimension.INPUT, metered.limit().capacity(now));
      }
    }
    return true;
  }

  /**
   * Returns the status of each of its limits for a ticket.
   *
   * @param whole whether the ticket is charged its whole expected cost at arrival and does not wait
   *     for it
   */
  public List<Stance> stances(Ticket ticket, boolean whole, long now) {
    Terms current = whole ? new Terms(AT_ARRIVAL, terms.limits()) : terms;
    Sizes sizes = new Sizes();
    sizes.set(ticket);
    List<Stance> stances = new ArrayList<>(current.limits().size());
    current.limits().forEach(each -> stances.add(current.stance(each, sizes, now)));
    return stances;
  }

  /** Lowers {@code sizes} to the most that could ever be admitted at once. */
  public void lowerToCapacity(Sizes sizes) {
    Terms current = terms;
    for (Metered metered : current.limits()) {
      Dimension dimension = current.charge().dimension(metered.measure());
      if (dimension != null) {
        sizes.lower(dimension, metered.limit().capacity());
      }
    }
  }

  /** Returns whether a ticket of {@code sizes} would be admitted now, ignoring pacing. */
  public boolean admits(Sizes sizes, long now) {
    Terms current = terms;
    if (gatesOpen(now) > now) {
      return false;
    }
    for (Metered metered : current.limits()) {
      if (!current.admits(metered, sizes, now)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the instant from which the pace lets a ticket pass; {@code now} if it does already. */
  public long paced(Sizes sizes, long now) {
    Terms current = terms;
    long instant = now;
    for (Metered metered : current.limits()) {
      instant = Math.max(instant, current.paced(metered, sizes, now));
    }
    return instant;
  }

  /**
   * Returns the instant from which {@code sizes} are admitted if nothing else happens, or NEVER.
   */
  public long earliest(Sizes sizes, long now) {
    return Math.max(opens(sizes, now), paced(sizes, now));
  }

  /** Returns {@link #earliest} ignoring pacing. */
  public long opens(Sizes sizes, long now) {
    Terms current = terms;
    long instant = gatesOpen(now);
    for (Metered metered : current.limits()) {
      instant = Math.max(instant, current.opens(metered, sizes, now));
    }
    return instant;
  }

  /**
   * Returns the first limit that could never admit {@code cost}, or null when all could. Only the
   * certain part of the cost counts, not the part that is merely expected.
   */
  public @Nullable Obstacle obstacle(Cost cost) {
    Terms current = terms;
    for (Metered metered : current.limits()) {
      Weight weight = current.charge().weigh(metered.measure(), cost);
      long capacity = metered.limit().capacity();
      if (weight.least() > capacity) {
        return new Obstacle(weight.least(), capacity);
      }
    }
    return null;
  }

  /** Returns the denial that {@code cost} would meet at arrival now, or null. Takes nothing. */
  @Nullable Unmet unmet(Cost cost, long now) {
    for (Metered metered : terms.limits()) {
      Weight weight = AT_ARRIVAL.weigh(metered.measure(), cost);
      Answer answer = metered.limit().decide(weight, now);
      if (!(answer instanceof Answer.Receipt)) {
        return new Unmet(metered, weight, answer);
      }
    }
    return null;
  }

  /**
   * Takes the whole of {@code cost} from all limits, for a request that is charged at arrival.
   * Returns the denial, or null if there was none; adds the charges to {@code spends}.
   */
  @Nullable Unmet charge(Cost cost, long now, List<Spend> spends) {
    Unmet unmet = take(terms, AT_ARRIVAL, cost, now, spends);
    if (unmet != null) {
      line.wake(); // other tickets may have seen as taken what was returned since
    }
    return unmet;
  }

  /** Informs other regions which of the limits they share had no room for a new request. */
  void stayed(Cost cost, long now) {
    Terms current = terms;
    for (Metered metered : current.limits()) {
      Weight weight = current.charge().weigh(metered.measure(), cost);
      Regional.denied(metered.limit(), weight, now);
    }
  }

  /** Returns the refusal of a new request while a ticket claims the quota; null without limits. */
  @Nullable Refusal kept() {
    List<Metered> limits = limits();
    return limits.isEmpty()
        ? null
        : new Refusal(
            Unmet.reason(name, limits.getFirst()),
            name + " is kept for a request that has waited for long",
            Refusal.UNKNOWN);
  }

  /**
   * A cost that can never fit.
   *
   * @param amount the amount that the request needs
   * @param capacity the most that the limit ever admits
   */
  public record Obstacle(long amount, long capacity) {}

  /**
   * Returns an estimate of the wait, in nanoseconds, behind {@code requests} tickets with a total
   * size of {@code ahead}.
   */
  public long forecast(long requests, Sizes ahead, Sizes own, long now) {
    Terms current = terms;
    long wait = gatesOpen(now) - now;
    for (Metered metered : current.limits()) {
      Dimension dimension = current.charge().dimension(metered.measure());
      long before = dimension == null ? requests : ahead.get(dimension);
      wait = Math.max(wait, metered.limit().forecast(before, current.amount(metered, own), now));
    }
    return wait;
  }

  /** Returns the highest utilization among its limits, 0 to 1. */
  public double utilization(long now) {
    return limits().stream().mapToDouble(each -> each.limit().utilization(now)).max().orElse(0);
  }

  /** Returns the highest utilization among its limits by all instances together, 0 to 1. */
  public double utilizationEverywhere(long now) {
    double most = 0;
    for (Metered metered : limits()) {
      most = Math.max(most, metered.utilization(now));
    }
    return most;
  }

  /**
   * Takes {@code cost} from all limits or from none. Returns whether it was taken; the charges are
   * added to {@code spends}.
   */
  public boolean take(Cost cost, long now, List<Spend> spends) {
    Terms current = terms;
    return take(current, current.charge(), cost, now, spends) == null;
  }

  private @Nullable Unmet take(
      Terms current, Tariff tariff, Cost cost, long now, List<Spend> spends) {
    int before = spends.size();
    for (Metered metered : current.limits()) {
      Limit limit = metered.limit();
      Weight weight = tariff.weigh(metered.measure(), cost);
      Answer answer = limit.take(weight, now);
      if (answer instanceof Answer.Receipt receipt) {
        spends.add(spend(metered, tariff, receipt, weight.least(), now));
      } else {
        giveBack(spends, before, now);
        return new Unmet(metered, weight, answer);
      }
    }
    // Last, because a pass through a gate on trial cannot be undone here.
    for (Gate gate : gates) {
      if (!gate.pass(now)) {
        giveBack(spends, before, now);
        return Unmet.GATE;
      }
    }
    if (personal) {
      line.wakeKeepers();
    }
    return null;
  }

  private Spend spend(
      Metered metered, Tariff tariff, Answer.Receipt receipt, long least, long now) {
    Line waiting = personal ? line : null;
    return new Spend(metered.limit(), metered.measure(), tariff, receipt, least, waiting, now);
  }

  /**
   * Adapts the limits to what the provider reports about its own, with the answer to the attempt
   * that made the charges {@code spends}. Wakes the waiters if tickets may go sooner now.
   */
  public void learn(List<Standing> standings, List<Spend> spends, long now) {
    boolean sooner = false;
    for (Standing standing : standings) {
      for (Spend spend : spends) {
        if (spend.measure() == standing.measure()) {
          sooner |= spend.learn(standing, now);
          break; // the first limit is that of the minute, which is the one that providers report
        }
      }
    }
    if (sooner) {
      line.wake();
    }
  }

  private static void giveBack(List<Spend> spends, int from, long now) {
    List<Spend> taken = spends.subList(from, spends.size());
    taken.forEach(spend -> spend.giveBack(now));
    taken.clear();
  }

  /**
   * Returns the instant at which all its exhausted day limits have been reset, {@code now} when
   * none is exhausted. A day limit that may get slices is not exhausted.
   */
  public long dayEndsNanos(long now) {
    long ends = now;
    for (Metered metered : limits()) {
      Limit limit = metered.limit();
      if (limit.spec() instanceof LimitSpec.Day
          && limit.decide(Weight.exactly(1), now) instanceof Answer.Wait(long until)
          && !limit.dry(1, now)) {
        ends = Math.max(ends, until);
      }
    }
    return ends;
  }

  /** Widens its trailing windows by the measured jitter of sending requests. */
  public void widen(long nanos) {
    limits().forEach(metered -> metered.limit().widen(nanos));
    line.wake(); // the new width may be smaller than the old one
  }

  @Override
  public String toString() {
    return "Quota[" + name + "]";
  }
}
