package io.penstock.gateway;

import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Answers requests to paths that are the gateway's own, before any endpoint is looked for. */
public interface OwnPaths {
  /** Returns whether a raw path is one of them, whatever becomes of the request. */
  boolean serves(String rawPath);

  /** Answers a request whose path it serves. */
  Mono<Void> write(ServerWebExchange exchange, String requestId);
}
