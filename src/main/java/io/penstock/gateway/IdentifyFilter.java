package io.penstock.gateway;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Registry;
import io.penstock.provider.Speech;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.WallClock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 1, identify: which endpoint, and under which id. */
final class IdentifyFilter implements GlobalFilter, Ordered {
  /** The path of a permit is the name of what it permits: there is one way to write it. */
  private static final String BLURRED = "the path has an escaped slash";

  private final Registry registry;
  private final BodyBudget bodies;
  private final Door door;
  private final WallClock clock;

  IdentifyFilter(Registry registry, BodyBudget bodies, Door door, WallClock clock) {
    this.registry = registry;
    this.bodies = bodies;
    this.door = door;
    this.clock = clock;
  }

  @Override
  public int getOrder() {
    return Steps.IDENTIFY;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    return Mono.defer(
        () ->
            door.enter()
                ? identified(exchange, chain).doFinally(signal -> door.leave())
                : identified(exchange, this::refuseNew));
  }

  private Mono<Void> refuseNew(ServerWebExchange exchange) {
    Passage passage = Passage.of(exchange);
    passage.endpoint().refused(Cost.NO_TOKENS, 0, Door.CLOSED);
    return Refuser.refuse(exchange, passage, Door.CLOSED);
  }

  private Mono<Void> identified(ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    String requestId = RequestIds.of(request.getHeaders().getFirst(Names.REQUEST_ID));
    String path = request.getURI().getRawPath();
    if (Paths.climbs(path)) {
      return refuse(exchange, requestId, Reason.BAD_REQUEST, "the path has a dotted segment");
    }
    if (Paths.hidesControls(path)) {
      return refuse(
          exchange, requestId, Reason.BAD_REQUEST, "the path has an escaped control character");
    }
    if (ambiguousLength(request.getHeaders())) {
      return refuse(
          exchange, requestId, Reason.BAD_REQUEST, "the transfer encoding is not chunked");
    }
    if (Paths.blurs(path) && permits(registry.find(path))) {
      return refuse(exchange, requestId, Reason.BAD_REQUEST, BLURRED);
    }
    Endpoint endpoint = registry.enter(path);
    if (endpoint == null) {
      return refuse(exchange, requestId, Reason.NO_ENDPOINT, "no endpoint has this path");
    }
    return Mono.defer(() -> identified(exchange, chain, endpoint, requestId))
        .doFinally(signal -> endpoint.leave());
  }

  private Mono<Void> identified(
      ServerWebExchange exchange, GatewayFilterChain chain, Endpoint endpoint, String requestId) {
    ServerHttpRequest request = exchange.getRequest();
    Parameters parameters =
        Parameters.of(
            request.getURI().getRawQuery(), request.getHeaders(), endpoint.spec().reading(), clock);
    Passage passage = new Passage(requestId, endpoint, parameters, new HeldBody(bodies.claim()));
    if (parameters.fault() != null) {
      Refusal refusal = Refusal.of(Reason.BAD_REQUEST, parameters.fault());
      endpoint.refused(Cost.NO_TOKENS, 0, refusal);
      return Refuser.refuse(exchange, passage, refusal);
    }
    passage.attach(exchange);
    return chain.filter(exchange);
  }

  private static boolean permits(@Nullable Endpoint endpoint) {
    return endpoint != null && endpoint.spec().permit();
  }

  /** Where a body ends that is encoded in another way, each server behind us may see otherwise. */
  private static boolean ambiguousLength(HttpHeaders headers) {
    List<String> encodings = headers.getOrEmpty(HttpHeaders.TRANSFER_ENCODING);
    return encodings.size() > 1
        || (encodings.size() == 1 && !encodings.getFirst().strip().equalsIgnoreCase("chunked"));
  }

  private static Mono<Void> refuse(
      ServerWebExchange exchange, String requestId, Reason reason, String detail) {
    Refusal refusal = Refusal.of(reason, detail);
    return Refuser.write(
        exchange,
        refusal,
        Speech.of(Dialect.NONE).refusalBody(refusal, requestId),
        requestId,
        null);
  }
}
