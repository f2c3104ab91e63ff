package io.penstock.gateway;

import io.penstock.endpoint.Settlement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** What an endpoint without upstreams answers: go ahead. */
final class PermitAnswer {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final List<String> SHOWN =
      List.of("rate", "unit", "scheduler", "algorithm", "max_queue_size", "overflow");

  private PermitAnswer() {}

  static Mono<Void> write(ServerWebExchange exchange, Passage passage, Settlement settlement) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("ok", true);
    answer.put("endpoint", passage.endpoint().path());
    answer.put("queued_for_ms", settlement.waitedNanos() / 1_000_000);
    answer.put("queue_depth", settlement.queueDepth());
    Map<String, Object> shown = passage.endpoint().spec().shown();
    for (String name : SHOWN) {
      Object value = shown.get(name);
      if (value != null) {
        answer.put(name, value);
      }
    }
    byte[] bytes = JSON.writeValueAsBytes(answer);
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    HttpHeaders headers = response.getHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    headers.setContentLength(bytes.length);
    Head.write(headers, passage, settlement);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
  }
}
