package io.penstock.endpoint;

import io.penstock.cost.Usage;
import io.penstock.pool.Failure;
import io.penstock.quota.Quota;
import io.penstock.quota.Spend;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was taken for a ticket: from the upstream, for one attempt, and from all others, for the
 * request however many attempts it takes. Belongs to one thread at a time.
 */
final class Spends {
  /** More limits than most have. */
  private static final int FEW = 4;

  /** Who gave what is kept. */
  private final List<Quota> givers;

  private final List<Spend> kept;
  private final List<Spend> attempt = new ArrayList<>(FEW);

  /** Whether an attempt failed that the upstream may have worked on. */
  private boolean ran;

  /** Nothing was taken yet of what those may give. */
  Spends(List<Quota> givers) {
    this(givers, new ArrayList<>(FEW), false);
  }

  /** What those gave to a request that came. */
  static Spends charged(List<Quota> givers, List<Spend> kept) {
    return new Spends(givers, kept, false);
  }

  private Spends(List<Quota> givers, List<Spend> kept, boolean ran) {
    this.givers = givers;
    this.kept = kept;
    this.ran = ran;
  }

  /** What key, group, model and endpoint gave. */
  List<Spend> kept() {
    return kept;
  }

  /** What the upstream gave. */
  List<Spend> attempt() {
    return attempt;
  }

  /** Returns these and what was taken before for the same request, if anything was. */
  Spends with(@Nullable Spends before) {
    if (before == null) {
      return this;
    }
    boolean more = !kept.isEmpty();
    Spends both =
        new Spends(
            more ? joined(before.givers, givers) : before.givers,
            more ? joined(before.kept, kept) : before.kept,
            before.ran);
    both.attempt.addAll(attempt);
    return both;
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  /** Wakes all who wait for what is kept. */
  void wake() {
    givers.forEach(quota -> quota.line().wake());
  }

  /** Charges output as it is produced; returns whether others may go sooner for it. */
  boolean produce(long outputTokens, long now) {
    boolean eased = false;
    for (Spend spend : kept) {
      spend.produce(outputTokens, now);
      eased |= spend.eased();
    }
    for (Spend spend : attempt) {
      spend.produce(outputTokens, now);
      eased |= spend.eased();
    }
    return eased;
  }

  /** Replaces the cost by what was used; returns how much more that was than had been taken. */
  long settle(@Nullable Usage usage, long outputTokens, long now) {
    long overrun = 0;
    for (Spend spend : kept) {
      overrun = Math.max(overrun, spend.settle(usage, outputTokens, now));
    }
    for (Spend spend : attempt) {
      overrun = Math.max(overrun, spend.settle(usage, outputTokens, now));
    }
    return overrun;
  }

  /** Returns whether others may go sooner since this was asked last. */
  boolean eased() {
    boolean eased = false;
    for (Spend spend : kept) {
      eased |= spend.eased();
    }
    for (Spend spend : attempt) {
      eased |= spend.eased();
    }
    return eased;
  }

  /** This attempt never ran: returns all that none before it has used. */
  void giveBack(long now) {
    attempt.forEach(spend -> spend.giveBack(now));
    for (Spend spend : kept) {
      if (ran) {
        spend.broken(now);
      } else {
        spend.giveBack(now);
      }
    }
  }

  /** Settles an attempt that failed; returns what stays taken for the next one. */
  Spends again(Failure failure, long now) {
    for (Spend spend : attempt) {
      switch (failure) {
        case UNSENT -> spend.giveBack(now);
        case REJECTED -> spend.rejected(now);
        case BROKEN -> spend.broken(now);
      }
    }
    return new Spends(givers, kept, ran || failure == Failure.BROKEN);
  }

  /** There is no next attempt: what was never used is returned. */
  void end(long now) {
    giveBack(now);
    wake();
  }
}
