package io.penstock.quota;

import io.penstock.cost.CostDimension;
import io.penstock.limit.LimitProjection;
import io.penstock.time.Ticker;

/**
 * A copy of a quota from which tickets are taken in advance, to see when they would go. Belongs to
 * one thread.
 */
public final class QuotaProjection {
  private final QuotaTerms terms;
  private final long gatesOpenAt;
  private final LimitProjection[] limits;

  /** Whether the outcome of a trial decides what goes. */
  private final boolean trial;

  private boolean uncertain;

  /**
   * Creates a copy.
   *
   * @param gatesOpenAt the first instant at which the gates may let requests pass
   * @param trial whether a gate is on trial, so that nobody knows how many requests pass
   */
  QuotaProjection(QuotaTerms terms, long gatesOpenAt, boolean trial, long now) {
    this.terms = terms;
    this.gatesOpenAt = gatesOpenAt;
    this.trial = trial;
    this.limits = new LimitProjection[terms.limits().size()];
    for (int each = 0; each < limits.length; each++) {
      limits[each] = terms.limits().get(each).limit().projection(now);
    }
  }

  /**
   * Returns the first instant from {@code from} on at which the ticket of a batch that comes after
   * {@code done} others is admitted; {@link Ticker#NEVER} when it never is.
   */
  public long admittedAt(TicketBatch batch, long done, long from) {
    long instant = Math.max(from, gatesOpenAt);
    uncertain = trial;
    for (int each = 0; each < limits.length; each++) {
      MeteredLimit metered = terms.limits().get(each);
      long at = limits[each].admittedAt(terms.amount(metered, batch, done, 1), from);
      long whole = wholeAt(terms, metered, batch, done, from);
      instant = Math.max(instant, Math.max(at, whole));
      uncertain |= limits[each].uncertain() || terms.uncertain(metered, batch, done);
    }
    return instant;
  }

  /**
   * Returns when the part of a ticket that cannot be cut as expected output is, such as its input,
   * is no longer more than a limit ever admits.
   */
  private static long wholeAt(
      QuotaTerms terms, MeteredLimit metered, TicketBatch batch, long done, long from) {
    CostDimension whole = terms.charge().wholeDimension(metered.measure());
    if (whole == null) {
      return from;
    }
    long input = batch.amount(terms.charge().inputDimension(), done, 1);
    if (batch.amount(whole, done, 1) > metered.limit().capacity()) {
      return Ticker.NEVER;
    }
    return input > metered.limit().capacity(from)
        ? metered.limit().feedback().restoredAt(from)
        : from;
  }

  /** Returns whether the last answer of {@link #admittedAt} may be too early. */
  public boolean uncertain() {
    return uncertain;
  }

  /**
   * Returns how many tickets of a batch, of {@code most} after {@code done}, are admitted at once
   * at {@code at}.
   */
  public long passable(TicketBatch batch, long done, long most, long at) {
    long count = most;
    for (int each = 0; each < limits.length && count > 0; each++) {
      count = Math.min(count, fit(each, batch, done, count, limits[each].passable(at)));
    }
    return count;
  }

  /** Returns the most tickets that may go in one step without blurring when they stop counting. */
  public long finest(TicketBatch batch, long done, long most) {
    long count = most;
    for (int each = 0; each < limits.length && count > 1; each++) {
      count = Math.min(count, fit(each, batch, done, count, limits[each].finest()));
    }
    return Math.max(1, count);
  }

  private long fit(int limit, TicketBatch batch, long done, long most, long room) {
    MeteredLimit metered = terms.limits().get(limit);
    long fits = 0;
    long tooMany = most + 1;
    while (tooMany - fits > 1) {
      long count = fits == 0 && tooMany > most ? most : (fits + tooMany) >>> 1;
      if (terms.amount(metered, batch, done, count) <= room) {
        fits = count;
      } else {
        tooMany = count;
      }
    }
    return fits;
  }

  /**
   * Takes {@code count} ≥ 1 tickets of a batch after {@code done} others, each as soon as it is
   * admitted. Returns the instant at which the last goes.
   */
  public long pass(TicketBatch batch, long done, long count, long from) {
    long last = from;
    for (int each = 0; each < limits.length; each++) {
      MeteredLimit metered = terms.limits().get(each);
      long amount = terms.amount(metered, batch, done, count);
      boolean reserves = terms.reserves(metered, batch, done, count);
      last = Math.max(last, limits[each].pass(count, amount, reserves, from));
    }
    return last;
  }
}
