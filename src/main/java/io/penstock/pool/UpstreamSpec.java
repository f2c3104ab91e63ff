package io.penstock.pool;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.PoolTariff;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of one provider deployment.
 *
 * @param id its name; the same id means the same upstream everywhere
 * @param url its address; scheme {@code http}, {@code https} or {@code mock}
 * @param access how the gateway authenticates to it
 * @param models the upstream's names of models by the names that clients use; empty for any model
 *     under its own name
 * @param weight decides between equally used upstreams, ≥ 1
 * @param budget its limits
 * @param link how it is reached
 * @param injectsUsage whether the gateway asks for the usage of streams when the client did not
 */
public record UpstreamSpec(
    String id,
    URI url,
    Access access,
    Map<String, String> models,
    int weight,
    Budget budget,
    Link link,
    boolean injectsUsage) {

  /**
   * Credentials and headers that the gateway sends to an upstream.
   *
   * @param apiKey the credential sent to it, or null when none is sent
   * @param passthrough whether the client's own credential is sent on instead
   * @param disabledBecause the reason why it takes no requests, or null when it does
   * @param headers headers set on every request to it
   */
  public record Access(
      @Nullable String apiKey,
      boolean passthrough,
      @Nullable String disabledBecause,
      Map<String, String> headers) {
    public Access {
      headers = Map.copyOf(headers);
    }

    /** Returns a text without secrets. */
    @Override
    public String toString() {
      return "Access[" + (passthrough ? "passthrough" : apiKey == null ? "none" : "***") + "]";
    }
  }

  /**
   * Limits of an upstream, and how requests count towards them.
   *
   * @param limits the limits of each model that is in no shared pool; such a model has its own pool
   * @param pools the pools that several models share; no model is in two of them
   * @param day when a day of its day limits begins
   * @param charge the rule for the cost of a request
   * @param settlesUsage whether even a charge that would be kept is settled by the real usage
   * @param guardNanos how much longer than the window a request counts, ≥ 0
   * @param burstSeconds the part of a limit per minute that may go at once, in seconds, &gt; 0
   * @param cacheTrust how many percent of a limit may at any time be left uncharged because input
   *     is expected to be read from its provider's cache, 0 to 100
   */
  public record Budget(
      Limits limits,
      List<SharedPool> pools,
      Day day,
      ChargeRule charge,
      boolean settlesUsage,
      long guardNanos,
      double burstSeconds,
      int cacheTrust) {
    public Budget {
      pools = List.copyOf(pools);
    }

    /** Returns whether input that is expected to be read from a cache is not charged. */
    public boolean expectsReads() {
      return new PoolTariff(charge, settlesUsage, 1, cacheTrust).expectsReads();
    }

    /** Returns whether tokens are limited. */
    public boolean limitsTokens() {
      return limits.ofTokens() || pools.stream().anyMatch(pool -> pool.limits().ofTokens());
    }

    /** Returns the shared pool with that name, or null. */
    @Nullable SharedPool shared(String name) {
      for (SharedPool pool : pools) {
        if (pool.name().equals(name)) {
          return pool;
        }
      }
      return null;
    }

    /**
     * Returns the limits of the pool of a model.
     *
     * @param model the upstream's own name for it
     */
    public Limits limitsOf(String model) {
      SharedPool shared = shared(poolOf(model));
      return shared == null ? limits : shared.limits();
    }

    /**
     * Returns the name of the pool of a model: that of its shared pool, else the name of the model.
     *
     * @param model the upstream's own name for it
     */
    public String poolOf(String model) {
      for (SharedPool pool : pools) {
        if (pool.models().contains(model)) {
          return pool.name();
        }
      }
      return model;
    }
  }

  /** Start of the days of a day limit. */
  public enum Day {
    /** With the first request after the last one ended. */
    FIRST_USE,
    /** At midnight UTC. */
    UTC,
    /** At midnight Pacific time, daylight saving included. */
    PACIFIC
  }

  /**
   * Per minute: requests, tokens, input tokens, output tokens; per day: requests; at once:
   * requests. 0 is unlimited.
   */
  public record Limits(long rpm, long tpm, long itpm, long otpm, long rpd, long concurrency) {
    /** No limits. */
    public static final Limits NONE = new Limits(0, 0, 0, 0, 0, 0);

    public Limits {
      for (long limit : List.of(rpm, tpm, itpm, otpm, rpd, concurrency)) {
        if (limit < 0) {
          throw new IllegalArgumentException("a limit is " + limit + ", expected 0 or more");
        }
      }
    }

    /** Returns whether there is a limit of tokens. */
    public boolean ofTokens() {
      return tpm > 0 || itpm > 0 || otpm > 0;
    }

    /** Returns whether there are no limits. */
    public boolean none() {
      return equals(NONE);
    }
  }

  /**
   * Limits that several models share.
   *
   * @param name the name of the pool
   * @param models the upstream's own names
   * @param limits the limits
   */
  public record SharedPool(String name, Set<String> models, Limits limits) {
    public SharedPool {
      models = Set.copyOf(models);
    }
  }

  /**
   * Connection to an upstream.
   *
   * @param timeouts the timeouts of the connection
   * @param tls the certificates to trust and to present, or null to trust what the platform trusts
   * @param proxy the HTTP proxy to use, or null
   */
  public record Link(Timeouts timeouts, @Nullable Tls tls, @Nullable URI proxy) {
    /** Returns a text without secrets: the address of a proxy may contain its password. */
    @Override
    public String toString() {
      return "Link[" + timeouts + (proxy == null ? "" : " by " + proxy.getHost()) + "]";
    }
  }

  /**
   * Certificates in PEM files.
   *
   * @param ca the trusted authorities, or null to trust what the platform trusts
   * @param cert the certificate presented to the upstream, or null
   * @param key its key; null exactly when {@code cert} is
   */
  public record Tls(@Nullable Path ca, @Nullable Path cert, @Nullable Path key) {}

  /**
   * Timeouts in nanoseconds, each &gt; 0: to connect, to the first byte, between two bytes, and
   * until a connection takes no further request.
   */
  public record Timeouts(long connectNanos, long firstByteNanos, long stallNanos, long ageNanos) {
    public Timeouts {
      for (long nanos : List.of(connectNanos, firstByteNanos, stallNanos, ageNanos)) {
        if (nanos <= 0) {
          throw new IllegalArgumentException("a timeout is " + nanos + " ns, expected more than 0");
        }
      }
    }
  }

  public UpstreamSpec {
    models = Map.copyOf(models);
  }

  /**
   * Returns whether requests for {@code model} can go here; null stands for a request without a
   * model.
   */
  public boolean serves(@Nullable String model) {
    return models.isEmpty() || model == null || models.containsKey(model);
  }

  /** Returns the upstream's own name for {@code model}. */
  public String ownName(String model) {
    return models.getOrDefault(model, model);
  }

  /** Returns a text without the credential, so that it may be logged. */
  @Override
  public String toString() {
    return "UpstreamSpec[" + id + " " + url + "]";
  }
}
