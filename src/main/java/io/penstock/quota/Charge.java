package io.penstock.quota;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.LearnedCeiling;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ProviderNotice;
import org.jspecify.annotations.Nullable;

/**
 * Charge of one attempt to one limit, until it is settled. Belongs to one thread at a time. {@link
 * #settle}, {@link #giveBack} or another ending method is called once, and no method after it.
 */
public final class Charge {
  /** More than the part of a limit that can be in use. */
  private static final double BEYOND_SHARES = 1_000;

  private static final double NEARLY_ALL = 0.9;

  private final MeteredLimit metered;
  private final Limit limit;
  private final PoolTariff tariff;

  /** The certain part of what was taken: the input, as it was expected or has been stated. */
  private long leastTaken;

  /**
   * The wait list of the limit, if claims of its waiters may be lost when the limit runs over; else
   * null.
   */
  private final @Nullable WaitList waiting;

  private final long takenNanos;
  private final long firstTaken;

  /** The part of what was taken that is merely expected. */
  private final long expectedTaken;

  private LimitAnswer.Receipt receipt;

  /** The charge for input beyond the expected one. */
  private LimitAnswer.@Nullable Receipt added;

  /** Earlier additions, which stay charged. */
  private long addedBefore;

  /** The discount for expected reads from a cache; 0 once they are known. */
  private long discount;

  private boolean readsKnown;

  /** The tokens that the provider may add to the input, and the body does not contain. */
  private long unseen;

  /** The part of it that counts at the end, because nobody has said how much it was. */
  private long counted;

  /** Whether no other request runs beside it that may add more than there is room for. */
  private boolean alone;

  /** The doubts about caches that the limit knew of when this was taken. */
  private final long doubtsBefore;

  private long heldLeft;
  private long produced;
  private long seen;
  private long lastSubCell = Long.MIN_VALUE;
  private boolean roomFreed;
  private LimitAnswer.@Nullable Receipt lastProduced;

  /**
   * Creates a charge.
   *
   * @param leastTaken the certain part of what was taken, without the part that was merely expected
   * @param discount the open discount on what was taken, ≥ 0; it is closed with the charge
   * @param waiting the wait list of the limit, if claims of its waiters may be lost when the limit
   *     runs over; else null
   */
  Charge(
      MeteredLimit metered,
      PoolTariff tariff,
      LimitAnswer.Receipt receipt,
      long leastTaken,
      long discount,
      @Nullable WaitList waiting,
      long takenNanos) {
    this.leastTaken = leastTaken;
    this.discount = discount;
    this.waiting = waiting;
    this.takenNanos = takenNanos;
    this.metered = metered;
    this.limit = metered.limit();
    this.doubtsBefore = limit.discounts().doubts();
    this.tariff = tariff;
    this.receipt = receipt;
    this.firstTaken = receipt.taken();
    this.expectedTaken = Math.max(0, firstTaken - leastTaken);
    this.heldLeft = receipt.reserved();
  }

  /**
   * Notes the input that the body does not contain.
   *
   * @param tokens what the limit keeps free for it where it can, ≥ 0
   * @param goesAlone whether {@link Limit#endUnseen} is to be called at the end
   */
  void keepsUnseen(long tokens, boolean goesAlone) {
    unseen = tokens;
    alone = goesAlone;
  }

  /**
   * Lets {@link #settle} count the input that the body does not contain, as far as something is
   * left of the limit: nobody has said how much it was.
   */
  public void countUnseen() {
    counted = unseen;
  }

  /** Returns what counts now as taken at release. */
  private long taken() {
    return receipt.taken() + addedBefore + (added == null ? 0 : added.taken());
  }

  /**
   * Returns whether anything was returned, or is no longer reserved, since the last call. If so,
   * other tickets may go sooner than they expect.
   */
  public boolean roomFreed() {
    boolean was = roomFreed;
    roomFreed = false;
    return was;
  }

  /**
   * Charges the output of the answer while it is produced, {@code outputTokens} in total so far.
   * Charges at most once per sub-cell.
   */
  public void produce(long outputTokens, long now) {
    seen = Math.max(seen, outputTokens);
    long subCell = Math.floorDiv(now, limit.spec().subCellNanos());
    if (subCell != lastSubCell) {
      charge(outputTokens, subCell, now);
    }
  }

  private void charge(long outputTokens, long subCell, long now) {
    long more = tariff.produced(metered.measure(), outputTokens) - produced;
    if (more <= 0) {
      return;
    }
    long released = Math.min(more, heldLeft);
    lastProduced = limit.charge(more, released, now).reservedBy(receipt);
    if (more > released) {
      runsOver();
    }
    lastSubCell = subCell;
    heldLeft -= released;
    produced += more;
    roomFreed |= released > 0;
  }

  /**
   * Replaces the expected cost by the real usage: charges what is missing, ends what is still
   * reserved, and returns what was too much while the cell it was taken from counts. Returns by how
   * much the usage exceeded what had been taken and reserved, ≥ 0.
   *
   * @param tokenUsage the usage that the answer reports, or null when it reports none; then the
   *     input counts as expected
   * @param outputTokens the total output
   */
  public long settle(@Nullable TokenUsage tokenUsage, long outputTokens, long now) {
    long overTaken = settleTaken(tokenUsage, outputTokens, now);
    long output = tariff.produced(metered.measure(), outputTokens);
    if (output >= produced) {
      charge(outputTokens, lastSubCell, now);
    } else if (lastProduced != null) {
      // No more can be returned from that cell than was charged to it: the rest belongs to other
      // attempts.
      long back = Math.min(produced - output, lastProduced.taken());
      limit.giveBack(lastProduced, back, 0, now);
      roomFreed = true;
    }
    if (counted > 0) {
      long left = limit.capacity() - limit.balance(now).charged();
      limit.charge(Math.clamp(left, 0, counted), 0, now);
    }
    if (heldLeft > 0) {
      limit.giveBack(receipt, 0, heldLeft, now);
      heldLeft = 0;
      roomFreed = true;
    }
    endUnseen();
    return overTaken + Math.max(0, output - receipt.reserved());
  }

  /**
   * Replaces the expected input by the real one as soon as the answer states it, while its output
   * is still running: the input of later answers can use what was too much. Has no effect where the
   * charge stays until the end. {@link #settle} still settles the whole.
   *
   * @param tokenUsage the usage that the answer has stated so far
   */
  public void settleInput(TokenUsage tokenUsage, long now) {
    long used = tariff.settledInput(metered.measure(), tokenUsage, expectedTaken);
    if (used != PoolTariff.KEEP) {
      learnReads(used);
      leastTaken = Math.max(0, used - expectedTaken);
      closeDiscount();
      adjustTaken(used, now);
    }
  }

  /** Lets later discounts depend on whether what was expected to be read was read. */
  private void learnReads(long used) {
    long expected = expectedTaken + discount;
    if (tariff.expectsReads() && expected > 0 && !readsKnown) {
      readsKnown = true;
      long missing = Math.clamp(used - leastTaken, 0, expected);
      roomFreed |= limit.discounts().stated(expected, missing, doubtsBefore);
    }
  }

  private void closeDiscount() {
    if (discount > 0) {
      limit.discounts().close(discount);
      discount = 0;
      roomFreed = true;
    }
  }

  private long settleTaken(@Nullable TokenUsage tokenUsage, long outputTokens, long now) {
    long used =
        tokenUsage == null
            ? tariff.settled(metered.measure(), leastTaken, outputTokens)
            : tariff.settled(metered.measure(), tokenUsage);
    // nobody has said that the cache was read
    adjustTaken(used == PoolTariff.KEEP && discount > 0 ? taken() + discount : used, now);
    closeDiscount();
    return used == PoolTariff.KEEP ? 0 : Math.max(0, used - firstTaken);
  }

  /** Makes {@code used} count as taken at release, unless it is {@link PoolTariff#KEEP}. */
  private void adjustTaken(long used, long now) {
    if (used == PoolTariff.KEEP || used == taken()) {
      return;
    }
    if (used < taken()) {
      giveBackTaken(taken() - used, now);
      roomFreed = true;
      return;
    }
    long more = used - taken();
    addedBefore += added == null ? 0 : added.taken();
    added = limit.charge(more, 0, now);
    runsOver();
  }

  private void giveBackTaken(long amount, long now) {
    long left = amount;
    if (added != null) {
      long back = Math.min(left, added.taken());
      limit.giveBack(added, back, 0, now);
      added = added.less(back);
      left -= back;
    }
    long back = Math.min(left, receipt.taken());
    if (back > 0) {
      limit.giveBack(receipt, back, 0, now);
      receipt = receipt.less(back);
    }
  }

  /**
   * Wakes the waiters with claims, because more is charged than was taken or reserved: the room
   * they counted on may be gone.
   */
  private void runsOver() {
    if (waiting != null) {
      waiting.wakeClaimants();
    }
  }

  /**
   * Notes that the request was written to the provider, to be called once. If that took longer than
   * the guard of a trailing window allows for, the charge counts from now on instead of from the
   * release, because the provider counts the request when it arrives.
   */
  public void written(long now) {
    if (limit.spec() instanceof LimitSpec.TrailingWindow window
        && now - takenNanos > window.guardNanos()) {
      receipt = limit.moveForward(receipt, now);
    }
  }

  /**
   * Returns how many tokens of a budget are for this request, input and output together; {@link
   * Long#MAX_VALUE} where the limit is no budget.
   */
  public long keptTokens() {
    return metered.isBudget() ? receipt.taken() + receipt.reserved() : Long.MAX_VALUE;
  }

  /** Returns the measure of the limit. */
  LimitMeasure measure() {
    return metered.measure();
  }

  /**
   * Adapts the limit to what its provider reports with the answer to this attempt. Returns whether
   * any ticket may go sooner than before.
   */
  boolean learn(ProviderStatus providerStatus, long now) {
    return limit
        .feedback()
        .applyNotice(
            new ProviderNotice(
                receipt.totalTaken(),
                takenNanos,
                providerStatus.limit(),
                providerStatus.remaining(),
                providerStatus.resetNanos()),
            now);
  }

  /** Returns whether it was taken from that limit. */
  boolean isOf(Limit other) {
    return limit == other;
  }

  /**
   * Returns how likely its limit is the one by which the provider refused this attempt, only for
   * comparisons: the part of the limit that was used. A limit that is just being raised is likelier
   * than all others; one of which more has passed before without a refusal is half as likely.
   *
   * @param elsewhere what other instances counted in the window before
   */
  double suspicion(long elsewhere, long now) {
    long passed = limit.feedback().passed(now) + elsewhere;
    double share = (double) passed / limit.capacity();
    LearnedCeiling ceiling = limit.feedback().ceiling(now);
    if (ceiling == null) {
      return share;
    }
    if (ceiling.probes()) {
      return share + BEYOND_SHARES;
    }
    return passed < NEARLY_ALL * ceiling.amount() ? share / 2 : share;
  }

  /**
   * Lowers the limit because the provider refused this attempt without stating limits.
   *
   * @param elsewhere what other instances counted in the window before
   */
  void refused(long elsewhere, long now) {
    long passed = limit.feedback().passed(now) - receipt.taken() + elsewhere;
    limit.feedback().refused(takenNanos, Math.max(0, passed), now);
  }

  /**
   * Ends an attempt that the provider refused because of its limits or its load. It counts like
   * {@linkplain #refused other refused calls} where such calls count; otherwise all is returned.
   */
  public void rejected(long now) {
    if (limit.discounts().sum() > 0) {
      // it may be others that read less than was expected of them
      limit.discounts().doubt();
    }
    if (tariff.charge().countsRejected()) {
      refused(now);
    } else {
      giveBack(now);
    }
  }

  /**
   * Ends an attempt that the provider refused because of what the request asks. The charge stays
   * where refused calls count in full; otherwise tokens are returned, and the request counts.
   */
  public void refused(long now) {
    settle(tariff.charge().countsRefused() ? null : TokenUsage.NONE, 0, now);
  }

  /**
   * Ends a broken attempt. The provider may have processed the request, so its cost and the output
   * seen so far stay charged.
   */
  public void broken(long now) {
    settle(null, seen, now);
  }

  /** Returns the whole charge, because the attempt never ran. */
  public void giveBack(long now) {
    closeDiscount();
    limit.giveBack(receipt, receipt.taken(), heldLeft, now);
    heldLeft = 0;
    roomFreed = true;
    endUnseen();
  }

  private void endUnseen() {
    if (alone) {
      alone = false;
      limit.endUnseen();
      roomFreed = true;
    }
  }
}
