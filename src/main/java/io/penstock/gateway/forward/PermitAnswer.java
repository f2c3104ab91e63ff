package io.penstock.gateway.forward;

import io.penstock.dispatch.TicketSettlement;
import io.penstock.dispatch.WindowRoom;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.request.GatewayHeaders;
import io.penstock.gateway.request.RequestContext;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** Answer of an endpoint without upstreams, in the format of rls: go ahead. */
final class PermitAnswer {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

  /** Fields about the rate, left out for a token window, which has none. */
  private static final List<String> RATE = List.of("rate", "unit");

  private static final List<String> ALWAYS =
      List.of("scheduler", "algorithm", "max_queue_size", "overflow");

  /** Fields that are shown only where route files set them to something. */
  private static final List<String> STATED =
      List.of("burst_size", "window_seconds", "queue_timeout", "latency_compensation");

  private PermitAnswer() {}

  static Mono<Void> write(
      ServerWebExchange exchange, RequestContext requestContext, TicketSettlement settlement) {
    byte[] bytes = JSON.writeValueAsBytes(answer(requestContext, settlement));
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    HttpHeaders headers = response.getHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    headers.setContentLength(bytes.length);
    GatewayHeaders.write(headers, requestContext, settlement);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
  }

  private static Map<String, Object> answer(
      RequestContext requestContext, TicketSettlement settlement) {
    EndpointSpec spec = requestContext.endpoint().spec();
    WindowRoom window = settlement.window();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("ok", true);
    answer.put("endpoint", spec.path());
    answer.put("queued_for_ms", settlement.waitedNanos() / 1_000_000);
    answer.put("queue_depth", settlement.queueDepth());
    if (window == null) {
      RATE.forEach(name -> show(answer, name, spec.entry().shown().get(name)));
    }
    ALWAYS.forEach(name -> show(answer, name, spec.entry().shown().get(name)));
    for (String name : STATED) {
      Object value = spec.entry().shown().get(name);
      if (spec.entry().stated().contains(name) && !zero(value)) {
        show(answer, name, value);
      }
    }
    show(answer, "network_latency_ms", requestContext.parameters().latencyMillis());
    if (spec.isDynamic()) {
      answer.put("dynamic", true);
    }
    if (window != null) {
      answer.put("tokens_consumed", requestContext.cost().totalTokens());
      answer.put("tokens_remaining", window.remainingTokens());
      answer.put("window_capacity", window.capacityTokens());
      answer.put("waiting_for_next_window", settlement.queueDepth());
    }
    return answer;
  }

  private static void show(Map<String, Object> answer, String name, @Nullable Object value) {
    if (value != null) {
      answer.put(name, value);
    }
  }

  private static boolean zero(@Nullable Object value) {
    return value instanceof Number number && new BigDecimal(number.toString()).signum() == 0;
  }
}
