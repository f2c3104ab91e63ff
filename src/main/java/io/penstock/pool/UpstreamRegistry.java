package io.penstock.pool;

import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitSource;
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
 * All upstreams by id, kept across reloads. An upstream that is no longer configured is set aside
 * in case it returns: its requests still run, and what they return must reach the tickets that will
 * wait at its pools. So the number of upstreams grows to that of all ids ever configured. Safe from
 * any thread; only one thread at a time may call {@link #apply}.
 */
public final class UpstreamRegistry {
  /**
   * A limit of tokens per minute from which on tokens are unlimited: the value that mock endpoints
   * are configured with to have no limit.
   */
  public static final long UNLIMITED_TPM = 1_000_000_000;

  private final PoolLimits limits;
  private final RandomGenerator random;
  private final ConcurrentMap<String, Upstream> byId = new ConcurrentHashMap<>();

  /** Upstreams that were configured earlier; for {@link #apply} only. */
  private final Map<String, Upstream> aside = new HashMap<>();

  /**
   * Creates an empty set.
   *
   * @param source the source of limits
   * @param windowNanos the window of the limits per minute: 60 s, shorter in tests
   * @param unlimitedTpm the limit of tokens per minute from which on tokens are unlimited
   * @param wall gives the starts of days
   * @param knownPeerCounts counts of other instances; the utilization by all instances decides
   *     which upstream is the least used
   */
  public UpstreamRegistry(
      LimitSource source,
      long windowNanos,
      long unlimitedTpm,
      WallClock wall,
      KnownPeerCounts knownPeerCounts) {
    this(
        new PoolLimits(source, windowNanos, unlimitedTpm, wall, knownPeerCounts),
        new SecureRandom());
  }

  /** Creates an empty set with another source of random back-offs, which must be thread-safe. */
  UpstreamRegistry(PoolLimits limits, RandomGenerator random) {
    this.limits = limits;
    this.random = random;
  }

  /**
   * Applies the configured upstreams: new ones are created, known ones changed, and others set
   * aside. An upstream that returns is the same object as before: its charges still count, because
   * its provider counts them too, but its health is reset.
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
      Upstream removed = configured.contains(id) ? null : byId.remove(id);
      if (removed != null) {
        aside.put(id, removed);
      }
    }
  }

  /** Returns the upstream that was set aside, configured anew, or a new one if there is none. */
  private Upstream back(UpstreamSpec spec, long now) {
    Upstream known = aside.remove(spec.id());
    if (known == null) {
      return new Upstream(spec, limits, random);
    }
    known.comeBack(spec, now);
    return known;
  }

  /** Returns the upstream with that id, or null when none is configured. */
  public @Nullable Upstream find(String id) {
    return byId.get(id);
  }

  /** Returns all configured upstreams, in no particular order. */
  public Collection<Upstream> all() {
    return List.copyOf(byId.values());
  }
}
