package io.penstock.operator;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.penstock.model.ModelDecision;
import io.penstock.model.ModelLimits;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * JSON form of a decision.
 *
 * @param retryAfterMs 0 if allowed; null if the request can never be allowed
 */
record DecisionView(
    boolean allowed,
    String code,
    String reason,
    @Nullable Long retryAfterMs,
    double utilization,
    String windowStart,
    Stats stats) {
  /**
   * Suggested retry delay when only another request's completion can make room, at an unknown time.
   */
  private static final long SOON_MILLIS = 1_000;

  private static final double DIGITS = 1e4;

  /**
   * Usage of a model and its limits; a limit of 0 means unlimited.
   *
   * @param dayStart time of the first request of the current day; null if no day has begun
   */
  record Stats(
      long rpm,
      long maxRpm,
      long tpm,
      long maxTpm,
      long rpd,
      long maxRpd,
      @Nullable String dayStart) {
    static Stats of(ModelDecision.Stats stats, ClockReading now) {
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

  /** A denied decision in the form of an error (RFC 9457). */
  private record Denied(
      String type, String title, int status, String detail, @JsonUnwrapped DecisionView decision) {}

  static DecisionView of(ModelDecision modelDecision, ClockReading now) {
    return new DecisionView(
        modelDecision.allowed(),
        modelDecision.code().text(),
        modelDecision.reason(),
        retryAfterMs(modelDecision, now),
        rounded(modelDecision.utilization()),
        now.text(modelDecision.stats().windowStartNanos()),
        Stats.of(modelDecision.stats(), now));
  }

  private static @Nullable Long retryAfterMs(ModelDecision modelDecision, ClockReading now) {
    if (!modelDecision.possible()) {
      return null;
    }
    return modelDecision.allowedAtNanos() == Ticker.NEVER
        ? SOON_MILLIS
        : Math.max(0, Math.ceilDiv(modelDecision.allowedAtNanos() - now.nanos(), 1_000_000L));
  }

  static double rounded(double utilization) {
    return Math.round(utilization * DIGITS) / DIGITS;
  }

  /** Answers with an error status and this decision. */
  Mono<ServerResponse> denied(HttpStatus status) {
    ServerResponse.BodyBuilder builder =
        ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    if (retryAfterMs != null) {
      builder.header("Retry-After", Long.toString(Math.max(1, Math.ceilDiv(retryAfterMs, 1_000L))));
    }
    return builder.bodyValue(
        OperatorJson.bytes(
            new Denied("about:blank", status.getReasonPhrase(), status.value(), reason, this)));
  }
}
