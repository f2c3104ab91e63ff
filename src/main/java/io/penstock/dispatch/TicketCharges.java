package io.penstock.dispatch;

import io.penstock.cost.TokenUsage;
import io.penstock.pool.AttemptFailure;
import io.penstock.quota.Charge;
import io.penstock.quota.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The charges of one ticket: the upstream's, for one attempt, and those of all other quotas, for
 * the request however many attempts it takes. Used by one thread at a time.
 */
public final class TicketCharges {
  /** Initial capacity of the lists; most tickets have fewer charges. */
  private static final int FEW = 4;

  /** Quotas that gave the kept charges. */
  private final List<Quota> givers;

  private final List<Charge> keptCharges;
  private final List<Charge> attempt = new ArrayList<>(FEW);

  /** Whether an attempt failed that the upstream may have worked on. */
  private boolean ran;

  /** Creates an empty list of charges by those quotas. */
  TicketCharges(List<Quota> givers) {
    this(givers, new ArrayList<>(FEW), false);
  }

  /** Returns the charges made by those quotas at a request's arrival. */
  static TicketCharges charged(List<Quota> givers, List<Charge> kept) {
    return new TicketCharges(givers, kept, false);
  }

  private TicketCharges(List<Quota> givers, List<Charge> kept, boolean ran) {
    this.givers = givers;
    this.keptCharges = kept;
    this.ran = ran;
  }

  /** Returns the charges of key, group, model and endpoint. */
  List<Charge> keptCharges() {
    return keptCharges;
  }

  /** Returns the charges of the upstream. */
  List<Charge> attempt() {
    return attempt;
  }

  /** Returns these charges together with earlier ones of the same request, if there are any. */
  TicketCharges with(@Nullable TicketCharges before) {
    if (before == null) {
      return this;
    }
    boolean more = !keptCharges.isEmpty();
    TicketCharges both =
        new TicketCharges(
            more ? joined(before.givers, givers) : before.givers,
            more ? joined(before.keptCharges, keptCharges) : before.keptCharges,
            before.ran);
    both.attempt.addAll(attempt);
    return both;
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  /** Wakes all lanes that wait for a quota of the kept charges. */
  void wake() {
    givers.forEach(quota -> quota.waitList().wake());
  }

  /** Charges output as it is produced; returns whether others may go sooner because of it. */
  boolean produce(long outputTokens, long now) {
    boolean eased = false;
    for (Charge charge : keptCharges) {
      charge.produce(outputTokens, now);
      eased |= charge.roomFreed();
    }
    for (Charge charge : attempt) {
      charge.produce(outputTokens, now);
      eased |= charge.roomFreed();
    }
    return eased;
  }

  /**
   * Replaces the expected cost by the real usage; returns by how much that exceeds what was taken.
   */
  long settle(@Nullable TokenUsage tokenUsage, long outputTokens, long now) {
    long overrun = 0;
    for (Charge charge : keptCharges) {
      overrun = Math.max(overrun, charge.settle(tokenUsage, outputTokens, now));
    }
    for (Charge charge : attempt) {
      overrun = Math.max(overrun, charge.settle(tokenUsage, outputTokens, now));
    }
    return overrun;
  }

  /** Returns whether others may go sooner since this was last asked. */
  boolean roomFreed() {
    boolean eased = false;
    for (Charge charge : keptCharges) {
      eased |= charge.roomFreed();
    }
    for (Charge charge : attempt) {
      eased |= charge.roomFreed();
    }
    return eased;
  }

  /**
   * Gives back the charges of an attempt that never ran. If an earlier attempt may have run, the
   * kept charges are settled as broken instead.
   */
  void giveBack(long now) {
    attempt.forEach(charge -> charge.giveBack(now));
    for (Charge charge : keptCharges) {
      if (ran) {
        charge.broken(now);
      } else {
        charge.giveBack(now);
      }
    }
  }

  /** Settles the charges of a failed attempt; returns those that stay taken for the next one. */
  TicketCharges settleFailedAttempt(AttemptFailure failure, long now) {
    for (Charge charge : attempt) {
      switch (failure) {
        case UNSENT -> charge.giveBack(now);
        case REJECTED -> charge.rejected(now);
        case BROKEN -> charge.broken(now);
      }
    }
    return new TicketCharges(givers, keptCharges, ran || failure == AttemptFailure.BROKEN);
  }

  /** Gives back what was never used, because there is no next attempt. */
  public void end(long now) {
    giveBack(now);
    wake();
  }
}
