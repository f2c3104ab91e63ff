package io.penstock.operator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Errors of the framework and of the actuator, said like all others of this port. */
final class OperatorErrors implements WebExceptionHandler, Ordered {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorErrors.class);

  /** Before the gateway context's own, which speaks another shape. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable error) {
    ServerHttpResponse response = exchange.getResponse();
    if (response.isCommitted()) {
      return Mono.error(error);
    }
    if (error instanceof ErrorResponse known) {
      HttpStatusCode status = known.getStatusCode();
      response.getHeaders().putAll(known.getHeaders());
      String detail = known.getBody().getDetail();
      return Problem.of(status, detail == null ? "it cannot be answered" : detail).write(response);
    }
    LOG.error("the operator port failed to answer", error);
    return Problem.of(HttpStatus.INTERNAL_SERVER_ERROR, "an error, see the log").write(response);
  }
}
