package io.penstock.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An upstream as operators see it. Instants are RFC 3339; what is not known, or not so, is null.
 *
 * @param url scheme, host and port: the rest may hold what is nobody's business
 * @param health how it is: healthy, unhealthy or disabled
 * @param triedAt when an unhealthy one is tried next
 * @param jitterMs by how much its windows are widened for the way to it
 * @param models the names clients ask for; empty for any
 */
record UpstreamView(
    String id,
    String url,
    String health,
    @Nullable String triedAt,
    @Nullable ErrorView lastError,
    int weight,
    double jitterMs,
    List<String> models,
    List<PoolView> pools) {

  /** What went wrong last. */
  record ErrorView(String what, String at) {}

  /**
   * What an upstream may be sent for some models.
   *
   * @param utilization of its fullest limit, 0 to 1, by what is used here
   * @param utilizationGlobal the same by what all instances use
   * @param throttled how many answers were 429
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
   * @param windowMs the length of its window; null of what runs at once
   * @param configured what a window is to hold
   * @param effective the same, unless the provider stated a lower one
   * @param loweredUntil the end of that
   * @param used what counts of what was released and produced
   * @param usedGlobal the same of all instances
   * @param held what is kept free for answers that run
   * @param remaining what is left now, of all instances where they share it exactly
   * @param windowStart of a window that trails: a window's length ago
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
      @Nullable LearnedView learned) {}

  /**
   * What the provider said last of a limit.
   *
   * @param remaining what it has left by now; null from the reset on
   * @param drift how much more was believed to be left when it said so, in limits
   */
  record LearnedView(long limit, @Nullable Long remaining, String resetAt, double drift) {}
}
