package io.penstock.pool;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.cost.Tariff;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.Others;
import io.penstock.time.Midnight;
import io.penstock.time.WallClock;
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
  private final Others others;

  PoolLimits(LimitSource source, long windowNanos, long unlimitedTpm, WallClock wall) {
    this(source, windowNanos, unlimitedTpm, wall, Others.NONE);
  }

  PoolLimits(
      LimitSource source, long windowNanos, long unlimitedTpm, WallClock wall, Others others) {
    this.others = others;
    this.source = source;
    this.windowNanos = windowNanos;
    this.unlimitedTpm = unlimitedTpm;
    this.wall = wall;
  }

  /** Returns the rule for the cost of requests in the pool with that name. */
  static Tariff tariff(UpstreamSpec spec, String pool) {
    UpstreamSpec.Budget budget = spec.budget();
    UpstreamSpec.SharedPool shared = budget.shared(pool);
    Set<String> models = shared == null ? Set.of(pool) : shared.models();
    return Tariff.of(budget.charge(), budget.settlesUsage(), models);
  }

  /** Returns the limits of the pool with that name; they keep their earlier charges. */
  List<Metered> of(UpstreamSpec spec, String pool, long now) {
    UpstreamSpec.Budget budget = spec.budget();
    UpstreamSpec.SharedPool shared = budget.shared(pool);
    UpstreamSpec.Limits limits = shared == null ? budget.limits() : shared.limits();
    Pool made = new Pool(spec, pool, now, new ArrayList<>());
    made.minute(Measure.REQUESTS, limits.rpm());
    if (budget.charge() == Charge.AZURE && limits.rpm() > 0) {
      AZURE_PARTS.forEach(part -> made.part(limits.rpm(), part));
    }
    made.day(limits.rpd());
    made.concurrency(limits.concurrency());
    made.minute(Measure.TOKENS, limits.tpm() >= unlimitedTpm ? 0 : limits.tpm());
    made.minute(Measure.INPUT_TOKENS, limits.itpm());
    made.minute(Measure.OUTPUT_TOKENS, limits.otpm());
    return made.metered();
  }

  /** Collects the limits of one pool; a limit of 0 is left out. */
  private final class Pool {
    private final UpstreamSpec spec;
    private final String name;
    private final long now;
    private final List<Metered> metered;

    Pool(UpstreamSpec spec, String name, long now, List<Metered> metered) {
      this.spec = spec;
      this.name = name;
      this.now = now;
      this.metered = metered;
    }

    List<Metered> metered() {
      return metered;
    }

    void minute(Measure measure, long perMinute) {
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
      add(Measure.REQUESTS, nanos, trailing(capacity, nanos, capacity));
    }

    private LimitSpec trailing(long capacity, long nanos, long burst) {
      return new LimitSpec.TrailingWindow(capacity, nanos, spec.budget().guardNanos(), burst);
    }

    void day(long perDay) {
      if (perDay > 0) {
        LimitSpec day = new LimitSpec.Day(perDay, midnight(), spec.budget().guardNanos());
        add(Measure.REQUESTS, LimitSpec.Day.NANOS, day);
      }
    }

    private @Nullable Midnight midnight() {
      return switch (spec.budget().day()) {
        case FIRST_USE -> null;
        case UTC -> new Midnight(ZoneOffset.UTC, wall);
        case PACIFIC -> new Midnight(PACIFIC_TIME, wall);
      };
    }

    void concurrency(long most) {
      if (most > 0) {
        add(Measure.CONCURRENCY, 0, new LimitSpec.Concurrency(most));
      }
    }

    private void add(Measure measure, long durationNanos, LimitSpec limit) {
      LimitId id = new LimitId(LimitId.Kind.UPSTREAM, spec.id(), name, measure, durationNanos);
      Metered.Elsewhere elsewhere = instant -> others.counted(id, instant);
      metered.add(new Metered(measure, source.limit(id, limit, now), null, elsewhere));
    }
  }
}
