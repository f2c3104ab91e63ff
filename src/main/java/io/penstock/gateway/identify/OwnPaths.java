package io.penstock.gateway.identify;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Answers requests to paths that are the gateway's own, before any endpoint is looked up. */
public interface OwnPaths {
  /** Returns whether a raw path is the gateway's own, whether or not the request can be served. */
  boolean serves(String rawPath);

  /**
   * Answers a request to one of these paths.
   *
   * @param tenant tells apart who has a share of bounds of its own: a key, or without keys an
   *     address
   */
  Mono<Void> write(ServerWebExchange exchange, String requestId, String tenant);
}
