package io.penstock.endpoint;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.Dialect;
import io.penstock.cost.ExcessOutput;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketTerms;
import io.penstock.dispatch.WaitPatience;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.time.Ticker;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one endpoint, with all defaults filled in.
 *
 * @param path normalised: starts with a slash, no slash at the end, no empty or dotted segment
 * @param entry what the route files say of it
 * @param limit its own limit, of requests or, for a token window, of tokens
 * @param scheduling the order in which tickets leave
 * @param waiting how many tickets may wait, and how long
 * @param reading how its requests are read
 * @param shadow whether it is in shadow mode: everything is decided and counted, and nothing is
 *     delayed or refused by limits
 * @param forwarding how its requests go to upstreams
 */
public record EndpointSpec(
    String path,
    RouteEntry entry,
    LimitSpec limit,
    Scheduling scheduling,
    Waiting waiting,
    Reading reading,
    boolean shadow,
    Forwarding forwarding) {

  /**
   * The entry of route files that an endpoint has its settings from.
   *
   * @param path the path of the entry: that of the endpoint, or for a dynamic endpoint that of the
   *     ancestor it takes its settings from
   * @param descendants the treatment of paths below it that are not configured
   * @param shown the configuration as an operator sees it: keys of route files, resolved, secrets
   *     masked
   * @param stated the keys among those that route files set, for this endpoint or as a default for
   *     all
   */
  public record RouteEntry(
      String path, Descendants descendants, Map<String, Object> shown, Set<String> stated) {
    public RouteEntry {
      shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
      stated = Set.copyOf(stated);
    }
  }

  /**
   * The order in which tickets leave.
   *
   * @param order the order
   * @param agingNanos the waiting time that gains a ticket one step of priority; 0 is off
   * @param maxSkips how often a ticket may be overtaken by later ones, ≥ 0
   * @param fairBy the property of requests that tells the flows of a fair order apart
   */
  public record Scheduling(QueueOrder order, long agingNanos, int maxSkips, FairBy fairBy) {}

  /** Property of requests by which flows are told apart. */
  public sealed interface FairBy {
    /** The client's API key. */
    record Key() implements FairBy {}

    /** The value of a header. */
    record Header(String name) implements FairBy {}

    /** The user named in the body. */
    record BodyUser() implements FairBy {}
  }

  /**
   * When a streaming request that waits gets signs of life.
   *
   * @param everyNanos the time between two of them; 0 sends none
   * @param afterNanos how long it waits before the first, which begins the answer, ≥ 0
   */
  public record Heartbeats(long everyNanos, long afterNanos) {
    public static final Heartbeats NONE = new Heartbeats(0, 0);
  }

  /**
   * How many tickets may wait, and how long.
   *
   * @param bounds the bounds of the queue
   * @param maxBlocked how many more may wait for a place when the queue is full; 0 refuses them
   * @param queueTimeoutNanos the estimated wait above which a request is refused at arrival; 0 is
   *     off
   * @param estimateOnly whether the queue timeout applies to the estimate only, and does not end a
   *     wait
   * @param maxWaitNanos the longest time any ticket waits; 0 is unlimited
   * @param placeGraceNanos how long the place of a request that was lost while it waited is
   *     remembered for a repeat; 0 is not at all
   * @param heartbeats the signs of life sent to a parked streaming request
   * @param retryAfterMaxSeconds the longest time after which the headers of a refusal advise a
   *     retry, in seconds; 0 is unlimited
   * @param lightRpm how many calls that cost nothing go in any 60 seconds, of all clients without a
   *     key; they never wait. 0 is unlimited
   */
  public record Waiting(
      QueueBounds bounds,
      int maxBlocked,
      long queueTimeoutNanos,
      boolean estimateOnly,
      long maxWaitNanos,
      long placeGraceNanos,
      Heartbeats heartbeats,
      long retryAfterMaxSeconds,
      long lightRpm) {}

  /**
   * How requests are read.
   *
   * @param dialect the dialect
   * @param costFrom the source of the cost
   * @param defaultTokens the input when nothing better is known, ≥ 0
   * @param defaultOutputTokens the expected output when the request does not limit it, ≥ 0
   * @param maxBodyBytes the largest body that is read to find its cost
   * @param maxUploadBytes the largest body that is streamed through
   * @param parameters the parameters of requests
   * @param excessOutput what happens to a request that states too large a maximum of output
   */
  public record Reading(
      Dialect dialect,
      CostSource costFrom,
      long defaultTokens,
      long defaultOutputTokens,
      long maxBodyBytes,
      long maxUploadBytes,
      Parameters parameters,
      ExcessOutput excessOutput) {
    /**
     * Returns whether a short parameter is read and removed here. Otherwise it belongs to the
     * upstream, and passes untouched.
     */
    public boolean reads(ShortParameter parameter) {
      boolean costStated = costFrom == CostSource.QUERY || costFrom == CostSource.MAX;
      return parameters.shortNames() || (costStated && parameter.statesCost());
    }
  }

  /**
   * The parameters by which requests ask the gateway for something.
   *
   * @param lenient whether unreadable parameters count as absent, and are no fault
   * @param shortNames whether requests may state parameters under their short names
   */
  public record Parameters(boolean lenient, boolean shortNames) {
    /** No short names; unreadable parameters are faults. */
    public static final Parameters STRICT = new Parameters(false, false);
  }

  /**
   * How requests go to upstreams.
   *
   * @param upstreams the upstreams of its requests; empty for a permit endpoint
   * @param order which of several upstreams that could take a request does
   * @param fallbacks the fallback models, by the model asked for
   * @param stripPrefix whether the configured path is removed before forwarding
   * @param affinity the affinity of requests to one upstream
   * @param warmup how long requests wait for one that warms a cache for them
   * @param upgrades whether a connection may change to another protocol, such as WebSocket
   * @param headers the headers that pass
   * @param calls the calls that go to upstreams
   */
  public record Forwarding(
      List<UpstreamSpec> upstreams,
      UpstreamOrder order,
      Map<String, Fallback> fallbacks,
      boolean stripPrefix,
      Affinity affinity,
      Warmup warmup,
      boolean upgrades,
      PassedHeaders headers,
      AllowedCalls calls) {
    public Forwarding {
      upstreams = List.copyOf(upstreams);
      fallbacks = Map.copyOf(fallbacks);
    }
  }

  /** Which upstream takes a request that several could take now. */
  public enum UpstreamOrder {
    /** The upstream with the most room in its own fullest limit. */
    LEAST_USED,
    /** The first in the list. */
    FIRST_FIT
  }

  /**
   * Headers that pass at some endpoints only.
   *
   * @param limits whether answers state the rest of the upstream's limits
   * @param ofRequests the {@linkplain WithheldHeaders#OF_REQUESTS withheld headers} of requests
   *     that upstreams get all the same
   * @param ofAnswers the {@linkplain WithheldHeaders#OF_ANSWERS withheld headers} of answers that
   *     clients get all the same
   */
  public record PassedHeaders(boolean limits, Set<String> ofRequests, Set<String> ofAnswers) {
    /** No such header passes. */
    public static final PassedHeaders NONE = new PassedHeaders(false, Set.of(), Set.of());

    public PassedHeaders {
      ofRequests = Set.copyOf(ofRequests);
      ofAnswers = Set.copyOf(ofAnswers);
    }
  }

  /**
   * How requests with the same new beginning of their prompts let one of them warm the cache.
   *
   * @param holdNanos how long the others are held at most after it was sent; 0 when they are not
   * @param perKey whether only requests of the same key are held for each other
   */
  public record Warmup(long holdNanos, boolean perKey) {
    /** No request is held. */
    public static final Warmup OFF = new Warmup(0, true);
  }

  /** Property by which requests are kept to one upstream, as long as that can serve them. */
  public sealed interface Affinity {
    /** No affinity. */
    record None() implements Affinity {}

    /** The client's API key. */
    record Key() implements Affinity {}

    /** The value of a header. */
    record Header(String name) implements Affinity {}

    /**
     * A reference in the request, such as the id of an earlier answer: only the upstream that gave
     * that answer knows it.
     */
    record Auto() implements Affinity {}

    /**
     * The prompt: it goes to the upstream that has its beginning in a cache. A request that refers
     * to an earlier answer goes where that was given, as with {@link Auto}.
     */
    record Prefix() implements Affinity {}
  }

  /**
   * Models that may serve in the place of another.
   *
   * @param models the fallback models; the first that has room serves
   * @param afterNanos the wait after which they may serve, ≥ 0
   */
  public record Fallback(List<String> models, long afterNanos) {
    public Fallback {
      models = List.copyOf(models);
    }
  }

  /**
   * Treatment of paths below an endpoint that are not configured.
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
  }

  /** Returns the upstreams of its requests; empty for a permit endpoint. */
  public List<UpstreamSpec> upstreams() {
    return forwarding.upstreams();
  }

  /** Returns the algorithm of its own limit. */
  public LimitAlgorithm algorithm() {
    return LimitAlgorithm.of(limit);
  }

  /** Returns whether the endpoint answers by itself, because it has no upstreams. */
  public boolean permit() {
    return upstreams().isEmpty();
  }

  /** Returns the fallback models of a model, or null. */
  public @Nullable Fallback fallback(@Nullable String model) {
    return model == null ? null : forwarding.fallbacks().get(model);
  }

  /** Returns whether this very path is not configured. */
  public boolean isDynamic() {
    return !path.equals(entry.path());
  }

  /**
   * Returns the configuration of a dynamic endpoint below this one, which takes its settings from
   * here.
   */
  EndpointSpec dynamicAt(String below) {
    Map<String, Object> shown = new LinkedHashMap<>(entry.shown());
    shown.put("path", below);
    shown.put("dynamic", true);
    RouteEntry same = new RouteEntry(entry.path(), entry.descendants(), shown, entry.stated());
    return new EndpointSpec(below, same, limit, scheduling, waiting, reading, shadow, forwarding);
  }

  /** Returns how long the ticket of a request that arrives now may wait, and for what. */
  TicketTerms terms(TicketRequest request, long now) {
    WaitPatience patience = request.patience();
    long wait =
        patience.longestWait(
            waiting.queueTimeoutNanos(), waiting.estimateOnly(), waiting.maxWaitNanos());
    return new TicketTerms(
        wait > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + wait,
        patience.refusesAbove(waiting.queueTimeoutNanos()),
        fallbackNanos(request, now));
  }

  private long fallbackNanos(TicketRequest request, long now) {
    Fallback fallback = fallback(request.model());
    Set<String> allowed = request.sender().models();
    if (fallback == null || (allowed != null && !allowed.containsAll(fallback.models()))) {
      return Ticker.NEVER;
    }
    return fallback.afterNanos() > Ticker.NEVER - now ? Ticker.NEVER : now + fallback.afterNanos();
  }
}
