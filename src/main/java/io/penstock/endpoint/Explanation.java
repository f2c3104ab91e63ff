package io.penstock.endpoint;

import io.penstock.cost.Measure;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.Stance;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a ticket waits, waited or was refused: as it was at an instant.
 *
 * @param limits those that were looked at, in the order in which they are taken; not more than
 *     {@value #MOST_LIMITS}
 * @param binds what held it; null when nothing did, or nobody knows
 */
public record Explanation(List<Considered> limits, @Nullable Binding binds) {
  /** As many limits as one explanation has. */
  public static final int MOST_LIMITS = 32;

  /** No limit was looked at. */
  static final Explanation NONE = new Explanation(List.of(), null);

  public Explanation {
    limits = List.copyOf(limits);
  }

  Explanation bound(@Nullable Binding by) {
    return new Explanation(limits, by);
  }

  /**
   * A limit that was looked at.
   *
   * @param kind whose it is
   * @param name the path, key, group, model or upstream
   * @param pool for which of its models it is, as the provider names them; null for all
   * @param measure what it counts
   * @param spec what it is configured to do
   * @param capacity the most it admits
   * @param used what was charged and counts, debt included
   * @param reserved what is kept free for answers that run
   * @param usedElsewhere what other instances counted of it
   * @param needs what the ticket asks of it
   * @param given whether the ticket has that already, since it came or went before
   * @param untilNanos as {@link Stance#untilNanos}; the instant of the look when it has room
   */
  public record Considered(
      LimitId.Kind kind,
      String name,
      @Nullable String pool,
      Measure measure,
      LimitSpec spec,
      long capacity,
      long used,
      long reserved,
      long usedElsewhere,
      long needs,
      boolean given,
      long untilNanos) {
    static Considered of(Owner owner, Stance stance, boolean given, long now) {
      Limit limit = stance.metered().limit();
      Balance balance = limit.balance(now);
      return new Considered(
          owner.kind(),
          owner.name(),
          owner.pool(),
          stance.metered().measure(),
          limit.spec(),
          limit.capacity(now),
          balance.charged() + balance.debt(),
          balance.held(),
          stance.metered().others().counted(now),
          stance.needs(),
          given,
          given ? now : stance.untilNanos());
    }
  }

  /** Whose a quota is. */
  record Owner(LimitId.Kind kind, String name, @Nullable String pool) {}
}
