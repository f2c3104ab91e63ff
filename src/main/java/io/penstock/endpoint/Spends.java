package io.penstock.endpoint;

import io.penstock.cost.Usage;
import io.penstock.pool.Failure;
import io.penstock.quota.Quota;
import io.penstock.quota.Spend;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The charges of one ticket: the upstream's, for one attempt, and those of all other quotas, for
 * the request however many attempts it takes. Used by one thread at a time.
 */
final class Spends {
  /** Initial capacity of the lists; most tickets have fewer charges. */
  private static final int FEW = 4;

  /** Quotas that gave the kept charges. */
  private final List<Quota> givers;

  private final List<Spend> kept;
  private final List<Spend> attempt = new ArrayList<>(FEW);

  /** Whether an attempt failed that the upstream may have worked on. */
  private boolean ran;

  /** Creates an empty list of charges by those quotas. */
  Spends(List<Quota> givers) {
    this(givers, new ArrayList<>(FEW), false);
  }

  /** Returns the charges made by those quotas at a request's arrival. */
  static Spends charged(List<Quota> givers, List<Spend> kept) {
    return new Spends(givers, kept, false);
  }

  private Spends(List<Quota> givers, List<Spend> kept, boolean ran) {
    this.givers = givers;
    this.kept = kept;
    this.ran = ran;
  }

  /** Returns the charges of key, group, model and endpoint. */
  List<Spend> kept() {
    return kept;
  }

  /** Returns the charges of the upstream. */
  List<Spend> attempt() {
    return attempt;
  }

  /** Returns these charges together with earlier ones of the same request, if there are any. */
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

  /** Wakes all lanes that wait for a quota of the kept charges. */
  void wake() {
    givers.forEach(quota -> quota.line().wake());
  }

  /** Charges output as it is produced; returns whether others may go sooner because of it. */
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

  /**
   * Replaces the expected cost by the real usage; returns by how much that exceeds what was taken.
   */
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

  /** Returns whether others may go sooner since this was last asked. */
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

  /**
   * Gives back the charges of an attempt that never ran. If an earlier attempt may have run, the
   * kept charges are settled as broken instead.
   */
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

  /** Settles the charges of a failed attempt; returns those that stay taken for the next one. */
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

  /** Gives back what was never used, because there is no next attempt. */
  void end(long now) {
    giveBack(now);
    wake();
  }
}
