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
 * What an endpoint, key, model or upstream is entitled to: limits that are taken together, and the
 * line of those who wait for them. It stays the same object when its terms change, so that nobody
 * waits at the wrong place. Safe from any thread.
 */
public final class Quota {
  /** How it adds up what is charged when it comes, and not when it goes. */
  private static final Tariff AT_ARRIVAL = Tariff.of(Charge.WHOLE);

  private final String name;
  private final boolean personal;
  private final Line line = new Line();
  private final List<Gate> gates;
  private volatile Terms terms;

  /**
   * Makes a quota.
   *
   * @param name whose it is, for refusals and logs
   * @param charge how it adds a request up
   * @param limits in the order in which they are checked and taken
   */
  public Quota(String name, Tariff charge, List<Metered> limits) {
    this(name, charge, limits, List.of());
  }

  /**
   * Makes a quota of which nothing is given while one of its gates is shut.
   *
   * @param gates those who shut or open one wake the {@link #line}
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

  /** Makes a quota that is {@link #personal}. */
  public static Quota personal(String name, List<Metered> limits) {
    return new Quota(name, true, Tariff.of(Charge.TOTAL), limits, List.of());
  }

  /** Makes a quota that adds a request up as a charge does that has no terms of its own. */
  public Quota(String name, Charge charge, List<Metered> limits) {
    this(name, Tariff.of(charge), limits);
  }

  /** Gives it other limits, and wakes those who wait. */
  public void change(Charge charge, List<Metered> limits) {
    change(Tariff.of(charge), limits);
  }

  /** Gives it other terms, and wakes those who wait. */
  public void change(Tariff charge, List<Metered> limits) {
    line.unfollow(terms.limits());
    line.follow(limits);
    terms = new Terms(charge, limits);
    line.wake();
  }

  /** Returns whose quota it is. */
  public String name() {
    return name;
  }

  /**
   * Returns whether it is that of one key: who waits for it holds nobody else, is skipped by nobody
   * and keeps nothing.
   */
  public boolean personal() {
    return personal;
  }

  /** Returns its limits. */
  public List<Metered> limits() {
    return terms.limits();
  }

  /** Returns the instant from which all its gates let a request pass, at most now if they do. */
  public long gatesOpen(long now) {
    long instant = now;
    for (Gate gate : gates) {
      instant = Math.max(instant, gate.opens(now));
    }
    return instant;
  }

  /** Returns who waits for it. */
  public Line line() {
    return line;
  }

  /**
   * Lowers {@code room} to what is free now, pacing aside. Returns false when not even a request
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
   * Returns how each of its limits stands to a ticket.
   *
   * @param whole whether the ticket is charged for all it is expected to use when it comes, and
   *     does not wait for that
   */
  public List<Stance> stances(Ticket ticket, boolean whole, long now) {
    Terms current = whole ? new Terms(AT_ARRIVAL, terms.limits()) : terms;
    Sizes sizes = new Sizes();
    sizes.set(ticket);
    List<Stance> stances = new ArrayList<>(current.limits().size());
    current.limits().forEach(each -> stances.add(current.stance(each, sizes, now)));
    return stances;
  }

  /** Lowers {@code sizes} to what is the most that could ever be admitted at once. */
  public void lowerToCapacity(Sizes sizes) {
    Terms current = terms;
    for (Metered metered : current.limits()) {
      Dimension dimension = current.charge().dimension(metered.measure());
      if (dimension != null) {
        sizes.lower(dimension, metered.limit().capacity());
      }
    }
  }

  /** Returns whether a ticket of {@code sizes} would be admitted now, pacing aside. */
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

  /** Returns the instant from which the pace lets a ticket pass, at most now if it does. */
  public long paced(Sizes sizes, long now) {
    Terms current = terms;
    long instant = now;
    for (Metered metered : current.limits()) {
      instant = Math.max(instant, current.paced(metered, sizes, now));
    }
    return instant;
  }

  /** Returns the instant at which sizes are admitted if nothing else happens; may be NEVER. */
  public long earliest(Sizes sizes, long now) {
    return Math.max(opens(sizes, now), paced(sizes, now));
  }

  /** Returns {@link #earliest}, pacing aside. */
  public long opens(Sizes sizes, long now) {
    Terms current = terms;
    long instant = gatesOpen(now);
    for (Metered metered : current.limits()) {
      instant = Math.max(instant, current.opens(metered, sizes, now));
    }
    return instant;
  }

  /**
   * Returns the limit that could never admit {@code cost}, or null when all could. What is only
   * expected is no obstacle.
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

  /** Returns what would not let {@code cost} be charged at arrival now, or null. Takes nothing. */
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
   * Takes all of {@code cost} from all limits, as for a request that comes and is not to wait for
   * them. Returns which did not give, or null; what was taken is added to {@code spends}.
   */
  @Nullable Unmet charge(Cost cost, long now, List<Spend> spends) {
    Unmet unmet = take(terms, AT_ARRIVAL, cost, now, spends);
    if (unmet != null) {
      line.wake(); // what was taken and given back may have looked gone to others
    }
    return unmet;
  }

  /** Has other regions told which of the limits they share had no room for one that has come. */
  void stayed(Cost cost, long now) {
    Terms current = terms;
    for (Metered metered : current.limits()) {
      Weight weight = current.charge().weigh(metered.measure(), cost);
      Regional.denied(metered.limit(), weight, now);
    }
  }

  /** Returns the refusal of one who comes while it is kept; null where it limits nothing now. */
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
   * @param amount what is asked
   * @param capacity the most that is ever admitted
   */
  public record Obstacle(long amount, long capacity) {}

  /**
   * Returns an estimate of the wait, in nanoseconds, behind {@code requests} tickets whose sizes
   * sum up to {@code ahead}.
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

  /** Returns the largest utilisation of its limits, 0 to 1. */
  public double utilization(long now) {
    return limits().stream().mapToDouble(each -> each.limit().utilization(now)).max().orElse(0);
  }

  /** Returns how much of the fullest limit all instances together use, 0 to 1. */
  public double utilizationEverywhere(long now) {
    double most = 0;
    for (Metered metered : limits()) {
      most = Math.max(most, metered.utilization(now));
    }
    return most;
  }

  /**
   * Takes {@code cost} from all limits or from none. Returns whether it did; what was taken is
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
    // Last: what passes a gate on trial cannot be taken back.
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
   * Learns what the provider says of its limits with the answer to the attempt that took {@code
   * spends} from here, and wakes those who wait if any may go sooner.
   */
  public void learn(List<Standing> standings, List<Spend> spends, long now) {
    boolean sooner = false;
    for (Standing standing : standings) {
      for (Spend spend : spends) {
        if (spend.measure() == standing.measure()) {
          sooner |= spend.learn(standing, now);
          break; // the first is that of the minute, of which providers speak
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
   * Returns the instant at which the longest of its daily limits that is used up starts anew; now
   * when each has room or may get slices, and when it has none.
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

  /** Widens its trailing windows by what was measured of the way to the provider. */
  public void widen(long nanos) {
    limits().forEach(metered -> metered.limit().widen(nanos));
    line.wake(); // it may be narrower than it was
  }

  @Override
  public String toString() {
    return "Quota[" + name + "]";
  }
}
