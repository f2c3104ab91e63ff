package io.penstock.dispatch;

import io.penstock.cost.Cost;
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

  /** The costliest failure of an earlier attempt; {@code UNSENT} when there was none. */
  private final AttemptFailure past;

  /** The most output that any attempt produced. */
  private long seen;

  /** Creates an empty list of charges by those quotas. */
  TicketCharges(List<Quota> givers) {
    this(givers, new ArrayList<>(FEW), AttemptFailure.UNSENT, 0);
  }

  /** Returns the charges made by those quotas at a request's arrival. */
  static TicketCharges charged(List<Quota> givers, List<Charge> kept) {
    return new TicketCharges(givers, kept, AttemptFailure.UNSENT, 0);
  }

  private TicketCharges(List<Quota> givers, List<Charge> kept, AttemptFailure past, long seen) {
    this.givers = givers;
    this.keptCharges = kept;
    this.past = past;
    this.seen = seen;
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
            before.past,
            before.seen);
    both.attempt.addAll(attempt);
    return both;
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  /**
   * Returns how much output budgets keep free for the request, ≥ 0; {@link Long#MAX_VALUE} where
   * that need not bound it.
   *
   * @param cost the expected cost of the request
   */
  long keptOutput(Cost cost) {
    if (cost.spareOutputTokens() == 0) {
      return Long.MAX_VALUE;
    }
    long kept = Long.MAX_VALUE;
    for (Charge charge : keptCharges) {
      kept = Math.min(kept, charge.keptTokens());
    }
    return kept == Long.MAX_VALUE ? kept : Math.max(0, kept - cost.inputTokens());
  }

  /** Wakes all lanes that wait for a quota of the kept charges. */
  void wake() {
    givers.forEach(quota -> quota.waitList().wake());
  }

  /** Charges output as it is produced; returns whether others may go sooner because of it. */
  boolean produce(long outputTokens, long now) {
    seen = Math.max(seen, outputTokens);
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
   * Replaces the expected input by the stated one while the output is still running. Returns
   * whether others may go sooner because of it.
   */
  boolean settleInput(TokenUsage tokenUsage, long now) {
    keptCharges.forEach(charge -> charge.settleInput(tokenUsage, now));
    attempt.forEach(charge -> charge.settleInput(tokenUsage, now));
    return roomFreed();
  }

  /**
   * Settles all charges when the request has ended: those of the upstream by its last call, the
   * others by the costliest of its calls. Returns what stays charged for the request.
   *
   * @param cost the expected cost of the request
   */
  KeptUsage settle(CallEnd callEnd, Cost cost, long now) {
    AttemptFailure failure = callEnd.failure();
    if (failure == null) {
      if (callEnd.usesUnseen()) {
        keptCharges.forEach(Charge::countUnseen);
      }
      return settleAnswered(callEnd.usage(), callEnd.outputTokens(), cost, now);
    }
    settleAttempt(failure, now);
    return settleKept(failure.or(past), cost, now);
  }

  private KeptUsage settleAnswered(
      @Nullable TokenUsage tokenUsage, long counted, Cost cost, long now) {
    long output = tokenUsage == null ? counted : tokenUsage.outputTokens();
    long overrun = 0;
    for (Charge charge : keptCharges) {
      overrun = Math.max(overrun, charge.settle(tokenUsage, output, now));
    }
    for (Charge charge : attempt) {
      overrun = Math.max(overrun, charge.settle(tokenUsage, output, now));
    }
    return tokenUsage == null
        ? new KeptUsage(1, cost.inputTokens(), output, overrun)
        : new KeptUsage(1, tokenUsage, overrun);
  }

  private void settleAttempt(AttemptFailure failure, long now) {
    for (Charge charge : attempt) {
      switch (failure) {
        case UNSENT -> charge.giveBack(now);
        case REJECTED -> charge.rejected(now);
        case REFUSED -> charge.refused(now);
        case BROKEN -> charge.broken(now);
      }
    }
  }

  /** A call that was refused, for whatever reason, costs its client a request without tokens. */
  private KeptUsage settleKept(AttemptFailure failure, Cost cost, long now) {
    for (Charge charge : keptCharges) {
      switch (failure) {
        case UNSENT -> charge.giveBack(now);
        case REJECTED, REFUSED -> charge.refused(now);
        case BROKEN -> charge.broken(now);
      }
    }
    return switch (failure) {
      case UNSENT -> KeptUsage.NONE;
      case REJECTED, REFUSED -> new KeptUsage(1, 0, 0, 0);
      case BROKEN -> new KeptUsage(1, cost.inputTokens(), seen, 0);
    };
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

  /** Gives back all charges of a request that was never sent. */
  void giveBack(long now) {
    attempt.forEach(charge -> charge.giveBack(now));
    keptCharges.forEach(charge -> charge.giveBack(now));
  }

  /** Settles the charges of a failed attempt; returns those that stay taken for the next one. */
  TicketCharges settleFailedAttempt(AttemptFailure failure, long now) {
    settleAttempt(failure, now);
    return new TicketCharges(givers, keptCharges, failure.or(past), seen);
  }

  /**
   * Gives back what was never used, because there is no next attempt. Returns what stays charged
   * for the request.
   *
   * @param cost the expected cost of the request
   */
  public KeptUsage end(Cost cost, long now) {
    KeptUsage kept = settle(CallEnd.UNSENT, cost, now);
    wake();
    return kept;
  }
}
