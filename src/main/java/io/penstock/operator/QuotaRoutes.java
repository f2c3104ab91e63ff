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
  private static final List<String> LIMITS = List.of("max_rpm", "max_tpm", "max_rpd");

  RouterFunction<ServerResponse> all() {
    return RouterFunctions.route()
        .GET("/quotas", Asked.aboutModel(false, quotas::list))
        .PUT("/quotas", Asked.about(LIMITS, true, quotas::override))
        .DELETE("/quotas/override", Asked.aboutModel(true, quotas::endOverride))
        .POST("/providers/{name}", request -> quotas.load(request.pathVariable("name")))
        .POST("/quotas/decide", Asked.about(TOKENS, true, decisions::decide))
        .POST("/quotas/wait", Asked.about(WAIT, true, decisions::await))
        .POST("/quotas/usage", Asked.about(USAGE, true, quotas::record))
        .DELETE("/quotas/usage", Asked.aboutModel(false, quotas::reset))
        .POST("/quotas/reservations", Asked.about(TOKENS, true, decisions::reserve))
        .PUT(
            "/reservations/{id}",
            request ->
                Asked.about(
                        USAGE, false, asked -> decisions.settle(request.pathVariable("id"), asked))
                    .handle(request))
        .DELETE("/reservations/{id}", request -> decisions.release(request.pathVariable("id")))
        .path("/quotas", () -> Problem.only("GET, PUT"))
        .path("/quotas/override", () -> Problem.only("DELETE"))
        .path("/providers/{name}", () -> Problem.only("POST"))
        .path("/quotas/decide", () -> Problem.only("POST"))
        .path("/quotas/wait", () -> Problem.only("POST"))
        .path("/quotas/usage", () -> Problem.only("POST, DELETE"))
        .path("/quotas/reservations", () -> Problem.only("POST"))
        .path("/reservations/{id}", () -> Problem.only("PUT, DELETE"))
        .build();
  }
}
