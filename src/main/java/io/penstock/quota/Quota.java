package io.penstock.quota;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.cost.TokenUsage;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits of an endpoint, key, model or upstream that are taken together, with the list of tickets
 * that wait for them. A quota stays the same object when its terms change, so that tickets do not
 * wait in an outdated list. Safe from any thread.
 */
public final class Quota {
  /** Cost rule for requests that are charged at arrival instead of at release. */
  private static final PoolTariff AT_ARRIVAL = PoolTariff.of(ChargeRule.WHOLE);

  private static final Cost ONE_TOKEN = Cost.ofInput(1);

  /** How long a request waits for the end of a day if nothing else bounds its wait. */
  private static final long LONGEST_FOR_DAY_NANOS = 290_000_000_000L;

  private final String name;
  private final boolean ofKey;
  private final WaitList waitList = new WaitList();
  private final List<QuotaGate> gates;
  private volatile QuotaTerms quotaTerms;

  /** The original of a copy; else null. */
  private final @Nullable Quota original;

  /**
   * Creates a quota.
   *
   * @param name the name of the owner, for refusals and logs
   * @param charge the rule for the cost of a request
   * @param limits the limits, in the order in which they are checked and taken
   */
  public Quota(String name, PoolTariff charge, List<MeteredLimit> limits) {
    this(name, charge, limits, List.of());
  }

  /**
   * Creates a quota that admits nothing while one of its gates is shut.
   *
   * @param gates the gates; code that shuts or opens one must wake the {@link #waitList}
   */
  public Quota(String name, PoolTariff charge, List<MeteredLimit> limits, List<QuotaGate> gates) {
    this(name, false, charge, limits, gates, null);
  }

  private Quota(
      String name,
      boolean personal,
      PoolTariff charge,
      List<MeteredLimit> limits,
      List<QuotaGate> gates,
      @Nullable Quota original) {
    this.name = name;
    this.original = original;
    this.ofKey = personal;
    this.gates = List.copyOf(gates);
    this.quotaTerms = new QuotaTerms(charge, limits);
    waitList.follow(this.quotaTerms.limits());
  }

  /** Creates a {@link #ofKey} quota. */
  public static Quota ofKey(String name, List<MeteredLimit> limits) {
    return new Quota(name, true, PoolTariff.of(ChargeRule.TOTAL), limits, List.of(), null);
  }

  /**
   * Creates a quota without limits that admits nothing while its gate is shut. Tickets that wait
   * for it are treated like those that wait for their own key.
   */
  public static Quota holding(String name, QuotaGate gate) {
    return new Quota(name, true, PoolTariff.of(ChargeRule.TOTAL), List.of(), List.of(gate), null);
  }

  /** Creates a quota with a cost rule without further settings. */
  public Quota(String name, ChargeRule chargeRule, List<MeteredLimit> limits) {
    this(name, PoolTariff.of(chargeRule), limits);
  }

  /** Replaces cost rule and limits, and wakes all waiters. */
  public void change(ChargeRule chargeRule, List<MeteredLimit> limits) {
    change(PoolTariff.of(chargeRule), limits);
  }

  /** Replaces cost rule and limits, and wakes all waiters. */
  public void change(PoolTariff charge, List<MeteredLimit> limits) {
    waitList.unfollow(quotaTerms.limits());
    waitList.follow(limits);
    quotaTerms = new QuotaTerms(charge, limits);
    waitList.wake();
  }

  /** Returns the name of the owner. */
  public String name() {
    return name;
  }

  /**
   * Returns whether it is the quota of one key. Tickets that wait for such a quota hold up no other
   * tickets, are never skipped and have no claims.
   */
  public boolean ofKey() {
    return ofKey;
  }

  /** Returns whether one of its limits counts tokens. */
  public boolean limitsTokens() {
    for (MeteredLimit each : quotaTerms.limits()) {
      if (each.measure() != LimitMeasure.REQUESTS && each.measure() != LimitMeasure.CONCURRENCY) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether its limits do not count input that was read from a cache. */
  public boolean freesCacheReads() {
    return quotaTerms.charge().expectsReads();
  }

  /** Returns its limits. */
  public List<MeteredLimit> limits() {
    return quotaTerms.limits();
  }

  /** Returns the use of its budgets. */
  public List<LimitUse> budgetUses(long now) {
    return limits().stream()
        .filter(MeteredLimit::isBudget)
        .map(each -> LimitUse.of(this, each, now))
        .toList();
  }

  /**
   * Gives its budgets back as a whole and wakes all waiters; what running requests still use counts
   * from then on. Returns false and changes nothing if others share a budget.
   */
  public boolean resetBudgets() {
    List<Limit> budgets =
        limits().stream().filter(MeteredLimit::isBudget).map(MeteredLimit::limit).toList();
    if (budgets.stream().anyMatch(each -> each.sharing().isShared())) {
      return false;
    }
    budgets.forEach(Limit::emptyDay);
    waitList.wake();
    return true;
  }

  /** Returns the instant from which all gates let a request pass, at least {@code now}. */
  public long gatesOpenAt(long now) {
    long instant = now;
    for (QuotaGate quotaGate : gates) {
      instant = Math.max(instant, quotaGate.opens(now));
    }
    return instant;
  }

  /**
   * Returns the last instant at which one of its gates opens because somebody has stated that,
   * {@code now} when nobody has.
   */
  public long statedEnd(long now) {
    long instant = now;
    for (QuotaGate quotaGate : gates) {
      instant = Math.max(instant, quotaGate.statedEnd(now));
    }
    return instant;
  }

  /** Undoes the pass of a request through gates on trial at {@code now}: it will not be sent. */
  public void untried(long now) {
    gates.forEach(each -> each.untried(now));
  }

  /** Returns the list of tickets that wait for it. */
  public WaitList waitList() {
    return waitList;
  }

  /**
   * Lowers {@code room} to what is free now, ignoring pacing. Returns false when not even a request
   * without tokens would be admitted.
   */
  public boolean lower(DimensionSizes room, long now) {
    QuotaTerms current = quotaTerms;
    if (gatesOpenAt(now) > now) {
      return false;
    }
    for (MeteredLimit metered : current.limits()) {
      if (!metered.lower(current.charge(), room, now)) {
        return false;
      }
      CostDimension whole = current.charge().wholeDimension(metered.measure());
      if (whole != null) {
        room.lower(current.charge().inputDimension(), metered.limit().capacity(now));
        room.lower(whole, metered.limit().capacity());
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
  public List<LimitStatus> statuses(Ticket ticket, boolean whole, long now) {
    QuotaTerms current = whole ? new QuotaTerms(AT_ARRIVAL, quotaTerms.limits()) : quotaTerms;
    DimensionSizes sizes = new DimensionSizes();
    ticket.sizesInto(sizes);
    List<LimitStatus> statuses = new ArrayList<>(current.limits().size());
    current.limits().forEach(each -> statuses.add(current.status(each, sizes, now)));
    return statuses;
  }

  /** Lowers {@code sizes} to the most that could ever be admitted at once. */
  public void lowerToCapacity(DimensionSizes sizes) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      CostDimension costDimension = metered.dimension(current.charge());
      if (costDimension != null) {
        sizes.lower(costDimension, metered.limit().capacity());
      }
    }
  }

  /** Returns whether a ticket of {@code sizes} would be admitted now, ignoring pacing. */
  public boolean admits(DimensionSizes sizes, long now) {
    QuotaTerms current = quotaTerms;
    if (gatesOpenAt(now) > now) {
      return false;
    }
    for (MeteredLimit metered : current.limits()) {
      if (!current.admits(metered, sizes, now)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the instant from which the pace lets a ticket pass; {@code now} if it does already. */
  public long paceAllowsAt(DimensionSizes sizes, long now) {
    QuotaTerms current = quotaTerms;
    long instant = now;
    for (MeteredLimit metered : current.limits()) {
      instant = Math.max(instant, current.paceAllowsAt(metered, sizes, now));
    }
    return instant;
  }

  /**
   * Returns the instant from which {@code sizes} are admitted if nothing else happens, ignoring
   * pacing; may be {@link Ticker#NEVER}.
   */
  public long roomFreeAt(DimensionSizes sizes, long now) {
    QuotaTerms current = quotaTerms;
    long instant = gatesOpenAt(now);
    for (MeteredLimit metered : current.limits()) {
      instant = Math.max(instant, current.roomFreeAt(metered, sizes, now));
    }
    return instant;
  }

  /**
   * Records the demand of a ticket that waits for room; returns {@link #roomFreeAt} as it was
   * before.
   */
  public long requestRoom(DimensionSizes sizes, long now) {
    QuotaTerms current = quotaTerms;
    long instant = gatesOpenAt(now);
    for (MeteredLimit metered : current.limits()) {
      instant = Math.max(instant, current.requestRoom(metered, sizes, now));
    }
    return instant;
  }

  /** Returns {@link #requestRoom}, or when the pace lets the ticket pass if that is later. */
  public long requestAdmission(DimensionSizes sizes, long now) {
    return Math.max(requestRoom(sizes, now), paceAllowsAt(sizes, now));
  }

  /**
   * Returns the largest stated maximum of output with which {@code cost} would fit into all limits;
   * {@link Long#MAX_VALUE} when none counts it, and negative when its input alone is too much.
   */
  public long mostStatedOutput(Cost cost) {
    QuotaTerms current = quotaTerms;
    long most = Long.MAX_VALUE;
    for (MeteredLimit metered : current.limits()) {
      long capacity = metered.limit().capacity();
      most =
          Math.min(
              most,
              current.charge().mostStatedOutput(metered.measure(), cost.inputTokens(), capacity));
    }
    return most;
  }

  /**
   * Returns the largest input with which {@code cost} would fit into all limits; {@link
   * Long#MAX_VALUE} when it fits as it is, and negative when its stated maximum alone is too much.
   */
  public long mostInput(Cost cost) {
    QuotaTerms current = quotaTerms;
    PoolTariff tariff = current.charge();
    long most = Long.MAX_VALUE;
    for (MeteredLimit metered : current.limits()) {
      long capacity = metered.limit().capacity();
      if (metered.weigh(tariff, cost).whole() > capacity) {
        long input = tariff.mostInput(metered.measure(), cost.statedOutputTokens(), capacity);
        most = Math.min(most, input);
      }
    }
    return most;
  }

  /**
   * Returns the first limit that could never admit {@code cost}, or null when all could. Only what
   * counts at once matters, not the part that is merely expected.
   */
  public @Nullable Obstacle obstacle(Cost cost) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      Weight weight = metered.weigh(current.charge(), cost);
      long capacity = metered.limit().capacity();
      if (weight.whole() > capacity) {
        boolean stated = weight.least() <= capacity;
        return new Obstacle(
            weight.whole(), capacity, stated ? name : null, metered.isOfCaller() ? name : null);
      }
    }
    return null;
  }

  /** Charges tokens whatever the limits have left, and wakes those that counted on the room. */
  void chargeLate(TokenUsage more, long now) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      PoolTariff tariff = current.charge();
      long input = Math.max(0, tariff.settled(metered.measure(), more));
      long amount = input + tariff.produced(metered.measure(), more.outputTokens());
      if (amount > 0) {
        metered.limit().charge(amount, 0, now);
        waitList.wakeClaimants();
      }
    }
  }

  /**
   * Returns the denial that {@code cost} would meet at arrival now, or null. Takes nothing, but
   * records the demand for a larger share where one is lacking.
   */
  @Nullable Denial expectedDenial(Cost cost, long now) {
    for (MeteredLimit metered : quotaTerms.limits()) {
      Weight weight = metered.weigh(AT_ARRIVAL, cost);
      LimitAnswer limitAnswer = metered.limit().decide(weight, now);
      if (!(limitAnswer instanceof LimitAnswer.Receipt)) {
        metered.limit().recordDemand(weight.needed(), now);
        LimitAnswer last = untilAllAdmit(limitAnswer, quotaTerms, cost, now);
        return new Denial(metered, weight, cost, last);
      }
    }
    return null;
  }

  /**
   * Returns the refusal of a ticket that one of its limits a minute lets go after {@code deadline}
   * only, if those before it go as soon as they can; null when none does. The time it is told is
   * that after which the same wait would end in time, behind those that were refused before it.
   */
  public @Nullable Refusal refusalBeyond(
      long deadline, List<TicketBatch> ahead, TicketBatch own, PromiseHolder client, long now) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      long goes = metered.goesBehind(current, ahead, own, now);
      if (goes > deadline) {
        long later = metered.behindRefused(client, current.amount(metered, own, 0, 1), now);
        return new Refusal(
            Denial.reason(name, metered),
            name + ": " + metered.words() + "; the wait for them would be too long",
            goes == Ticker.NEVER ? Refusal.UNKNOWN : goes - deadline + later);
      }
    }
    return null;
  }

  /** Returns whether one of its limits is on a day or a month of a key or a group. */
  public boolean hasDay() {
    for (MeteredLimit each : limits()) {
      if (each.isOfDay() && each.isOfCaller()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the refusal of a request that may wait until {@code deadline}, by a limit of a day of a
   * key or a group that has no room for it until later; null when there is none, or while a larger
   * share may have some. A request without a deadline waits for the end of a day as long as others
   * do. The budgets that only this instance spends are left to {@link #lackOfBudget}.
   */
  public @Nullable Refusal usedUpDay(Cost cost, long deadline, long now) {
    long latest = deadline == Long.MAX_VALUE ? now + LONGEST_FOR_DAY_NANOS : deadline;
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      boolean alone = metered.isBudget() && !metered.limit().sharing().isShared();
      if (metered.isOfDay() && metered.isOfCaller() && !alone) {
        Weight weight = metered.weigh(current.charge(), cost);
        LimitAnswer answer = metered.limit().decide(weight, now);
        Denial denial = new Denial(metered, weight, cost, answer);
        if (answer instanceof LimitAnswer.Wait(long until)
            && until > latest
            && denial.awaitingShare(now) == null) {
          return denial.refusal(name, now);
        }
      }
    }
    return null;
  }

  /**
   * Returns the refusal of a request for which one of its budgets has too little left, even when
   * all requests that run will have used nothing; null when there is none.
   */
  public @Nullable Refusal lackOfBudget(Cost cost, long now) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      if (metered.isBudget() && !metered.limit().sharing().isShared()) {
        Weight weight = metered.weigh(current.charge(), cost);
        if (metered.needed(weight, cost) > Math.max(0, metered.left(now))) {
          return new Denial(metered, weight, cost, null).refusal(name, now);
        }
      }
    }
    return null;
  }

  /**
   * Returns the refusal of every request that uses tokens, by a budget with none left; null while
   * all budgets have some. It is also null while a larger share of a budget may have some.
   */
  @Nullable Refusal usedUpBudget(long now) {
    Refusal own = lackOfBudget(ONE_TOKEN, now);
    if (own != null) {
      return own;
    }
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      if (metered.isBudget() && metered.limit().sharing().isShared()) {
        Weight weight = metered.weigh(AT_ARRIVAL, ONE_TOKEN);
        LimitAnswer limitAnswer = metered.limit().decide(weight, now);
        Denial denial = new Denial(metered, weight, ONE_TOKEN, limitAnswer);
        if (limitAnswer instanceof LimitAnswer.Wait && denial.awaitingShare(now) == null) {
          return denial.refusal(name, now);
        }
      }
    }
    return null;
  }

  /**
   * Returns the instant at which each limit that lacks room for {@code cost} now would admit it
   * after the requests that were refused before it, and counts it for those refused later: {@code
   * now} when none lacks room, or NEVER. Days are left out: whoever is refused for a day is told
   * its end.
   */
  public long promiseRoom(PromiseHolder client, Cost cost, long now) {
    long instant = now;
    for (MeteredLimit metered : quotaTerms.limits()) {
      Limit limit = metered.limit();
      Weight weight = metered.weigh(AT_ARRIVAL, cost);
      if (!(limit.spec() instanceof LimitSpec.Day)
          && limit.decide(weight, now) instanceof LimitAnswer.Wait) {
        instant = Math.max(instant, limit.promise(client, weight.amount(), now));
      }
    }
    return instant;
  }

  /**
   * Returns the answer of the limit that denies a request at arrival, with the instant at which all
   * of {@code terms} admit it.
   */
  private static LimitAnswer untilAllAdmit(
      LimitAnswer limitAnswer, QuotaTerms terms, Cost cost, long now) {
    if (!(limitAnswer instanceof LimitAnswer.Wait(long until)) || until == Ticker.NEVER) {
      return limitAnswer;
    }
    long last = until;
    for (MeteredLimit metered : terms.limits()) {
      Weight weight = metered.weigh(AT_ARRIVAL, cost);
      if (metered.limit().decide(weight, now) instanceof LimitAnswer.Wait(long admits)
          && admits != Ticker.NEVER) {
        last = Math.max(last, admits);
      }
    }
    return new LimitAnswer.Wait(last);
  }

  /**
   * Takes the whole of {@code cost} from all limits, for a request that is charged at arrival.
   * Returns the denial, or null if there was none; adds the charges to {@code charges}.
   */
  @Nullable Denial charge(Cost cost, long now, List<Charge> charges) {
    Denial denial = take(quotaTerms, AT_ARRIVAL, cost, now, charges);
    if (denial != null) {
      waitList.wake(); // other tickets may have seen as taken what was returned since
    }
    return denial;
  }

  /** Informs other regions which of the limits they share had no room for a new request. */
  void reportDenials(Cost cost, long now) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      Weight weight = metered.weigh(current.charge(), cost);
      metered.limit().sharing().recordDenial(weight, now);
    }
  }

  /** Returns the refusal of a new request while a ticket claims the quota; null without limits. */
  @Nullable Refusal claimRefusal() {
    List<MeteredLimit> limits = limits();
    return limits.isEmpty()
        ? null
        : new Refusal(
            Denial.reason(name, limits.getFirst()),
            name + " is kept for a request that has waited for long",
            Refusal.UNKNOWN);
  }

  /**
   * A cost that can never fit.
   *
   * @param amount the amount that the request needs
   * @param capacity the most that the limit ever admits
   * @param statedTo the name of the quota if it is only the stated maximum of output that makes the
   *     amount so large, else null
   * @param caller the name of the quota if it is that of a key or a group, else null
   */
  public record Obstacle(
      long amount, long capacity, @Nullable String statedTo, @Nullable String caller) {}

  /** Returns a copy from which requests can be taken in advance, to see when they would go. */
  public QuotaProjection projection(long now) {
    long opens = now;
    boolean trial = false;
    for (QuotaGate quotaGate : gates) {
      opens = Math.max(opens, quotaGate.mayOpen(now));
      trial |= quotaGate.onTrial(now) || quotaGate.mayOpenSooner(now);
    }
    return new QuotaProjection(quotaTerms, opens, trial, now);
  }

  /**
   * Returns a copy in which time goes on alone: as if only this instance spent it, and with gates
   * that open at the first instant at which they may.
   */
  public Quota dryCopy(long now) {
    List<MeteredLimit> limits = new ArrayList<>();
    for (MeteredLimit each : quotaTerms.limits()) {
      limits.add(
          new MeteredLimit(
              each.measure(), each.limit().dryCopy(now), each.reason(), each.peerUsage()));
    }
    QuotaGate gate = new QuotaGate();
    for (QuotaGate each : gates) {
      gate.shut(each.mayOpen(now));
    }
    return new Quota(name, ofKey, quotaTerms.charge(), limits, List.of(gate), this);
  }

  /** Returns the original of a copy; itself when it is none. */
  public Quota original() {
    return original == null ? this : original;
  }

  /**
   * Returns whether nobody knows what it lets pass, whatever its limits have room for: a trial or a
   * probe decides, or the end of an outage.
   */
  public boolean isUnpredictable(long now) {
    for (QuotaGate each : gates) {
      if (each.onTrial(now) || each.mayOpenSooner(now)) {
        return true;
      }
    }
    return limits().stream().anyMatch(each -> each.limit().sharing().isCutOff());
  }

  /**
   * Returns whether a copy of it does not admit {@code sizes} at {@code now}, and an event from
   * outside may change that.
   */
  public boolean awaitsEvent(DimensionSizes sizes, long now) {
    QuotaTerms current = quotaTerms;
    for (MeteredLimit metered : current.limits()) {
      if (metered.limit().dependsOnEvents(now)
          && (!current.admits(metered, sizes, now)
              || current.paceAllowsAt(metered, sizes, now) > now)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the highest utilization among its limits, 0 to 1. */
  public double utilization(long now) {
    return limits().stream().mapToDouble(each -> each.limit().utilization(now)).max().orElse(0);
  }

  /** Returns the highest utilization among its limits by all instances together, 0 to 1. */
  public double globalUtilization(long now) {
    double most = 0;
    for (MeteredLimit metered : limits()) {
      most = Math.max(most, metered.utilization(now));
    }
    return most;
  }

  /**
   * Takes {@code cost} from all limits or from none. Returns whether it was taken; the charges are
   * added to {@code charges}.
   */
  public boolean take(Cost cost, long now, List<Charge> charges) {
    QuotaTerms current = quotaTerms;
    return take(current, current.charge(), cost, now, charges) == null;
  }

  private @Nullable Denial take(
      QuotaTerms current, PoolTariff tariff, Cost cost, long now, List<Charge> charges) {
    int before = charges.size();
    for (MeteredLimit metered : current.limits()) {
      long discount = metered.openDiscount(tariff, cost, now);
      Weight weight = metered.weigh(tariff, cost).discounted(discount);
      LimitAnswer limitAnswer = metered.take(weight, now);
      boolean alone = false;
      if (limitAnswer instanceof LimitAnswer.Receipt receipt
          && metered.goesAlone(cost, weight, receipt, now)) {
        alone = metered.limit().beginUnseen();
        if (!alone && weight.unseen() > 0) {
          // another one has begun meanwhile
          metered.limit().giveBack(receipt, receipt.taken(), receipt.reserved(), now);
          weight = metered.weigh(tariff, cost, false).discounted(discount);
          limitAnswer = metered.take(weight, now);
        }
      }
      if (limitAnswer instanceof LimitAnswer.Receipt receipt) {
        WaitList waiting = ofKey ? waitList : null;
        Charge charge =
            new Charge(metered, tariff, receipt, weight.least(), discount, waiting, now);
        charge.keepsUnseen(metered.unseen(cost), alone);
        charges.add(charge);
      } else {
        metered.limit().discounts().close(discount);
        giveBack(charges, before, now);
        return new Denial(metered, weight, cost, limitAnswer);
      }
    }
    // Last, because a pass through a gate on trial cannot be undone here.
    for (QuotaGate quotaGate : gates) {
      if (!quotaGate.pass(now)) {
        giveBack(charges, before, now);
        return Denial.GATE;
      }
    }
    if (ofKey) {
      waitList.wakeClaimants();
    }
    return null;
  }

  /**
   * Adapts the limits to what the provider reports about its own, with the answer to the attempt
   * that made the charges {@code charges}. Wakes the waiters if tickets may go sooner now.
   */
  public void learn(List<ProviderStatus> standings, List<Charge> charges, long now) {
    boolean sooner = false;
    for (ProviderStatus providerStatus : standings) {
      for (Charge spend : charges) {
        if (spend.measure() == providerStatus.measure()) {
          sooner |= spend.learn(providerStatus, now);
          break; // providers report the limit of the minute, which comes first
        }
      }
    }
    if (sooner) {
      waitList.wake();
    }
  }

  /**
   * Lowers one of the limits per minute, because the provider refused an attempt without stating
   * any limit. Nobody knows which limit the provider applied: it is taken to be one that is just
   * being raised, or else the one of which the largest part was used.
   *
   * @param charges the charges of the refused attempt
   */
  public void learnRefusal(List<Charge> charges, long now) {
    Charge likeliest = null;
    long elsewhere = 0;
    double most = 0;
    Set<LimitMeasure> seen = EnumSet.noneOf(LimitMeasure.class);
    for (MeteredLimit metered : limits()) {
      Charge charge = charge(metered, charges);
      boolean trailing = metered.limit().spec() instanceof LimitSpec.TrailingWindow;
      // the first of a measure is the limit per minute
      if (charge == null || !trailing || !seen.add(metered.measure())) {
        continue;
      }
      long others = metered.peerUsage().applyAsLong(now);
      double suspicion = charge.suspicion(others, now);
      if (likeliest == null || suspicion > most) {
        likeliest = charge;
        elsewhere = others;
        most = suspicion;
      }
    }
    if (likeliest != null) {
      likeliest.refused(elsewhere, now);
    }
  }

  private static @Nullable Charge charge(MeteredLimit metered, List<Charge> charges) {
    return charges.stream().filter(each -> each.isOf(metered.limit())).findFirst().orElse(null);
  }

  private static void giveBack(List<Charge> charges, int from, long now) {
    List<Charge> taken = charges.subList(from, charges.size());
    taken.forEach(spend -> spend.giveBack(now));
    taken.clear();
  }

  /**
   * Returns the instant at which all its exhausted day limits have been reset, {@code now} when
   * none is exhausted. A day limit whose share may grow is not exhausted.
   */
  public long dayEndsNanos(long now) {
    long ends = now;
    for (MeteredLimit metered : limits()) {
      Limit limit = metered.limit();
      if (limit.spec() instanceof LimitSpec.Day
          && limit.decide(Weight.exactly(1), now) instanceof LimitAnswer.Wait(long until)
          && !limit.sharing().isAwaitingShare(1, now)) {
        ends = Math.max(ends, until);
      }
    }
    return ends;
  }

  /** Widens its trailing windows by the measured jitter of sending requests. */
  public void widen(long nanos) {
    limits().forEach(metered -> metered.limit().feedback().widen(nanos));
    waitList.wake(); // the new width may be smaller than the old one
  }

  @Override
  public String toString() {
    return "Quota[" + name + "]";
  }
}
