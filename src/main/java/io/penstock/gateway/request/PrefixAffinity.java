package io.penstock.gateway.request;

import io.penstock.dispatch.TicketRequest.RequestAffinity;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.EndpointSpec.Affinity;
import io.penstock.pool.UpstreamSpec;
import io.penstock.prefix.CacheLearner;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides to which upstream a request should go because that has the beginning of its prompt in its
 * cache, and for how long to wait for it. Safe from any thread.
 */
public final class PrefixAffinity {
  /** Longest wait for an upstream because of what it has in its cache. */
  static final long MOST_WAIT_NANOS = 10_000_000_000L;

  /** Tokens of a prompt that a provider processes in a second; an order of magnitude. */
  static final long TOKENS_PER_SECOND = 10_000;

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final double SECONDS_PER_MINUTE = 60;

  private final CacheLearner cacheLearner;
  private final Ticker ticker;

  public PrefixAffinity(CacheLearner cacheLearner, Ticker ticker) {
    this.cacheLearner = cacheLearner;
    this.ticker = ticker;
  }

  /** Returns the affinity of a request whose body was read. */
  public RequestAffinity of(RequestContext requestContext, WeighedRequest.Request body) {
    EndpointSpec spec = requestContext.endpoint().spec();
    String model = body.model();
    if (!(spec.forwarding().affinity() instanceof Affinity.Prefix)
        || model == null
        || body.traits().refersTo() != null) {
      return RequestAffinity.NONE;
    }
    List<UpstreamSpec> upstreams = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      if (each.access().disabledBecause() == null && each.serves(model)) {
        upstreams.add(each);
      }
    }
    if (upstreams.size() < 2) {
      return RequestAffinity.NONE;
    }
    CacheLearner.Prompt prompt = requestContext.promptOf(body);
    List<String> ids = upstreams.stream().map(UpstreamSpec::id).toList();
    CacheLearner.Home home = cacheLearner.home(prompt, model, ids, ticker.nanos());
    if (home == null) {
      return RequestAffinity.NONE; // any upstream is as good as another
    }
    String common = Long.toHexString(home.common());
    return home.upstream() == null
        ? new RequestAffinity(common, null, null, 0)
        : new RequestAffinity(common, null, home.upstream(), waitNanos(home, model, upstreams));
  }

  /**
   * Returns the ids of the upstreams that may serve a request and do not count what they read from
   * a cache.
   *
   * @param holder the only one to which it goes because of its prompt, or null
   */
  public static List<String> readers(
      EndpointSpec spec, @Nullable String model, @Nullable String holder) {
    List<String> upstreams = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      boolean possible = holder == null || holder.equals(each.id());
      if (possible && each.budget().expectsReads() && each.serves(model)) {
        upstreams.add(each.id());
      }
    }
    return upstreams;
  }

  /**
   * Returns how long a request waits for the upstream with its prefix: as long as the least limited
   * of the others would need to take what is in the cache as new input.
   */
  static long waitNanos(CacheLearner.Home home, String model, List<UpstreamSpec> upstreams) {
    double fastest = 0;
    for (UpstreamSpec each : upstreams) {
      if (!each.id().equals(home.upstream())) {
        fastest = Math.max(fastest, tokensPerSecond(each, model));
      }
    }
    double seconds = (double) home.cachedTokens() / fastest;
    return Math.min(MOST_WAIT_NANOS, (long) (seconds * SECOND_NANOS));
  }

  /** Returns how many tokens of new input an upstream takes in a second. */
  private static double tokensPerSecond(UpstreamSpec upstream, String model) {
    double most = TOKENS_PER_SECOND;
    if (!upstream.budget().expectsReads()) {
      return most; // its limits count what is read from a cache, too
    }
    UpstreamSpec.Limits limits = upstream.budget().limitsOf(upstream.ownName(model));
    for (long limit : List.of(limits.itpm(), limits.tpm())) {
      if (limit > 0) {
        most = Math.min(most, (double) limit / SECONDS_PER_MINUTE);
      }
    }
    return most;
  }
}
