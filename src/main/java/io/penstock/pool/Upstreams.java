package io.penstock.pool;

import io.penstock.quota.LimitSource;
import io.penstock.quota.Others;
import io.penstock.time.WallClock;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All upstreams by id, kept across reloads. One that is not configured any more is kept aside for
 * when it comes back: its requests still run, and what they give back is for those who will wait at
 * its pools. So there are as many as ids were ever configured. Safe from any thread; applied by one
 * at a time.
 */
public final class Upstreams {
  /** From here on a limit of tokens a minute is none: what mock endpoints are given to say so. */
  public static final long UNLIMITED_TPM = 1_000_000_000;

  private final PoolLimits limits;
  private final RandomGenerator random;
  private final ConcurrentMap<String, Upstream> byId = new ConcurrentHashMap<>();

  /** Those that were configured once; for {@link #apply} only. */
  private final Map<String, Upstream> aside = new HashMap<>();

  /**
   * Makes an empty set.
   *
   * @param source where limits come from
   * @param windowNanos the window of the per-minute limits: 60 s, shorter in tests
   */
  public Upstreams(LimitSource source, long windowNanos) {
    this(source, windowNanos, UNLIMITED_TPM, WallClock.system());
  }

  /**
   * Makes an empty set.
   *
   * @param source where limits come from
   * @param windowNanos the window of the per-minute limits: 60 s, shorter in tests
   * @param unlimitedTpm from which on a limit of tokens a minute is none
   * @param wall what tells when a day begins
   */
  public Upstreams(LimitSource source, long windowNanos, long unlimitedTpm, WallClock wall) {
    this(source, windowNanos, unlimitedTpm, wall, Others.NONE);
  }

  /**
   * Makes an empty set of upstreams that other instances use too: among them the least used one is
   * chosen by what all use.
   *
   * @param others what they counted
   */
  public Upstreams(
      LimitSource source, long windowNanos, long unlimitedTpm, WallClock wall, Others others) {
    this(new PoolLimits(source, windowNanos, unlimitedTpm, wall, others), new SecureRandom());
  }

  /** Makes one with another source of the jitter of back-offs, which must be thread-safe. */
  Upstreams(PoolLimits limits, RandomGenerator random) {
    this.limits = limits;
    this.random = random;
  }

  /**
   * Applies the configured upstreams: new ones are made, known ones changed, others set aside, and
   * those that come back are what they were. What an upstream was sent still counts then, because
   * its provider counts it too; how it fared is forgotten.
   */
  public void apply(Collection<UpstreamSpec> specs, long now) {
    Set<String> configured = new HashSet<>();
    for (UpstreamSpec spec : specs) {
      configured.add(spec.id());
      Upstream known = byId.get(spec.id());
      if (known != null) {
        known.reconfigure(spec, now);
      } else {
        byId.put(spec.id(), back(spec, now));
      }
    }
    for (String id : List.copyOf(byId.keySet())) {
      Upstream gone = configured.contains(id) ? null : byId.remove(id);
      if (gone != null) {
        aside.put(id, gone);
      }
    }
  }

  /** Returns the upstream that was set aside, configured anew, or another if there is none. */
  private Upstream back(UpstreamSpec spec, long now) {
    Upstream known = aside.remove(spec.id());
    if (known == null) {
      return new Upstream(spec, limits, random);
    }
    known.comeBack(spec, now);
    return known;
  }

  /** Returns the upstream of that id, or null when it is not configured any more. */
  public @Nullable Upstream find(String id) {
    return byId.get(id);
  }

  /** Returns all upstreams, in no order. */
  public Collection<Upstream> all() {
    return List.copyOf(byId.values());
  }
}
