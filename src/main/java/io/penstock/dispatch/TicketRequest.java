package io.penstock.dispatch;

import io.penstock.cost.Cost;
import io.penstock.quota.CallerAccount;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.Ticker;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request as an endpoint sees it.
 *
 * @param model the model it asks for, or null
 * @param cost its expected usage
 * @param bytes of body it holds in memory while it waits, ≥ 0
 * @param patience how long it is willing to wait
 * @param flow the flow it belongs to, in a fair order
 * @param affinity the affinity to one upstream
 * @param sender its sender
 * @param cacheUse its use of the provider's cache
 */
public record TicketRequest(
    @Nullable String model,
    Cost cost,
    long bytes,
    WaitPatience patience,
    Flow flow,
    RequestAffinity affinity,
    Sender sender,
    CacheUse cacheUse) {
  /**
   * Sender of a request, and its rights.
   *
   * @param origin who it is, as shown to people
   * @param tenant whose share it uses of what all senders share; equal for all requests of one
   *     sender: its key, or without keys its address
   * @param session the session that it names; empty for none
   * @param fingerprint equal for all requests with the same bytes at the same path; null when it is
   *     not known
   * @param account its account, or null when it has no limits
   * @param models the models it may ask for; null is any. Fallback models serve the request only if
   *     it may ask for all of them
   * @param priority the larger goes first, in orders that use priorities
   */
  public record Sender(
      Origin origin,
      Object tenant,
      String session,
      @Nullable Long fingerprint,
      @Nullable CallerAccount account,
      @Nullable Set<String> models,
      int priority) {
    /** Returns the client that is told when to come back. */
    public PromiseHolder client() {
      return new PromiseHolder(tenant, session);
    }
  }

  /**
   * Use of the provider's cache by a request.
   *
   * @param sharedPrefix the new beginning of its prompt for which one request warms the cache; null
   *     when there is none
   * @param forecast predicts anew, while it waits, how much of its input is read from a cache; null
   *     when that does not change
   */
  public record CacheUse(@Nullable SharedPrefix sharedPrefix, @Nullable CacheForecast forecast) {
    /** No use that is known. */
    public static final CacheUse NONE = new CacheUse(null, null);
  }

  /**
   * A beginning of a prompt that is new to the provider's cache.
   *
   * @param scope whose requests warm it for each other: the name of a key, or null for all
   * @param fingerprint its hash
   * @param holdNanos how long others are held at most after one of them was sent, &gt; 0
   */
  public record SharedPrefix(@Nullable String scope, long fingerprint, long holdNanos) {}

  /**
   * Affinity of requests to one upstream.
   *
   * @param with requests with the same value go to the same upstream while it is healthy; null is
   *     none
   * @param at the id of the only upstream that can serve it, or null
   * @param holder the id of the upstream that has the beginning of its prompt in its cache, or
   *     null. It goes before the one that {@code with} stands for. What the cost expects to be read
   *     from a cache is expected of that upstream alone
   * @param waitNanos how long it waits for its upstream while others could serve it; {@link
   *     Ticker#NEVER} when it waits as long as that is healthy
   */
  public record RequestAffinity(
      @Nullable String with, @Nullable String at, @Nullable String holder, long waitNanos) {
    /** No affinity. */
    public static final RequestAffinity NONE = new RequestAffinity(null, null);

    /** Creates an affinity that lasts as long as its upstream is healthy. */
    public RequestAffinity(@Nullable String with, @Nullable String at) {
      this(with, at, null, Ticker.NEVER);
    }

    /** Returns whether it goes to another upstream after it has waited for its own. */
    public boolean passes() {
      return waitNanos != Ticker.NEVER;
    }
  }

  /**
   * Names of the sender of a request.
   *
   * @param requestId the id under which the request is known outside, or null
   * @param key the name of the key it came with, or null
   * @param group the group of the key, or null
   */
  public record Origin(@Nullable String requestId, @Nullable String key, @Nullable String group) {}

  /**
   * Requests that share one part of a fair endpoint.
   *
   * @param name the name of the flow
   * @param weight the size of its share relative to those of others, 1 to 1,000,000
   */
  public record Flow(String name, int weight) {
    /** The flow of all requests that do not say to which they belong. */
    public static final Flow ANONYMOUS = new Flow("anonymous", 1);

    private static final int MOST = 1_000_000;

    public Flow {
      if (weight < 1 || weight > MOST) {
        throw new IllegalArgumentException("weight is " + weight + ", expected 1 to " + MOST);
      }
    }
  }
}
