package io.penstock.pool;

import io.penstock.cost.Charge;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One provider deployment, as configured.
 *
 * @param id its name; the same id is the same upstream everywhere
 * @param url where it is; scheme {@code http}, {@code https} or {@code mock}
 * @param access who the gateway is there
 * @param models the name a client asks for to the name the upstream knows; empty for any model
 *     under its own name
 * @param weight breaks ties between equally used upstreams, ≥ 1
 * @param budget what it may be sent
 * @param link how it is reached
 * @param injectsUsage whether streams are asked to state their usage when the client did not
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

  /** An upstream with nothing out of the ordinary: no shared pools, no certificates, no proxy. */
  public UpstreamSpec(
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
    this(
        id,
        url,
        new Access(apiKey, false, disabledBecause, headers),
        models,
        weight,
        new Budget(limits, List.of(), Day.FIRST_USE, charge, false, guardNanos, burstSeconds),
        new Link(timeouts, null, null),
        true);
  }

  /**
   * Who the gateway is to an upstream.
   *
   * @param apiKey the credential sent to it, or null when none is sent
   * @param passthrough whether the client's own credential is sent on instead
   * @param disabledBecause why it takes no requests, or null when it does
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

    /** Returns nothing that is secret. */
    @Override
    public String toString() {
      return "Access[" + (passthrough ? "passthrough" : apiKey == null ? "none" : "***") + "]";
    }
  }

  /**
   * What an upstream may be sent.
   *
   * @param limits of each model that no shared pool names; one pool a model
   * @param pools those that models share; no model is in two
   * @param day when the day of its daily limits begins
   * @param charge how it adds a request up
   * @param settlesUsage whether a charge that would be kept is settled by the usage all the same
   * @param guardNanos how much longer than a window a request counts, ≥ 0
   * @param burstSeconds how many seconds' worth of a minute limit may go at once, &gt; 0
   */
  public record Budget(
      Limits limits,
      List<SharedPool> pools,
      Day day,
      Charge charge,
      boolean settlesUsage,
      long guardNanos,
      double burstSeconds) {
    public Budget {
      pools = List.copyOf(pools);
    }

    /** Returns the pool that models share under that name, or null. */
    @Nullable SharedPool shared(String name) {
      for (SharedPool pool : pools) {
        if (pool.name().equals(name)) {
          return pool;
        }
      }
      return null;
    }

    /**
     * Returns the name of the pool of a model: that of the one it shares, else its own.
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

  /** When a day of a daily limit begins. */
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
    /** Nothing is limited. */
    public static final Limits NONE = new Limits(0, 0, 0, 0, 0, 0);

    /** Limits of minutes alone. */
    public Limits(long rpm, long tpm, long itpm, long otpm) {
      this(rpm, tpm, itpm, otpm, 0, 0);
    }

    public Limits {
      for (long limit : List.of(rpm, tpm, itpm, otpm, rpd, concurrency)) {
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

  /**
   * Limits that some models have together.
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
   * How an upstream is reached.
   *
   * @param timeouts how long it may take
   * @param tls what is trusted and shown, or null for what the platform trusts
   * @param proxy the HTTP proxy on the way, or null
   */
  public record Link(Timeouts timeouts, @Nullable Tls tls, @Nullable URI proxy) {
    /** Returns nothing that is secret: a proxy may be written with its password. */
    @Override
    public String toString() {
      return "Link[" + timeouts + (proxy == null ? "" : " by " + proxy.getHost()) + "]";
    }
  }

  /**
   * Certificates in PEM files.
   *
   * @param ca who is trusted, or null for what the platform trusts
   * @param cert the certificate shown to the upstream, or null
   * @param key its key; null exactly when {@code cert} is
   */
  public record Tls(@Nullable Path ca, @Nullable Path cert, @Nullable Path key) {}

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
