package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.SharingMode;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Limits of another source, some of them counted together with other instances. Eventual limits
 * leave room for the counts of other instances; for some exact limits, those counts are only known.
 * Thread-safe.
 */
public final class CountedLimitSource implements LimitSource {
  private final LimitSource source;
  private final ShareSlots slots;
  private final Function<LimitId, SharingMode> sharing;
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
      ShareSlots slots,
      Function<LimitId, SharingMode> sharing,
      Predicate<LimitId> known) {
    this.source = source;
    this.slots = slots;
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
      slots.uncount(from, true);
    }
    return counted(to, limit);
  }

  private Limit counted(LimitId id, Limit limit) {
    switch (sharing.apply(id)) {
      case EVENTUAL -> slots.count(id, limit, true);
      case EXACT -> {
        if (known.test(id)) {
          slots.count(id, limit, false);
        } else {
          slots.uncount(id, true);
        }
      }
      case LOCAL -> slots.uncount(id, true);
    }
    return limit;
  }

  @Override
  public void forget(LimitId id) {
    slots.uncount(id, false);
    source.forget(id);
  }
}
