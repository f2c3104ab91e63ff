package io.penstock.operator;

import io.penstock.model.ModelDecision;
import io.penstock.model.ModelLimits;
import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ObjectNode;

/** JSON form of a decision. */
record DecisionView(ModelDecision modelDecision, ClockReading now) {
  /**
   * Suggested retry delay when only another request's completion can make room, at an unknown time.
   */
  private static final long SOON_MILLIS = 1_000;

  private static final double DIGITS = 1e4;

  /** Returns the usage of a model and its limits; a limit of 0 means unlimited. */
  static ObjectNode stats(ModelDecision.Stats stats, ClockReading now) {
    ModelLimits most = stats.limits();
    boolean runs = stats.dayStartNanos() != Ticker.NEVER;
    return OperatorJson.object()
        .put("rpm", stats.rpm())
        .put("max_rpm", most.rpm())
        .put("tpm", stats.tpm())
        .put("max_tpm", most.tpm())
        .put("rpd", stats.rpd())
        .put("max_rpd", most.rpd())
        .put("day_start", runs ? now.text(stats.dayStartNanos()) : null);
  }

  ObjectNode json() {
    return OperatorJson.object()
        .put("allowed", modelDecision.allowed())
        .put("code", modelDecision.code().text())
        .put("reason", modelDecision.reason())
        .put("retry_after_ms", retryAfterMs())
        .put("utilization", rounded(modelDecision.utilization()))
        .put("window_start", now.text(modelDecision.stats().windowStartNanos()))
        .set("stats", stats(modelDecision.stats(), now));
  }

  /** Returns 0 if it is allowed, and null if the request can never be. */
  private @Nullable Long retryAfterMs() {
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

  /** Answers with an error (RFC 9457) that tells this decision. */
  Mono<ServerResponse> denied(HttpStatus status) {
    ServerResponse.BodyBuilder builder =
        ServerResponse.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    Long retryAfterMs = retryAfterMs();
    if (retryAfterMs != null) {
      builder.header("Retry-After", Long.toString(Math.max(1, Math.ceilDiv(retryAfterMs, 1_000L))));
    }
    return builder.bodyValue(
        OperatorJson.bytes(
            OperatorJson.object()
                .put("type", "about:blank")
                .put("title", status.getReasonPhrase())
                .put("status", status.value())
                .put("detail", modelDecision.reason())
                .setAll(json())));
  }
}
