package io.penstock.gateway.request;

import io.penstock.endpoint.Endpoint;
import io.penstock.gateway.body.BodyEncoding;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.refusal.RetryAdvice;
import io.penstock.wire.HeaderNames;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes refusals in the format of the endpoint's provider. */
public final class RefusalWriter {
  private RefusalWriter() {}

  /** Refuses a request that has an endpoint. */
  public static Mono<Void> refuse(
      ServerWebExchange exchange, RequestContext requestContext, Refusal refusal) {
    Endpoint endpoint = requestContext.endpoint();
    LateResponse late = requestContext.late();
    RetryAdvice advice = requestContext.retryAdvice(refusal);
    RefusalBody body =
        requestContext.asksPermit() && late == null
            ? ProviderProtocol.permitRefusal(refusal, advice.at())
            : requestContext.protocol().refusalBody(refusal, requestContext.refusedCall(advice));
    requestContext.refused(refusal, body.status());
    if (late != null) {
      return late.refuse(body, advice.useless());
    }
    exchange.getResponse().getHeaders().clear();
    requestContext.limitHeaders().forEach(exchange.getResponse().getHeaders()::set);
    return send(exchange, refusal, advice, body, requestContext.requestId(), endpoint.path());
  }

  /** Writes a refusal with what is known of a request that may have no endpoint. */
  public static Mono<Void> write(
      ServerWebExchange exchange,
      Refusal refusal,
      RetryAdvice advice,
      RefusalBody body,
      String requestId,
      @Nullable String path) {
    exchange.getResponse().getHeaders().clear();
    return send(exchange, refusal, advice, body, requestId, path);
  }

  private static Mono<Void> send(
      ServerWebExchange exchange,
      Refusal refusal,
      RetryAdvice advice,
      RefusalBody body,
      String requestId,
      @Nullable String path) {
    ServerHttpResponse response = exchange.getResponse();
    HttpHeaders headers = response.getHeaders();
    response.setStatusCode(HttpStatusCode.valueOf(body.status()));
    headers.set(HeaderNames.REQUEST_ID, requestId);
    headers.set(HeaderNames.REASON, refusal.reason().code());
    if (path != null) {
      headers.set(HeaderNames.ENDPOINT, path);
    }
    if (refusal.reason() == RefusalReason.UNAUTHENTICATED) {
      headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"penstock\"");
    }
    if (refusal.reason() == RefusalReason.METHOD_NOT_ALLOWED) {
      headers.set(HttpHeaders.ALLOW, HttpMethod.POST.name());
    }
    if (refusal.reason() == RefusalReason.UNSUPPORTED_ENCODING) {
      headers.set(HttpHeaders.ACCEPT_ENCODING, BodyEncoding.ACCEPTED);
    }
    if (refusal.reason() == RefusalReason.BODY_TIMEOUT) {
      headers.set(HttpHeaders.CONNECTION, "close"); // the rest of the body is not read
    }
    advice.afterSeconds().ifPresent(s -> headers.set("Retry-After", Long.toString(s)));
    advice.afterMillis().ifPresent(ms -> headers.set("retry-after-ms", Long.toString(ms)));
    if (advice.at() != null) {
      headers.set(HeaderNames.RETRY_AT, advice.at().toString());
    }
    if (advice.useless()) {
      headers.set("x-should-retry", "false");
    }
    headers.set(HttpHeaders.CONTENT_TYPE, body.contentType());
    headers.setContentLength(body.bytes().length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body.bytes())));
  }
}
