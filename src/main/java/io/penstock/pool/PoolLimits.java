package io.penstock.pool;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;

/**
 * Creates the limits of the pools of upstreams. Safe from any thread.
 *
 * <p>In each pool, the limit of requests per minute comes before all other limits of requests.
 */
final class PoolLimits {
  private static final ZoneId PACIFIC_TIME = ZoneId.of("America/Los_Angeles");

  /** The parts of a minute over which Azure also limits requests: 1 s and 10 s. */
  private static final List<Long> AZURE_PARTS = List.of(60L, 6L);

  private static final long SHORTEST_WINDOW_NANOS = 1_000_000;

  private final LimitSource source;
  private final long windowNanos;
  private final long unlimitedTpm;
  private final WallClock wall;
  private final KnownPeerCounts knownPeerCounts;

  PoolLimits(
      LimitSource source,
      long windowNanos,
      long unlimitedTpm,
      WallClock wall,
      KnownPeerCounts knownPeerCounts) {
    this.knownPeerCounts = knownPeerCounts;
    this.source = source;
    this.windowNanos = windowNanos;
    this.unlimitedTpm = unlimitedTpm;
    this.wall = wall;
  }

  /** Returns the rule for the cost of requests in the pool with that name. */
  static PoolTariff tariff(UpstreamSpec spec, String pool) {
    UpstreamSpec.Budget budget = spec.budget();
    UpstreamSpec.SharedPool shared = budget.shared(pool);
    Set<String> models = shared == null ? Set.of(pool) : shared.models();
    return PoolTariff.of(budget.charge(), budget.settlesUsage(), budget.cacheTrust(), models);
  }

  /** Returns the limits of the pool with that name; they keep their earlier charges. */
  List<MeteredLimit> of(UpstreamSpec spec, String pool, long now) {
    UpstreamSpec.Budget budget = spec.budget();
    UpstreamSpec.SharedPool shared = budget.shared(pool);
    UpstreamSpec.Limits limits = shared == null ? budget.limits() : shared.limits();
    List<MeteredLimit> metered = new ArrayList<>();
    Pool made = new Pool(spec, pool, now, metered);
    made.add(LimitMeasure.REQUESTS, limits.rpm(), made::minute);
    if (budget.charge().limitsSeconds()) {
      for (long parts : AZURE_PARTS) {
        made.add(LimitMeasure.REQUESTS, limits.rpm(), most -> made.part(most, parts));
      }
    }
    made.add(LimitMeasure.REQUESTS, limits.rpd(), made::day);
    made.add(LimitMeasure.CONCURRENCY, limits.concurrency(), LimitSpec.Concurrency::new);
    long tpm = limits.tpm() >= unlimitedTpm ? 0 : limits.tpm();
    made.add(LimitMeasure.TOKENS, tpm, made::minute);
    made.add(LimitMeasure.INPUT_TOKENS, limits.itpm(), made::minute);
    made.add(LimitMeasure.OUTPUT_TOKENS, limits.otpm(), made::minute);
    return metered;
  }

  /** Collects the limits of one pool; a limit of 0 is left out. */
  private final class Pool {
    private final UpstreamSpec spec;
    private final String name;
    private final long now;
    private final List<MeteredLimit> metered;

    Pool(UpstreamSpec spec, String name, long now, List<MeteredLimit> metered) {
      this.spec = spec;
      this.name = name;
      this.now = now;
      this.metered = metered;
    }

    void add(LimitMeasure measure, long limit, LongFunction<LimitSpec> specOf) {
      if (limit > 0) {
        LimitSpec made = specOf.apply(limit);
        LimitId id = new LimitId(LimitId.Kind.UPSTREAM, spec.id(), name, measure, made);
        LongUnaryOperator elsewhere = instant -> knownPeerCounts.counted(id, instant);
        metered.add(new MeteredLimit(measure, source.limit(id, made, now), null, elsewhere));
      }
    }

    LimitSpec minute(long perMinute) {
      double share = Math.min(1, spec.budget().burstSeconds() / 60);
      long burst = Math.max(1, (long) ((double) perMinute * share));
      return trailing(perMinute, windowNanos, burst);
    }

    /** Returns a limit for one of {@code parts} equal parts of a minute, of at least 1. */
    LimitSpec part(long perMinute, long parts) {
      long nanos = Math.max(SHORTEST_WINDOW_NANOS, windowNanos / parts);
      long capacity = Math.max(1, perMinute / parts);
      return trailing(capacity, nanos, capacity);
    }

    private LimitSpec trailing(long capacity, long nanos, long burst) {
      return new LimitSpec.TrailingWindow(capacity, nanos, spec.budget().guardNanos(), burst);
    }

    LimitSpec day(long perDay) {
      ZoneMidnights midnight =
          switch (spec.budget().day()) {
            case FIRST_USE -> null;
            case UTC -> new ZoneMidnights(ZoneOffset.UTC, wall);
            case PACIFIC -> new ZoneMidnights(PACIFIC_TIME, wall);
          };
      return new LimitSpec.Day(perDay, midnight, spec.budget().guardNanos());
    }
  }
}
