package io.penstock.quota;

import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.limit.Limit;
import io.penstock.queue.DimensionSizes;
import io.penstock.time.Ticker;
import java.util.List;

/**
 * Configuration of a quota at a moment.
 *
 * @param charge the rule for the cost of a request
 * @param limits in the order in which they are checked and taken
 */
record QuotaTerms(PoolTariff charge, List<MeteredLimit> limits) {
  QuotaTerms {
    limits = List.copyOf(limits);
  }

  /**
   * Returns whether the input must fit into the limit: it cannot be cut to the capacity as expected
   * output is.
   */
  static boolean needsInput(MeteredLimit meteredLimit) {
    return meteredLimit.measure() == LimitMeasure.TOKENS
        || meteredLimit.measure() == LimitMeasure.INPUT_TOKENS;
  }

  private static boolean possible(
      MeteredLimit meteredLimit, DimensionSizes dimensionSizes, long capacity) {
    return !needsInput(meteredLimit) || dimensionSizes.get(CostDimension.INPUT) <= capacity;
  }

  /** Returns the amount that a request of {@code dimensionSizes} takes from a limit. */
  long amount(MeteredLimit meteredLimit, DimensionSizes dimensionSizes) {
    CostDimension costDimension = charge.dimension(meteredLimit.measure());
    return costDimension == null ? 1 : dimensionSizes.get(costDimension);
  }

  /** Returns whether a limit admits a request of {@code dimensionSizes} now, ignoring pacing. */
  boolean admits(MeteredLimit meteredLimit, DimensionSizes dimensionSizes, long now) {
    return possible(meteredLimit, dimensionSizes, meteredLimit.limit().capacity(now))
        && amount(meteredLimit, dimensionSizes) <= meteredLimit.limit().room(now);
  }

  /**
   * Returns the instant from which a limit admits a request of {@code dimensionSizes} if nothing
   * else happens; may be {@link Ticker#NEVER}.
   */
  long opens(MeteredLimit meteredLimit, DimensionSizes dimensionSizes, long now) {
    Limit limit = meteredLimit.limit();
    if (!possible(meteredLimit, dimensionSizes, limit.capacity())) {
      return Ticker.NEVER;
    }
    boolean whole = possible(meteredLimit, dimensionSizes, limit.capacity(now));
    long opens = limit.opens(amount(meteredLimit, dimensionSizes), now);
    return whole ? opens : Math.max(opens, limit.restores(now));
  }

  /**
   * Returns the instant from which the pace of a limit lets a request of {@code dimensionSizes}
   * pass; {@code now} if it does already.
   */
  long paced(MeteredLimit meteredLimit, DimensionSizes dimensionSizes, long now) {
    return meteredLimit.limit().paced(amount(meteredLimit, dimensionSizes), now);
  }

  /**
   * Returns the status of a limit for a request of {@code dimensionSizes}, without a demand for
   * slices.
   */
  LimitStatus stance(MeteredLimit meteredLimit, DimensionSizes dimensionSizes, long now) {
    long amount = amount(meteredLimit, dimensionSizes);
    boolean possible = possible(meteredLimit, dimensionSizes, meteredLimit.limit().capacity());
    long needs = possible ? Math.min(amount, meteredLimit.limit().capacity(now)) : amount;
    boolean room = admits(meteredLimit, dimensionSizes, now);
    long paced = paced(meteredLimit, dimensionSizes, now);
    boolean lacks = !possible || (!room && meteredLimit.limit().lacks(needs, now));
    long opens = room ? now : lacks ? Ticker.NEVER : opens(meteredLimit, dimensionSizes, now);
    boolean dry = !room && meteredLimit.limit().dry(needs, now);
    return new LimitStatus(meteredLimit, needs, dry, Math.max(now, Math.max(opens, paced)));
  }
}
