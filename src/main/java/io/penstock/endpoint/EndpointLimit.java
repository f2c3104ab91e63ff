package io.penstock.endpoint;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates, changes and forgets an endpoint's own limit, which it has beside those of its upstreams.
 */
final class EndpointLimit {
  private EndpointLimit() {}

  /** Returns as {@link Endpoint#fullyFreeNanos} does. */
  static long fullyFreeNanos(List<MeteredLimit> limits, long now) {
    long full = now;
    for (MeteredLimit metered : limits) {
      Limit limit = metered.limit();
      full =
          Math.max(
              full, Math.max(limit.fullyFreeAt(now), limit.paceAllowsAt(limit.capacity(), now)));
    }
    return full;
  }

  /**
   * Returns the limit of {@code next}, if it has one. Charges, debt and reserved output of the
   * limit of {@code before} are kept, unless that measured something else.
   */
  static List<MeteredLimit> of(
      LimitSource source, EndpointSpec next, @Nullable EndpointSpec before, long now) {
    LimitId from = before == null ? null : id(before);
    LimitId to = id(next);
    boolean same = from != null && to != null && from.measure() == to.measure();
    if (from != null && !same) {
      source.forget(from);
    }
    if (to == null) {
      return List.of();
    }
    Limit limit =
        same && from != null
            ? source.change(from, to, next.limit(), now)
            : source.limit(to, next.limit(), now);
    return List.of(new MeteredLimit(to.measure(), limit));
  }

  /** Forgets the limit of an endpoint that is removed. */
  static void forget(LimitSource source, EndpointSpec spec) {
    LimitId id = id(spec);
    if (id != null) {
      source.forget(id);
    }
  }

  private static @Nullable LimitId id(EndpointSpec spec) {
    LimitMeasure measure =
        switch (spec.limit()) {
          case LimitSpec.Unlimited _ -> null;
          case LimitSpec.Concurrency _ -> LimitMeasure.CONCURRENCY;
          case LimitSpec.FixedWindow _ -> LimitMeasure.TOKENS;
          case LimitSpec.Strict _,
              LimitSpec.TokenBucket _,
              LimitSpec.SlidingWindow _,
              LimitSpec.TrailingWindow _,
              LimitSpec.Day _ ->
              LimitMeasure.REQUESTS;
        };
    return measure == null
        ? null
        : new LimitId(LimitId.Kind.ENDPOINT, spec.path(), "", measure, spec.limit());
  }
}
