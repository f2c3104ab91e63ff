package io.penstock.quota;

import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSharing;
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
   * Returns whether a limit may ever admit a request of {@code sizes}.
   *
   * @param capacity the most that it admits at some instant, of input
   */
  private boolean possible(MeteredLimit metered, DimensionSizes sizes, long capacity) {
    CostDimension whole = charge.wholeDimension(metered.measure());
    return whole == null
        || (sizes.get(charge.inputDimension()) <= capacity
            && sizes.get(whole) <= metered.limit().capacity());
  }

  /**
   * Returns the amount that the {@code count} tickets after the first {@code done} of a batch take.
   */
  long amount(MeteredLimit metered, TicketBatch batch, long done, long count) {
    CostDimension costDimension = metered.dimension(charge);
    return costDimension == null ? count : batch.amount(costDimension, done, count);
  }

  /** Returns whether those tickets only reserve part of that amount until their answers end. */
  boolean reserves(MeteredLimit metered, TicketBatch batch, long done, long count) {
    return charge.reserves(metered.measure())
        && (metered.measure() != LimitMeasure.TOKENS
            || amount(metered, batch, done, count)
                > batch.amount(charge.inputDimension(), done, count));
  }

  /**
   * Returns whether the next ticket of a batch may take more from a limit than is expected, because
   * no discount is free for what is to be read from a cache, or wait for discounts that are in
   * doubt.
   */
  boolean uncertain(MeteredLimit metered, TicketBatch batch, long done) {
    if (metered.limit().discounts().inDoubt() > 0) {
      return true;
    }
    CostDimension uncertain = charge.uncertainDimension(metered.measure());
    return uncertain != null && batch.amount(uncertain, done, 1) > amount(metered, batch, done, 1);
  }

  /** Returns whether a limit admits a request of {@code sizes} now, ignoring pacing. */
  boolean admits(MeteredLimit metered, DimensionSizes sizes, long now) {
    return possible(metered, sizes, metered.limit().capacity(now))
        && metered.amount(charge, sizes, now) <= metered.room(now);
  }

  /**
   * Returns the instant from which a limit admits a request of {@code sizes} if nothing else
   * happens; may be {@link Ticker#NEVER}.
   */
  long roomFreeAt(MeteredLimit metered, DimensionSizes sizes, long now) {
    Limit limit = metered.limit();
    if (!possible(metered, sizes, limit.capacity())) {
      return Ticker.NEVER;
    }
    boolean whole = possible(metered, sizes, limit.capacity(now));
    long opens = metered.roomFreeAt(metered.amount(charge, sizes, now), now);
    return whole ? opens : Math.max(opens, limit.feedback().restoredAt(now));
  }

  /** Records the demand of a request that waits; returns {@link #roomFreeAt}. */
  long requestRoom(MeteredLimit metered, DimensionSizes sizes, long now) {
    long opens = roomFreeAt(metered, sizes, now);
    boolean isLacking = Math.max(opens, paceAllowsAt(metered, sizes, now)) > now;
    if (isLacking && possible(metered, sizes, metered.limit().capacity())) {
      metered.recordDemand(metered.amount(charge, sizes, now), now);
    }
    return opens;
  }

  /**
   * Returns the instant from which the pace of a limit lets a request of {@code sizes} pass; {@code
   * now} if it does already.
   */
  long paceAllowsAt(MeteredLimit metered, DimensionSizes sizes, long now) {
    return metered.limit().paceAllowsAt(metered.amount(charge, sizes, now), now);
  }

  /** Returns the status of a limit for a request of {@code sizes}. */
  LimitStatus status(MeteredLimit metered, DimensionSizes sizes, long now) {
    long amount = metered.amount(charge, sizes, now);
    boolean possible = possible(metered, sizes, metered.limit().capacity());
    long needs = possible ? Math.min(amount, metered.limit().capacity(now)) : amount;
    boolean room = admits(metered, sizes, now);
    long paced = paceAllowsAt(metered, sizes, now);
    LimitSharing sharing = metered.limit().sharing();
    boolean lacksShare = !room && sharing.needsLargerShare(needs, now);
    long opens =
        room
            ? now
            : !possible
                ? Ticker.NEVER
                : lacksShare
                    ? sharing.wholeRoomFreeAt(needs, now)
                    : roomFreeAt(metered, sizes, now);
    boolean awaitsShare = !room && sharing.isAwaitingShare(needs, now);
    return new LimitStatus(
        metered, needs, awaitsShare, room && paced > now, Math.max(now, Math.max(opens, paced)));
  }
}
