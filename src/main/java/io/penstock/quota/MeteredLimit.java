package io.penstock.quota;

import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitProjection;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DimensionSizes;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A limit within a quota.
 *
 * @param measure what it counts
 * @param limit the limit
 * @param reason the reason of its refusals where requests do not wait; null where all requests wait
 * @param peerUsage what other instances counted in the window that ends at an instant
 */
public record MeteredLimit(
    LimitMeasure measure,
    Limit limit,
    @Nullable RefusalReason reason,
    LongUnaryOperator peerUsage) {
  /** Creates a limit that this instance does not share. */
  public MeteredLimit(LimitMeasure measure, Limit limit, @Nullable RefusalReason reason) {
    this(measure, limit, reason, now -> 0);
  }

  /** Creates a limit for which requests wait. */
  public MeteredLimit(LimitMeasure measure, Limit limit) {
    this(measure, limit, null);
  }

  /**
   * Returns whether it is a budget: a limit on the tokens of a day or a month. From a budget the
   * largest output that a request may have is reserved while its answer runs, or all that is left,
   * so that no requests together can use more than that, however small their answers were expected
   * to be.
   */
  public boolean isBudget() {
    return measure == LimitMeasure.TOKENS && limit.spec() instanceof LimitSpec.Day;
  }

  /** Returns what the limit admits, in words, such as {@code 3 requests a minute}. */
  public String words() {
    long capacity = limit.capacity();
    String unit =
        switch (measure) {
          case REQUESTS, CONCURRENCY -> "request";
          case TOKENS -> "token";
          case INPUT_TOKENS -> "input token";
          case OUTPUT_TOKENS -> "output token";
        };
    String period =
        switch (limit.spec()) {
          case LimitSpec.Concurrency _ -> "at the same time";
          case LimitSpec.Day day -> day.windowNanos() > LimitSpec.Day.NANOS ? "a month" : "a day";
          default -> "a minute";
        };
    return capacity + " " + unit + (capacity == 1 ? " " : "s ") + period;
  }

  /** Returns whether it is a limit of a key or a group. */
  boolean isOfCaller() {
    return reason != null
        && (reason.code().startsWith("key_") || reason.code().startsWith("group_"));
  }

  /** Returns whether it limits requests or tokens of a day or a month. */
  boolean isOfDay() {
    return limit.spec() instanceof LimitSpec.Day;
  }

  /**
   * Returns when it lets a ticket go after those before it, at the earliest; {@code now} for limits
   * of a day and on concurrency, and where it is not known what other instances use of it.
   */
  long goesBehind(QuotaTerms terms, List<TicketBatch> ahead, TicketBatch own, long now) {
    if (measure == LimitMeasure.CONCURRENCY || isOfDay() || limit.sharing().isShared()) {
      return now;
    }
    LimitProjection projection = limit.projection(now);
    for (TicketBatch batch : ahead) {
      projection.pass(batch.tickets(), terms.amount(this, batch, 0, batch.tickets()), false, now);
    }
    return projection.admittedAt(terms.amount(this, own, 0, 1), now);
  }

  /** Counts a refused amount, and returns how much later it has room because of others refused. */
  long behindRefused(PromiseHolder client, long amount, long now) {
    return limit.decide(Weight.exactly(amount), now) instanceof LimitAnswer.Wait(long room)
            && room != Ticker.NEVER
        ? Math.max(0, limit.promise(client, amount, now) - room)
        : 0;
  }

  /** Returns the weight that a cost has in this limit now. */
  Weight weigh(PoolTariff tariff, Cost cost) {
    return weigh(tariff, cost, !limit.runsUnseen());
  }

  /**
   * Returns the weight of a cost in this limit. A budget also keeps free the input that the body
   * does not contain.
   *
   * @param alone whether a part of it is enough, because no other request runs that may add more
   *     than there is room for
   */
  Weight weigh(PoolTariff tariff, Cost cost, boolean alone) {
    Weight weight = tariff.weigh(measure, cost);
    if (!isBudget()) {
      return weight;
    }
    Weight most =
        weight
            .reserving(CostDimension.NEEDED.of(cost) - weight.amount())
            .sparing(cost.spareOutputTokens());
    return alone ? most.sparingUnseen(unseen(cost)) : most.reserving(unseen(cost));
  }

  /** Returns what is left of a budget, whatever running requests keep of it; may be below 0. */
  long left(long now) {
    return limit.capacity() - limit.balance(now).charged();
  }

  /**
   * Returns what must be left of a budget for a request of some weight to go when no other runs.
   */
  long needed(Weight weight, Cost cost) {
    long whole = weight.unseen() == 0 ? unseen(cost) : 0;
    return Math.min(weight.needed() - whole, limit.capacity());
  }

  /** Returns the tokens that the limit keeps free for input that the body does not contain. */
  long unseen(Cost cost) {
    return isBudget() ? cost.unseenTokens() : 0;
  }

  /**
   * Returns whether a receipt leaves less room than a second request of that cost may add to its
   * input. Such requests go one at a time, so that no two together use more than there is.
   *
   * @param weight the weight that was taken
   */
  boolean goesAlone(Cost cost, Weight weight, LimitAnswer.Receipt receipt, long now) {
    long unseen = unseen(cost);
    return unseen > 0
        && (receipt.reserved() < weight.reserved()
            || Math.min(limit.room(now), limit.capacity(now)) < unseen);
  }

  /**
   * Returns the largest discount that may be opened now because of a cache; {@link Long#MAX_VALUE}
   * is any. A single discount may be of any size while no other is open, unless others share the
   * limit: then the sum of all instances would have no bound.
   */
  private long freeDiscount(PoolTariff tariff, long now) {
    return limit
        .discounts()
        .free(tariff.discountBound(limit.ownCapacity(now)), !limit.sharing().isShared());
  }

  /**
   * Opens a discount on the charge of a cost for what is expected to be read from a cache; returns
   * what it is, ≥ 0.
   */
  long openDiscount(PoolTariff tariff, Cost cost, long now) {
    if (cost.cachedTokens() == 0 || tariff.uncertainDimension(measure) == null) {
      return 0;
    }
    return limit
        .discounts()
        .open(
            cost.cachedTokens(),
            tariff.discountBound(limit.ownCapacity(now)),
            !limit.sharing().isShared());
  }

  /**
   * Returns the amount that a request of {@code sizes} takes from the limit now. Expected reads
   * from a cache are left out as far as {@linkplain io.penstock.limit.OpenDiscounts discounts} are
   * free.
   */
  long amount(PoolTariff tariff, DimensionSizes sizes, long now) {
    CostDimension dimension = dimension(tariff);
    if (dimension == null) {
      return 1;
    }
    long expected = sizes.get(dimension);
    CostDimension uncertain = tariff.uncertainDimension(measure);
    return uncertain == null || sizes.get(uncertain) == expected
        ? expected
        : Math.max(expected, sizes.get(uncertain) - freeDiscount(tariff, now));
  }

  /**
   * Returns the amount that would be admitted now, ignoring the pace. It leaves the sum of the
   * discounts in doubt free.
   */
  long room(long now) {
    long free = limit.room(now);
    return free == Long.MAX_VALUE ? free : Math.max(0, free - limit.discounts().inDoubt());
  }

  /** Returns the instant from which {@link #room} is enough, if nothing else happens. */
  long roomFreeAt(long amount, long now) {
    return amount <= room(now) ? now : limit.roomFreeAt(amount + limit.discounts().inDoubt(), now);
  }

  /** Records that {@code amount} is waited for, as far as a larger share is lacking. */
  void recordDemand(long amount, long now) {
    limit.recordDemand(amount + limit.discounts().inDoubt(), now);
  }

  /** Returns whether {@link #take} would take a weight now. */
  boolean admits(Weight weight, long now) {
    return isFree(weight, now) && limit.decide(weight, now) instanceof LimitAnswer.Receipt;
  }

  private boolean isFree(Weight weight, long now) {
    return limit.discounts().inDoubt() == 0 || weight.amount() <= room(now);
  }

  /** Takes a weight if there is {@link #room}, or returns when, if ever, there is. */
  LimitAnswer take(Weight weight, long now) {
    if (isFree(weight, now)) {
      return limit.take(weight, now);
    }
    recordDemand(weight.amount(), now);
    return new LimitAnswer.Wait(roomFreeAt(weight.amount(), now));
  }

  /**
   * Lowers {@code room} to the sizes that the limit has room for now, whatever the pace. Returns
   * false when not even a request without tokens has room.
   */
  boolean lower(PoolTariff tariff, DimensionSizes room, long now) {
    long free = room(now);
    CostDimension dimension = dimension(tariff);
    if (dimension == null) {
      return free >= 1;
    }
    room.lower(dimension, free);
    CostDimension uncertain = tariff.uncertainDimension(measure);
    if (uncertain != null) {
      long discount = freeDiscount(tariff, now);
      room.lower(uncertain, discount > Long.MAX_VALUE - free ? Long.MAX_VALUE : free + discount);
    }
    return true;
  }

  /**
   * Returns the dimension with which {@link #weigh} grows, or null where all requests have the
   * weight one.
   */
  @Nullable CostDimension dimension(PoolTariff tariff) {
    if (isBudget()) {
      return limit.runsUnseen() ? CostDimension.UNSEEN : CostDimension.NEEDED;
    }
    return tariff.dimension(measure);
  }

  /**
   * Returns the utilization of the limit by all instances together, 0 to 1. It is the local
   * utilization when other instances use nothing. Output that other instances have reserved for
   * running answers is included only once they have counted it.
   */
  public double utilization(long now) {
    double here = limit.utilization(now);
    long elsewhere = peerUsage.applyAsLong(now);
    if (elsewhere == 0) {
      return here;
    }
    LimitBalance own = limit.balance(now);
    double all = (double) own.charged() + own.debt() + own.reserved() + elsewhere;
    return Math.max(here, Math.min(1, all / limit.capacity(now)));
  }
}
