package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.quota.Account;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks of an endpoint.
 *
 * @param model the model it asks for, or null
 * @param cost what it is expected to use
 * @param bytes of body it holds while it waits, ≥ 0
 * @param patience how long it is willing to wait
 * @param priority larger goes first, where that counts
 * @param flow whose it is, where shares are fair
 * @param kept what keeps it to one upstream
 * @param account what its caller may spend, or null when that has no bound
 * @param models what its caller may ask for; null is any. Others serve in the place of its own only
 *     where it may ask for all that may
 * @param origin who asks, for people
 */
public record Ask(
    @Nullable String model,
    Cost cost,
    long bytes,
    Patience patience,
    int priority,
    Flow flow,
    Kept kept,
    @Nullable Account account,
    @Nullable Set<String> models,
    Origin origin) {
  /** What a request asks that may go to any upstream, and whose caller has no limits. */
  public Ask(
      @Nullable String model, Cost cost, long bytes, Patience patience, int priority, Flow flow) {
    this(model, cost, bytes, patience, priority, flow, Kept.NOWHERE, null, null, Origin.UNKNOWN);
  }

  /** What a request asks whose caller has no limits. */
  public Ask(
      @Nullable String model,
      Cost cost,
      long bytes,
      Patience patience,
      int priority,
      Flow flow,
      Kept kept) {
    this(model, cost, bytes, patience, priority, flow, kept, null, null, Origin.UNKNOWN);
  }

  /** What a request asks of which nobody needs to know whose it is. */
  public Ask(
      @Nullable String model,
      Cost cost,
      long bytes,
      Patience patience,
      int priority,
      Flow flow,
      Kept kept,
      @Nullable Account account,
      @Nullable Set<String> models) {
    this(model, cost, bytes, patience, priority, flow, kept, account, models, Origin.UNKNOWN);
  }

  /** Returns what a request asks that says nothing of itself but its cost. */
  public static Ask of(@Nullable String model, Cost cost, long bytes, Patience patience) {
    return new Ask(model, cost, bytes, patience, 0, Flow.ANONYMOUS);
  }

  /**
   * What keeps requests to one upstream.
   *
   * @param with requests of the same go to the same upstream while it is well; null is none
   * @param at the id of the upstream that alone can serve it, or null
   */
  public record Kept(@Nullable String with, @Nullable String at) {
    /** Nothing does. */
    public static final Kept NOWHERE = new Kept(null, null);
  }

  /**
   * Who asks.
   *
   * @param requestId the id under which the request is known outside, or null
   * @param key the name of the key it came with, or null
   */
  public record Origin(@Nullable String requestId, @Nullable String key) {
    /** Nobody knows. */
    public static final Origin UNKNOWN = new Origin(null, null);
  }

  /**
   * Requests that share one part of a fair endpoint.
   *
   * @param name whose they are
   * @param weight how large their part is beside that of others, 1 to 1,000,000
   */
  public record Flow(String name, int weight) {
    /** All requests of which nobody knows whose they are. */
    public static final Flow ANONYMOUS = new Flow("anonymous", 1);

    private static final int MOST = 1_000_000;

    public Flow {
      if (weight < 1 || weight > MOST) {
        throw new IllegalArgumentException("weight is " + weight + ", expected 1 to " + MOST);
      }
    }
  }
}
