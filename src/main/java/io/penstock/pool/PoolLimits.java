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
import org.jspecify.annotations.Nullable;

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
    Pool made = new Pool(spec, pool, now, new ArrayList<>());
    made.minute(LimitMeasure.REQUESTS, limits.rpm());
    if (budget.charge().limitsSeconds() && limits.rpm() > 0) {
      AZURE_PARTS.forEach(part -> made.part(limits.rpm(), part));
    }
    made.day(limits.rpd());
    made.concurrency(limits.concurrency());
    made.minute(LimitMeasure.TOKENS, limits.tpm() >= unlimitedTpm ? 0 : limits.tpm());
    made.minute(LimitMeasure.INPUT_TOKENS, limits.itpm());
    made.minute(LimitMeasure.OUTPUT_TOKENS, limits.otpm());
    return made.metered();
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

    List<MeteredLimit> metered() {
      return metered;
    }

    void minute(LimitMeasure measure, long perMinute) {
      if (perMinute > 0) {
        double share = Math.min(1, spec.budget().burstSeconds() / 60);
        long burst = Math.max(1, (long) ((double) perMinute * share));
        add(measure, windowNanos, trailing(perMinute, windowNanos, burst));
      }
    }

    /**
     * Adds a limit for one of {@code parts} equal parts of a minute, with a capacity of at least 1.
     */
    void part(long perMinute, long parts) {
      long nanos = Math.max(SHORTEST_WINDOW_NANOS, windowNanos / parts);
      long capacity = Math.max(1, perMinute / parts);
      add(LimitMeasure.REQUESTS, nanos, trailing(capacity, nanos, capacity));
    }

    private LimitSpec trailing(long capacity, long nanos, long burst) {
      return new LimitSpec.TrailingWindow(capacity, nanos, spec.budget().guardNanos(), burst);
    }

    void day(long perDay) {
      if (perDay > 0) {
        LimitSpec day = new LimitSpec.Day(perDay, midnight(), spec.budget().guardNanos());
        add(LimitMeasure.REQUESTS, LimitSpec.Day.NANOS, day);
      }
    }

    private @Nullable ZoneMidnights midnight() {
      return switch (spec.budget().day()) {
        case FIRST_USE -> null;
        case UTC -> new ZoneMidnights(ZoneOffset.UTC, wall);
        case PACIFIC -> new ZoneMidnights(PACIFIC_TIME, wall);
      };
    }

    void concurrency(long most) {
      if (most > 0) {
        add(LimitMeasure.CONCURRENCY, 0, new LimitSpec.Concurrency(most));
      }
    }

    private void add(LimitMeasure measure, long durationNanos, LimitSpec limit) {
      LimitId id = new LimitId(LimitId.Kind.UPSTREAM, spec.id(), name, measure, durationNanos);
      MeteredLimit.PeerUsage elsewhere = instant -> knownPeerCounts.counted(id, instant);
      metered.add(new MeteredLimit(measure, source.limit(id, limit, now), null, elsewhere));
    }
  }
}
