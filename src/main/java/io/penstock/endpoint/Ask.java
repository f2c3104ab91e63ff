package io.penstock.endpoint;

import io.penstock.cost.Cost;
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
 */
public record Ask(
    @Nullable String model, Cost cost, long bytes, Patience patience, int priority, Flow flow) {
  /** Returns what a request asks that says nothing of itself but its cost. */
  public static Ask of(@Nullable String model, Cost cost, long bytes, Patience patience) {
    return new Ask(model, cost, bytes, patience, 0, Flow.ANONYMOUS);
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
