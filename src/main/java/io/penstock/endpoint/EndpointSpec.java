package io.penstock.endpoint;

import io.penstock.cost.Dialect;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.Bounds;
import io.penstock.queue.Order;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint, as configured, every default filled in.
 *
 * @param path normalised: starts with a slash, no slash at the end, no empty or dotted segment
 * @param configuredPath the path of the endpoint in the route files: its own, or for a dynamic one
 *     that of the ancestor it takes its settings from
 * @param algorithm the algorithm of its own limit
 * @param limit the limit itself, of requests or, for a token window, of tokens
 * @param scheduling in which order tickets leave
 * @param waiting how much may wait, and how long
 * @param reading how its requests are read
 * @param descendants what becomes of paths below it that nobody configured
 * @param shadow whether everything is decided and counted and nothing is held
 * @param forwarding how they go there
 * @param upstreams where its requests go; empty for a permit endpoint
 * @param shown the configuration as an operator sees it: keys of route files, resolved, secrets
 *     masked
 * @param stated which of those keys route files set, for this endpoint or by default for all
 */
public record EndpointSpec(
    String path,
    String configuredPath,
    Algorithm algorithm,
    LimitSpec limit,
    Scheduling scheduling,
    Waiting waiting,
    Reading reading,
    Descendants descendants,
    boolean shadow,
    Forwarding forwarding,
    List<UpstreamSpec> upstreams,
    Map<String, Object> shown,
    Set<String> stated) {

  /** An endpoint of which nobody needs to know what was set. */
  public EndpointSpec(
      String path,
      String configuredPath,
      Algorithm algorithm,
      LimitSpec limit,
      Scheduling scheduling,
      Waiting waiting,
      Reading reading,
      Descendants descendants,
      boolean shadow,
      boolean stripPrefix,
      List<UpstreamSpec> upstreams,
      Map<String, Object> shown) {
    this(
        path,
        configuredPath,
        algorithm,
        limit,
        scheduling,
        waiting,
        reading,
        descendants,
        shadow,
        Forwarding.plain(stripPrefix),
        upstreams,
        shown,
        Set.of());
  }

  /**
   * In which order tickets leave.
   *
   * @param order the order
   * @param agingNanos by waiting so long a ticket gains one step of priority; 0 is off
   * @param maxSkips how often a ticket may be passed by later ones, ≥ 0
   * @param fairBy what tells the flows of a fair order apart
   */
  public record Scheduling(Order order, long agingNanos, int maxSkips, FairBy fairBy) {
    /** First come, first served. */
    public static Scheduling fifo(int maxSkips) {
      return new Scheduling(Order.FIFO, 0, maxSkips, new FairBy.Key());
    }
  }

  /** What tells flows apart. */
  public sealed interface FairBy {
    /** The client's API key. */
    record Key() implements FairBy {}

    /** The value of a header. */
    record Header(String name) implements FairBy {}

    /** The user the body names. */
    record BodyUser() implements FairBy {}
  }

  /**
   * How much may wait, and how long.
   *
   * @param bounds what the queue holds
   * @param maxBlocked how many more are held when the queue is full; 0 refuses them
   * @param queueTimeoutNanos the estimate refused at arrival; 0 is off
   * @param estimateOnly whether the queue timeout does not also end the wait
   * @param maxWaitNanos the longest any ticket waits; 0 is unlimited
   * @param heartbeatNanos how often a parked streaming request hears something; 0 is never
   */
  public record Waiting(
      Bounds bounds,
      int maxBlocked,
      long queueTimeoutNanos,
      boolean estimateOnly,
      long maxWaitNanos,
      long heartbeatNanos) {
    /** A queue that refuses what it does not hold, and says nothing meanwhile. */
    public static Waiting of(Bounds bounds, long queueTimeoutNanos, long maxWaitNanos) {
      return new Waiting(bounds, 0, queueTimeoutNanos, false, maxWaitNanos, 0);
    }
  }

  /**
   * How requests are read.
   *
   * @param dialect the dialect
   * @param costFrom where the cost is read
   * @param defaultTokens the input when nothing better is known, ≥ 0
   * @param defaultOutputTokens the output expected when nothing is said, ≥ 0
   * @param maxBodyBytes the largest weighed body
   * @param maxUploadBytes the largest body that is streamed through
   * @param lenient whether parameters that cannot be read count as unsaid, and are no fault
   */
  public record Reading(
      Dialect dialect,
      CostFrom costFrom,
      long defaultTokens,
      long defaultOutputTokens,
      long maxBodyBytes,
      long maxUploadBytes,
      boolean lenient) {
    /** The largest body that is streamed through, unless configured: 512 MiB. */
    public static final long UPLOAD_BYTES = 512L << 20;

    /** Uploads of the usual size. */
    public Reading(
        Dialect dialect,
        CostFrom costFrom,
        long defaultTokens,
        long defaultOutputTokens,
        long maxBodyBytes,
        boolean lenient) {
      this(
          dialect,
          costFrom,
          defaultTokens,
          defaultOutputTokens,
          maxBodyBytes,
          UPLOAD_BYTES,
          lenient);
    }

    /** Parameters that cannot be read are a fault. */
    public Reading(
        Dialect dialect,
        CostFrom costFrom,
        long defaultTokens,
        long defaultOutputTokens,
        long maxBodyBytes) {
      this(dialect, costFrom, defaultTokens, defaultOutputTokens, maxBodyBytes, false);
    }
  }

  /**
   * How requests go to upstreams.
   *
   * @param stripPrefix whether the configured path is removed before forwarding
   * @param affinity what keeps requests to one upstream
   * @param upgrades whether a connection may become another protocol, such as WebSocket
   * @param fallbacks by the model asked for, what else may serve it
   * @param exposesLimits whether answers tell what is left of the upstream's limits
   */
  public record Forwarding(
      boolean stripPrefix,
      Affinity affinity,
      boolean upgrades,
      Map<String, Fallback> fallbacks,
      boolean exposesLimits) {
    public Forwarding {
      fallbacks = Map.copyOf(fallbacks);
    }

    /** Forwarding that tells nothing of upstreams' limits. */
    public Forwarding(
        boolean stripPrefix, Affinity affinity, boolean upgrades, Map<String, Fallback> fallbacks) {
      this(stripPrefix, affinity, upgrades, fallbacks, false);
    }

    /** Returns forwarding to any upstream, without fallbacks. */
    public static Forwarding plain(boolean stripPrefix) {
      return new Forwarding(stripPrefix, new Affinity.None(), true, Map.of());
    }
  }

  /** What keeps requests to one upstream, as long as it can serve them. */
  public sealed interface Affinity {
    /** Nothing does. */
    record None() implements Affinity {}

    /** The client's API key. */
    record Key() implements Affinity {}

    /** The value of a header. */
    record Header(String name) implements Affinity {}

    /** What the request refers to, such as an earlier answer: only who gave it knows it. */
    record Auto() implements Affinity {}
  }

  /**
   * Models that may serve in the place of another.
   *
   * @param models the first that has room serves
   * @param afterNanos for whoever has waited that long, ≥ 0
   */
  public record Fallback(List<String> models, long afterNanos) {
    public Fallback {
      models = List.copyOf(models);
    }
  }

  /**
   * What becomes of paths below an endpoint that nobody configured.
   *
   * @param dynamic whether each becomes an endpoint of its own
   * @param most how many dynamic endpoints there may be in all, ≥ 0
   */
  public record Descendants(boolean dynamic, int most) {
    /** The endpoint serves them itself. */
    public static final Descendants SERVED = new Descendants(false, 0);
  }

  public EndpointSpec {
    if (!path.startsWith("/") || (path.length() > 1 && path.endsWith("/"))) {
      throw new IllegalArgumentException("path is " + path + ", expected /like/this");
    }
    upstreams = List.copyOf(upstreams);
    shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
    stated = Set.copyOf(stated);
  }

  /** Returns whether the endpoint answers by itself, having nowhere to forward to. */
  public boolean permit() {
    return upstreams.isEmpty();
  }

  /** Returns what may serve in the place of a model, or null. */
  @Nullable Fallback fallback(@Nullable String model) {
    return model == null ? null : forwarding.fallbacks().get(model);
  }

  /** Returns whether nobody configured this very path. */
  public boolean isDynamic() {
    return !path.equals(configuredPath);
  }

  /** Returns the same endpoint, whose models others may serve for. */
  public EndpointSpec withFallbacks(Map<String, Fallback> fallbacks) {
    return new EndpointSpec(
        path,
        configuredPath,
        algorithm,
        limit,
        scheduling,
        waiting,
        reading,
        descendants,
        shadow,
        new Forwarding(
            forwarding.stripPrefix(),
            forwarding.affinity(),
            forwarding.upgrades(),
            fallbacks,
            forwarding.exposesLimits()),
        upstreams,
        shown,
        stated);
  }

  /** Returns the settings of a dynamic endpoint below this one, which it has from here. */
  EndpointSpec dynamicAt(String below) {
    Map<String, Object> as = new LinkedHashMap<>(shown);
    as.put("path", below);
    as.put("dynamic", true);
    return new EndpointSpec(
        below,
        configuredPath,
        algorithm,
        limit,
        scheduling,
        waiting,
        reading,
        descendants,
        shadow,
        forwarding,
        upstreams,
        as,
        stated);
  }
}
