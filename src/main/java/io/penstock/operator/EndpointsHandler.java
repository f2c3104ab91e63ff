package io.penstock.operator;

import io.penstock.config.ConfigurationFault;
import io.penstock.config.ConfigurationReloader;
import io.penstock.dispatch.TicketFate;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointTotals;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ObjectNode;

/** Shows the endpoints, their queues and their configuration; pauses and resumes them. */
final class EndpointsHandler {
  private record Paused(String path, boolean paused) {}

  private static final double DIGITS = 1e4;
  private final EndpointRegistry registry;
  private final UpstreamRegistry upstreamRegistry;
  private final Ticker ticker;
  private final WallClock clock;
  private final ConfigurationReloader reloader;

  EndpointsHandler(
      EndpointRegistry registry,
      UpstreamRegistry upstreamRegistry,
      ConfigurationReloader reloader,
      Ticker ticker,
      WallClock clock) {
    this.registry = registry;
    this.upstreamRegistry = upstreamRegistry;
    this.ticker = ticker;
    this.clock = clock;
    this.reloader = reloader;
  }

  /** Answers with an array of all endpoints, or of the one at {@code ?path=}. */
  Mono<ServerResponse> list(ServerRequest request) {
    Optional<String> path = request.queryParam("path");
    List<ObjectNode> views =
        registry.all().stream()
            .filter(endpoint -> path.isEmpty() || path.get().equals(endpoint.path()))
            .map(endpoint -> withConfiguration(endpoint, state(endpoint)))
            .toList();
    return path.isPresent() && views.isEmpty() ? none() : OperatorJson.answer(views);
  }

  static Mono<ServerResponse> none() {
    return ProblemAnswer.answering(HttpStatus.NOT_FOUND, "no endpoint has this path");
  }

  /** Stops releasing tickets of {@code ?path=}; requests still arrive, wait and expire. */
  Mono<ServerResponse> pause(ServerRequest request) {
    return pause(request, true);
  }

  /** Resumes the release of tickets. */
  Mono<ServerResponse> resume(ServerRequest request) {
    return pause(request, false);
  }

  private Mono<ServerResponse> pause(ServerRequest request, boolean stop) {
    Optional<String> path = request.queryParam("path");
    if (path.isEmpty()) {
      return ProblemAnswer.answering(HttpStatus.BAD_REQUEST, "?path= is expected");
    }
    Endpoint endpoint = registry.pause(path.get(), stop);
    if (endpoint == null) {
      return none();
    }
    return OperatorJson.answer(new Paused(endpoint.path(), endpoint.paused()));
  }

  /** Answers with the running configuration, in the shape of a route file. */
  Mono<ServerResponse> config(ServerRequest request) {
    List<Map<String, Object>> endpoints =
        registry.all().stream()
            .map(Endpoint::spec)
            .filter(spec -> !spec.isDynamic())
            .map(spec -> spec.entry().shown())
            .toList();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("endpoints", endpoints);
    answer.put(
        "not_applied",
        reloader.standingFaults().stream().map(ConfigurationFault::toString).toList());
    return OperatorJson.answer(answer);
  }

  private static ObjectNode withConfiguration(Endpoint endpoint, ObjectNode state) {
    state.set("ignored_parameters", OperatorJson.tree(endpoint.ignoredParameters().counts()));
    return state.set("config", OperatorJson.tree(endpoint.spec().entry().shown()));
  }

  /** Returns the endpoint's current state, without its configuration. */
  ObjectNode state(Endpoint endpoint) {
    EndpointTotals endpointTotals = endpoint.totals();
    long now = ticker.nanos();
    EndpointState state = EndpointState.of(endpoint, upstreamRegistry, now);
    // Other threads update the sums concurrently, so they may be below zero for a moment.
    ObjectNode view =
        OperatorJson.object()
            .put("path", endpoint.path())
            .put("dynamic", endpoint.spec().isDynamic())
            .put("queue_depth", Math.max(0, endpointTotals.requests(TicketFate.WAITING)))
            .put("queued_tokens", Math.max(0, endpointTotals.tokens(TicketFate.WAITING)))
            .put("queued_bytes", Math.max(0, endpointTotals.bytes(TicketFate.WAITING)))
            .put("oldest_wait_ms", endpoint.oldestWaitNanos() / 1_000_000)
            .put("utilization", Math.round(utilization(endpoint) * DIGITS) / DIGITS)
            .put("paused", endpoint.paused())
            .put("served", endpointTotals.requests(TicketFate.SERVED))
            .put("refused", endpointTotals.requests(TicketFate.REFUSED))
            .put("expired", endpointTotals.requests(TicketFate.EXPIRED))
            .put("cancelled", endpointTotals.requests(TicketFate.CANCELLED));
    return view.set("state", state.json(new ClockReading(now, clock.unixMillis())));
  }

  private double utilization(Endpoint endpoint) {
    long now = ticker.nanos();
    double least = 1;
    boolean any = false;
    for (UpstreamSpec spec : endpoint.spec().upstreams()) {
      Upstream upstream = upstreamRegistry.find(spec.id());
      if (upstream != null && upstream.enabled()) {
        least = Math.min(least, fullestPool(upstream, now));
        any = true;
      }
    }
    return Math.max(endpoint.utilization(), any ? least : 0);
  }

  private static double fullestPool(Upstream upstream, long now) {
    double most = 0;
    for (Quota pool : upstream.pools().values()) {
      most = Math.max(most, pool.utilization(now));
    }
    return most;
  }
}
