package io.penstock.sync;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Sharing;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Limits of another source, some of them counted together with other instances. Eventual limits
 * leave room for the counts of other instances; for some exact limits, those counts are only known.
 * Thread-safe.
 */
public final class CountedLimitSource implements LimitSource {
  private final LimitSource source;
  private final Exchange exchange;
  private final Function<LimitId, Sharing> sharing;
  private final Predicate<LimitId> known;

  /**
   * Creates a source on top of another.
   *
   * @param sharing tells how a limit is shared; asked each time it is configured
   * @param known tells for which exact limits the counts of other instances are needed: limits of
   *     upstreams, for routing and display, and limits that regions share
   */
  public CountedLimitSource(
      LimitSource source,
      Exchange exchange,
      Function<LimitId, Sharing> sharing,
      Predicate<LimitId> known) {
    this.source = source;
    this.exchange = exchange;
    this.sharing = sharing;
    this.known = known;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    return counted(id, source.limit(id, spec, now));
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    Limit limit = source.change(from, to, spec, now);
    if (!from.equals(to)) {
      exchange.leave(from);
    }
    return counted(to, limit);
  }

  private Limit counted(LimitId id, Limit limit) {
    switch (sharing.apply(id)) {
      case EVENTUAL -> exchange.join(id, limit, true);
      case EXACT -> {
        if (known.test(id)) {
          exchange.join(id, limit, false);
        } else {
          exchange.leave(id);
        }
      }
      case LOCAL -> exchange.leave(id);
    }
    return limit;
  }

  @Override
  public void forget(LimitId id) {
    exchange.leave(id);
    source.forget(id);
  }
}
