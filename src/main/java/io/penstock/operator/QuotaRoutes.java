package io.penstock.operator;

import java.util.List;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** The handlers that show, change and query model quotas. */
record QuotaRoutes(QuotasHandler quotas, DecisionsHandler decisions) {
  private static final List<String> TOKENS = List.of("tokens");
  private static final List<String> WAIT = List.of("tokens", "timeout_ms");
  private static final List<String> USAGE = List.of("prompt_tokens", "output_tokens");
  private static final List<String> LIMITS = List.of("rpm", "tpm", "rpd");

  /** The names of the limits in go-ratelimit. */
  private static final List<String> OTHER_LIMITS = List.of("max_rpm", "max_tpm", "max_rpd");

  RouterFunction<ServerResponse> all() {
    return RouterFunctions.route()
        .GET("/quotas", ModelQuestion.aboutModel(false, quotas::list))
        .PUT("/quotas", ModelQuestion.about(LIMITS, OTHER_LIMITS, true, quotas::override))
        .DELETE("/quotas/override", ModelQuestion.aboutModel(true, quotas::endOverride))
        .POST("/providers/{name}", request -> quotas.load(request.pathVariable("name")))
        .POST("/quotas/decide", ModelQuestion.about(TOKENS, true, decisions::decide))
        .POST("/quotas/wait", ModelQuestion.about(WAIT, true, decisions::await))
        .POST("/quotas/usage", ModelQuestion.about(USAGE, true, quotas::record))
        .DELETE("/quotas/usage", ModelQuestion.aboutModel(false, quotas::reset))
        .POST("/quotas/reservations", ModelQuestion.about(TOKENS, true, decisions::reserve))
        .PUT(
            "/reservations/{id}",
            request ->
                ModelQuestion.about(
                        USAGE,
                        false,
                        modelQuestion ->
                            decisions.settle(request.pathVariable("id"), modelQuestion))
                    .handle(request))
        .DELETE("/reservations/{id}", request -> decisions.release(request.pathVariable("id")))
        .path("/quotas", () -> ProblemAnswer.only("GET, PUT"))
        .path("/quotas/override", () -> ProblemAnswer.only("DELETE"))
        .path("/providers/{name}", () -> ProblemAnswer.only("POST"))
        .path("/quotas/decide", () -> ProblemAnswer.only("POST"))
        .path("/quotas/wait", () -> ProblemAnswer.only("POST"))
        .path("/quotas/usage", () -> ProblemAnswer.only("POST, DELETE"))
        .path("/quotas/reservations", () -> ProblemAnswer.only("POST"))
        .path("/reservations/{id}", () -> ProblemAnswer.only("PUT, DELETE"))
        .build();
  }
}
