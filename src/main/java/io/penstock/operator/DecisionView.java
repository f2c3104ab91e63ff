package io.penstock.operator;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.penstock.quota.Decision;
import io.penstock.quota.ModelLimits;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * A decision as programs see it.
 *
 * @param retryAfterMs 0 when allowed; null when it never will be
 */
record DecisionView(
    boolean allowed,
    String code,
    String reason,
    @Nullable Long retryAfterMs,
    double utilization,
    String windowStart,
    Stats stats) {
  /** When something is given back is known to nobody: it may be worth a look then. */
  private static final long SOON_MILLIS = 1_000;

  private static final double DIGITS = 1e4;

  /**
   * What of a model is used; 0 is unlimited.
   *
   * @param dayStart of the running day's first request; null when no day runs
   */
  record Stats(
      long rpm,
      long maxRpm,
      long tpm,
      long maxTpm,
      long rpd,
      long maxRpd,
      @Nullable String dayStart) {
    static Stats of(Decision.Stats stats, Moment now) {
      ModelLimits most = stats.limits();
      boolean runs = stats.dayStartNanos() != Ticker.NEVER;
      return new Stats(
          stats.rpm(),
          most.rpm(),
          stats.tpm(),
          most.tpm(),
          stats.rpd(),
          most.rpd(),
          runs ? now.text(stats.dayStartNanos()) : null);
    }
  }

  /** A decision that is also an error (RFC 9457). */
  private record Denied(
      String type, String title, int status, String detail, @JsonUnwrapped DecisionView decision) {}

  static DecisionView of(Decision decision, Moment now) {
    return new DecisionView(
        decision.allowed(),
        decision.code().text(),
        decision.reason(),
        retryAfterMs(decision, now),
        rounded(decision.utilization()),
        now.text(decision.stats().windowStartNanos()),
        Stats.of(decision.stats(), now));
  }

  private static @Nullable Long retryAfterMs(Decision decision, Moment now) {
    if (!decision.possible()) {
      return null;
    }
    return decision.opensNanos() == Ticker.NEVER
        ? SOON_MILLIS
        : Math.max(0, Math.ceilDiv(decision.opensNanos() - now.nanos(), 1_000_000L));
  }

  static double rounded(double utilization) {
    return Math.round(utilization * DIGITS) / DIGITS;
  }

  /** Answers with a status that says no. */
  Mono<ServerResponse> denied(HttpStatus status) {
    ServerResponse.BodyBuilder builder =
        ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    if (retryAfterMs != null) {
      builder.header("Retry-After", Long.toString(Math.max(1, Math.ceilDiv(retryAfterMs, 1_000L))));
    }
    return builder.bodyValue(
        Json.bytes(
            new Denied("about:blank", status.getReasonPhrase(), status.value(), reason, this)));
  }
}
