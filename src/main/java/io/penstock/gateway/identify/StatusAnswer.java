package io.penstock.gateway.identify;

import io.penstock.dispatch.WaitForecast;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.gateway.request.LimitHeaderLine;
import io.penstock.gateway.request.LimitHeaders;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeySpec;
import io.penstock.time.Ticker;
import io.penstock.wire.HeaderNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** Tells a client what is left of the limits of its key, and how long it would wait now. */
public final class StatusAnswer {
  private static final String PATH = "/v1/penstock/status";
  private static final long MILLI = 1_000_000L;

  private final EndpointRegistry registry;
  private final Ticker ticker;

  public StatusAnswer(EndpointRegistry registry, Ticker ticker) {
    this.registry = registry;
    this.ticker = ticker;
  }

  /** Returns whether a request asks for the status of all endpoints, or below one for its own. */
  boolean isStatusRequest(ServerHttpRequest request) {
    String path = request.getURI().getRawPath();
    return HttpMethod.GET.equals(request.getMethod())
        && path.endsWith(PATH)
        && (path.equals(PATH) || registry.find(above(path)) != null);
  }

  private static String above(String path) {
    return path.substring(0, path.length() - PATH.length());
  }

  Mono<Void> write(ServerWebExchange exchange, String requestId, @Nullable ApiCaller caller) {
    String above = above(exchange.getRequest().getURI().getRawPath());
    Endpoint only = above.isEmpty() ? null : registry.find(above);
    Collection<Endpoint> told = only == null ? registry.all() : List.of(only);
    byte[] bytes = JsonMapper.shared().writeValueAsBytes(answer(caller, told));
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    HttpHeaders headers = response.getHeaders();
    headers.set(HeaderNames.REQUEST_ID, requestId);
    headers.setContentType(MediaType.APPLICATION_JSON);
    headers.setCacheControl("no-store");
    headers.setContentLength(bytes.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
  }

  private Map<String, Object> answer(@Nullable ApiCaller caller, Collection<Endpoint> told) {
    Map<String, Object> answer = new LinkedHashMap<>();
    if (caller != null) {
      KeySpec key = caller.spec();
      answer.put("key", key.name());
      if (key.terms().expiresAtMillis() != KeySpec.NEVER) {
        answer.put("expires_at", Instant.ofEpochMilli(key.terms().expiresAtMillis()).toString());
      }
      answer.put("on_limit", caller.account().waits() ? "wait" : "reject");
    }
    answer.put("limits", limits(caller));
    answer.put("endpoints", endpoints(caller, told));
    return answer;
  }

  private List<Map<String, Object>> limits(@Nullable ApiCaller caller) {
    List<Map<String, Object>> limits = new ArrayList<>();
    if (caller == null) {
      return limits;
    }
    long now = ticker.nanos();
    List<LimitHeaderLine> general = LimitHeaders.ofKey(caller, null, now);
    general.forEach(line -> limits.add(shown(line, null)));
    for (String model : new TreeSet<>(caller.spec().terms().models().keySet())) {
      List<LimitHeaderLine> all = LimitHeaders.ofKey(caller, model, now);
      all.stream()
          .skip(general.size()) // the limits of the key in general come first
          .forEach(line -> limits.add(shown(line, model)));
    }
    return limits;
  }

  private static Map<String, Object> shown(LimitHeaderLine line, @Nullable String model) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("limit", line.name());
    if (model != null) {
      shown.put("model", model);
    }
    shown.put("unit", line.unit());
    shown.put("quota", line.quota());
    if (line.windowSeconds() > 0) {
      shown.put("window_seconds", line.windowSeconds());
    }
    shown.put("remaining", line.remaining());
    if (line.resetNanos() != Ticker.NEVER) {
      shown.put("reset_ms", Math.ceilDiv(line.resetNanos(), MILLI));
    }
    return shown;
  }

  private static List<Map<String, Object>> endpoints(
      @Nullable ApiCaller caller, Collection<Endpoint> told) {
    List<Map<String, Object>> endpoints = new ArrayList<>();
    for (Endpoint endpoint : told) {
      if (EntryCheck.allows(caller, endpoint.spec(), endpoint.path())) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("path", endpoint.path());
        WaitForecast wait = endpoint.expectedWait();
        shown.put("expected_wait_ms", wait.known() ? Math.ceilDiv(wait.waitNanos(), MILLI) : null);
        shown.put("bound", wait.bound());
        endpoints.add(shown);
      }
    }
    return endpoints;
  }
}
