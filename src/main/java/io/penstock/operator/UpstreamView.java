package io.penstock.operator;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON form of an upstream. Instants are RFC 3339; unknown or inapplicable values are null.
 *
 * @param url scheme, host and port only: the rest may contain secrets
 * @param health healthy, unhealthy or disabled
 * @param disabledBecause why it takes no requests, such as the variable that is not set; null when
 *     it does
 * @param triedAt when an unhealthy upstream is tried next
 * @param jitterMs by how much its windows are extended because the travel time to it varies
 * @param models the model names that clients use; empty for any
 */
record UpstreamView(
    String id,
    String url,
    String health,
    @Nullable String disabledBecause,
    @Nullable String triedAt,
    @Nullable ErrorView lastError,
    int weight,
    double jitterMs,
    List<String> models,
    List<PoolView> pools) {

  /** The last error. */
  record ErrorView(String what, String at) {}

  /**
   * A pool: the limits that some models of an upstream share.
   *
   * @param utilization of its fullest limit, 0 to 1, by usage of this instance
   * @param utilizationGlobal the same by usage of all instances
   * @param throttled number of answers with status 429
   */
  record PoolView(
      String name,
      @Nullable String pausedUntil,
      double utilization,
      double utilizationGlobal,
      long throttled,
      List<LimitView> limits) {}

  /**
   * One limit of a pool.
   *
   * @param windowMs the length of its window; null for concurrency limits and for rates
   * @param configured the configured capacity
   * @param effective the configured capacity, unless the provider stated a lower one or refused
   *     requests within it
   * @param loweredUntil when the lower capacity ends
   * @param used the charges that count at present
   * @param usedGlobal the same of all instances
   * @param held the reserved output of running answers
   * @param remaining what is left now; of all instances if they share the limit exactly
   * @param windowStart start of a trailing window: one window length ago
   * @param ceiling the capacity that refusals have taught; left out when there is none
   */
  record LimitView(
      String measure,
      @Nullable Long windowMs,
      long configured,
      long effective,
      @Nullable String loweredUntil,
      long used,
      long usedGlobal,
      long held,
      long remaining,
      @Nullable String windowStart,
      @Nullable LearnedView learned,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable CeilingView ceiling) {}

  /**
   * A capacity learned from refusals of a provider that states no limits.
   *
   * @param probing whether it is being raised to see whether the provider allows more
   * @param until when it is raised next
   */
  record CeilingView(long amount, boolean probing, String until) {}

  /**
   * The provider's last statement about a limit.
   *
   * @param remaining estimate of what the provider has left by now; null from the reset on
   * @param drift how much more was believed to be left at that time than the provider stated, as a
   *     fraction of the limit
   */
  record LearnedView(long limit, @Nullable Long remaining, String resetAt, double drift) {}
}
