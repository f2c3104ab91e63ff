package io.penstock.explain;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitStatus;
import io.penstock.sharing.LimitId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a ticket waits, waited or was refused, as of an instant.
 *
 * @param limits the limits that were checked, in the order in which they are charged; at most
 *     {@value #MOST_LIMITS}
 * @param binding what blocks or blocked the ticket; null when nothing does, or it is not known
 */
public record WaitExplanation(List<Considered> limits, @Nullable BindingLimit binding) {
  /** Most limits in one explanation. */
  public static final int MOST_LIMITS = 32;

  /** An explanation without limits or cause. */
  public static final WaitExplanation NONE = new WaitExplanation(List.of(), null);

  public WaitExplanation {
    limits = List.copyOf(limits);
  }

  WaitExplanation bound(@Nullable BindingLimit by) {
    return new WaitExplanation(limits, by);
  }

  /**
   * A limit that was checked.
   *
   * @param owner the owner of its quota
   * @param measure the unit it counts
   * @param spec its configuration
   * @param capacity the most it admits
   * @param use what counts of it now
   * @param needs what the ticket asks of it
   * @param alreadyCharged whether the ticket was charged already, at arrival or before an earlier
   *     attempt
   * @param untilNanos as {@link LimitStatus#untilNanos}; the instant of the check when it has room
   */
  public record Considered(
      Owner owner,
      LimitMeasure measure,
      LimitSpec spec,
      long capacity,
      Use use,
      long needs,
      boolean alreadyCharged,
      long untilNanos) {
    static Considered of(Owner owner, LimitStatus limitStatus, boolean given, long now) {
      Limit limit = limitStatus.metered().limit();
      LimitBalance limitBalance = limit.balance(now);
      return new Considered(
          owner,
          limitStatus.metered().measure(),
          limit.spec(),
          limit.capacity(now),
          new Use(
              limitBalance.charged() + limitBalance.debt(),
              limitBalance.reserved(),
              limitStatus.metered().peerUsage().applyAsLong(now)),
          limitStatus.needs(),
          given,
          given ? now : limitStatus.untilNanos());
    }
  }

  /**
   * Amounts that count of a limit.
   *
   * @param here the charges of this instance, debt included
   * @param reserved output reserved for answers that run
   * @param elsewhere what other instances counted
   */
  public record Use(long here, long reserved, long elsewhere) {}

  /**
   * The owner of a quota.
   *
   * @param name the path, key, group, model or upstream
   * @param pool the models it is for, as the provider names them; null for all
   */
  public record Owner(LimitId.Kind kind, String name, @Nullable String pool) {}
}
