package io.penstock.pool;

import io.penstock.cost.Charge;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One provider deployment, as configured.
 *
 * @param id its name; the same id is the same upstream everywhere
 * @param url where it is; scheme {@code http}, {@code https} or {@code mock}
 * @param apiKey the credential sent to it, or null when none is sent
 * @param disabledBecause why it takes no requests, or null when it does
 * @param headers headers set on every request to it
 * @param models the name a client asks for to the name the upstream knows; empty for any model
 *     under its own name
 * @param weight breaks ties between equally used upstreams, ≥ 1
 * @param limits what it may be sent; one pool a model
 * @param charge how it adds a request up
 * @param guardNanos how much longer than a window a request counts, ≥ 0
 * @param burstSeconds how many seconds' worth of a minute limit may go at once, &gt; 0
 * @param timeouts how long it may take
 */
public record UpstreamSpec(
    String id,
    URI url,
    @Nullable String apiKey,
    @Nullable String disabledBecause,
    Map<String, String> headers,
    Map<String, String> models,
    int weight,
    Limits limits,
    Charge charge,
    long guardNanos,
    double burstSeconds,
    Timeouts timeouts) {

  /** Per minute: requests, tokens, input tokens, output tokens; 0 is unlimited. */
  public record Limits(long rpm, long tpm, long itpm, long otpm) {
    /** Nothing is limited. */
    public static final Limits NONE = new Limits(0, 0, 0, 0);

    public Limits {
      for (long limit : List.of(rpm, tpm, itpm, otpm)) {
        if (limit < 0) {
          throw new IllegalArgumentException("a limit is " + limit + ", expected 0 or more");
        }
      }
    }

    /** Returns whether nothing is limited. */
    public boolean none() {
      return equals(NONE);
    }
  }

  /** In nanoseconds, each &gt; 0: to connect, to the first byte, and between two bytes. */
  public record Timeouts(long connectNanos, long firstByteNanos, long stallNanos) {
    public Timeouts {
      for (long nanos : List.of(connectNanos, firstByteNanos, stallNanos)) {
        if (nanos <= 0) {
          throw new IllegalArgumentException("a timeout is " + nanos + " ns, expected more than 0");
        }
      }
    }
  }

  public UpstreamSpec {
    headers = Map.copyOf(headers);
    models = Map.copyOf(models);
  }

  /** Returns whether requests for {@code model} can go here; null is a request without a model. */
  public boolean serves(@Nullable String model) {
    return models.isEmpty() || model == null || models.containsKey(model);
  }

  /** Returns the upstream's own name for {@code model}. */
  public String ownName(String model) {
    return models.getOrDefault(model, model);
  }

  /** Returns the spec without its credential, so that it may be logged. */
  @Override
  public String toString() {
    return "UpstreamSpec[" + id + " " + url + "]";
  }
}
