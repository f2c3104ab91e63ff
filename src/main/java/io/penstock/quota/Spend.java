package io.penstock.quota;

import io.penstock.cost.Measure;
import io.penstock.cost.Tariff;
import io.penstock.cost.Usage;
import io.penstock.limit.Answer;
import io.penstock.limit.Limit;
import io.penstock.limit.Notice;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt took from one limit, until it is settled. Belongs to one thread at a time;
 * {@link #settle}, {@link #giveBack} or the like is called once, and nothing after it.
 */
public final class Spend {
  private final Limit limit;
  private final Measure measure;
  private final Tariff tariff;
  private final Answer.Receipt receipt;
  private final long leastTaken;

  /** Who waits for the limit, where those lose their claims who lack it; null elsewhere. */
  private final @Nullable Line waiting;

  private final long takenNanos;
  private long heldLeft;
  private long produced;
  private long seen;
  private long lastSubCell = Long.MIN_VALUE;
  private boolean eased;
  private Answer.@Nullable Receipt lastProduced;

  /**
   * Makes one.
   *
   * @param leastTaken the part of what was taken that is no expectation
   * @param waiting who waits for the limit, where those lose their claims who lack it, or null
   */
  Spend(
      Limit limit,
      Measure measure,
      Tariff tariff,
      Answer.Receipt receipt,
      long leastTaken,
      @Nullable Line waiting,
      long takenNanos) {
    this.leastTaken = leastTaken;
    this.waiting = waiting;
    this.takenNanos = takenNanos;
    this.limit = limit;
    this.measure = measure;
    this.tariff = tariff;
    this.receipt = receipt;
    this.heldLeft = receipt.held();
  }

  /** Returns what counts for this attempt now, taken, produced and held, in the limit's measure. */
  public long reserved() {
    return receipt.taken() + produced + heldLeft;
  }

  /**
   * Returns whether anything was given back, or is held no more, since this was asked last: then
   * others may go sooner than they think.
   */
  public boolean eased() {
    boolean was = eased;
    eased = false;
    return was;
  }

  /**
   * Charges the answer's output so far, {@code outputTokens} in all, as it is produced: at most
   * once in a sub-cell.
   */
  public void produce(long outputTokens, long now) {
    seen = Math.max(seen, outputTokens);
    long subCell = Math.floorDiv(now, limit.subCellNanos());
    if (subCell != lastSubCell) {
      charge(outputTokens, subCell, now);
    }
  }

  private void charge(long outputTokens, long subCell, long now) {
    long more = tariff.produced(measure, outputTokens) - produced;
    if (more <= 0) {
      return;
    }
    long unheld = Math.min(more, heldLeft);
    lastProduced = limit.charge(more, unheld, now);
    if (more > unheld) {
      runsOver();
    }
    lastSubCell = subCell;
    heldLeft -= unheld;
    produced += more;
    eased |= unheld > 0;
  }

  /**
   * Replaces the cost by what was used: charges what is missing, lets go what is held and gives
   * back what was too much while the cell it was taken from counts. Returns how much the usage was
   * above what had been taken and held, ≥ 0.
   *
   * @param usage what the answer says, or null when it says nothing and the cost stands for the
   *     input
   * @param outputTokens the output in all
   */
  public long settle(@Nullable Usage usage, long outputTokens, long now) {
    long overTaken = settleTaken(usage, outputTokens, now);
    long output = tariff.produced(measure, outputTokens);
    if (output >= produced) {
      charge(outputTokens, lastSubCell, now);
    } else if (lastProduced != null) {
      // Only what went into that cell can come out of it: the rest of the cell is others'.
      long back = Math.min(produced - output, lastProduced.taken());
      limit.give(lastProduced, back, 0, now);
      eased = true;
    }
    if (heldLeft > 0) {
      limit.give(receipt, 0, heldLeft, now);
      heldLeft = 0;
      eased = true;
    }
    return overTaken + Math.max(0, output - receipt.held());
  }

  private long settleTaken(@Nullable Usage usage, long outputTokens, long now) {
    long used =
        usage == null
            ? tariff.settled(measure, leastTaken, outputTokens)
            : tariff.settled(measure, usage);
    if (used == Tariff.KEEP || used == receipt.taken()) {
      return 0;
    }
    if (used < receipt.taken()) {
      limit.give(receipt, receipt.taken() - used, 0, now);
      eased = true;
      return 0;
    }
    limit.charge(used - receipt.taken(), 0, now);
    runsOver();
    return used - receipt.taken();
  }

  /** More is charged than was taken or held: who counts on the rest may have lost it. */
  private void runsOver() {
    if (waiting != null) {
      waiting.wakeKeepers();
    }
  }

  /** Returns what the limit counts. */
  Measure measure() {
    return measure;
  }

  /**
   * Has the limit learn what its provider says of it with the answer to this attempt. Returns
   * whether anything may go sooner than before.
   */
  boolean learn(Standing standing, long now) {
    return limit.told(
        new Notice(
            receipt.mark(),
            takenNanos,
            standing.limit(),
            standing.remaining(),
            standing.resetNanos()),
        now);
  }

  /**
   * Ends an attempt that the provider refused for its limits: what was taken stands where refused
   * calls count, and all is returned where they do not.
   */
  public void rejected(long now) {
    if (tariff.charge().countsRejected()) {
      settle(null, 0, now);
    } else {
      giveBack(now);
    }
  }

  /** The provider may have worked on the request: its cost and the output that was seen stay. */
  public void broken(long now) {
    settle(null, seen, now);
  }

  /** Returns everything: the attempt never ran. */
  public void giveBack(long now) {
    limit.give(receipt, receipt.taken(), heldLeft, now);
    heldLeft = 0;
    eased = true;
  }
}
