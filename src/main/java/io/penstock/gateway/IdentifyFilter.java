package io.penstock.gateway;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Registry;
import io.penstock.provider.Speech;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Step 1, identify: which endpoint, and under which id. */
final class IdentifyFilter implements GlobalFilter, Ordered {
  private static final Pattern REQUEST_ID = Pattern.compile("[\\x21-\\x7e]{1,128}");

  private final Registry registry;

  IdentifyFilter(Registry registry) {
    this.registry = registry;
  }

  @Override
  public int getOrder() {
    return Steps.IDENTIFY;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    String requestId = requestId(request.getHeaders().getFirst(Names.REQUEST_ID));
    String path = request.getURI().getRawPath();
    if (Paths.climbs(path)) {
      return refuse(exchange, requestId, Reason.BAD_REQUEST, "the path has a dotted segment");
    }
    Endpoint endpoint = registry.find(path);
    if (endpoint == null) {
      return refuse(exchange, requestId, Reason.NO_ENDPOINT, "no endpoint has this path");
    }
    Parameters parameters = Parameters.of(request.getURI().getRawQuery(), request.getHeaders());
    Passage passage = new Passage(requestId, endpoint, parameters);
    if (parameters.fault() != null) {
      Refusal refusal = Refusal.of(Reason.BAD_REQUEST, parameters.fault());
      endpoint.refused(Cost.NO_TOKENS, 0, refusal);
      return Refuser.refuse(exchange, passage, refusal);
    }
    passage.attach(exchange);
    return chain.filter(exchange);
  }

  /** An id that could not be a header value or would not fit a log line is replaced. */
  private static String requestId(@Nullable String given) {
    if (given != null && REQUEST_ID.matcher(given).matches()) {
      return given;
    }
    // Unique is enough, and unlike a secure random one it never blocks.
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
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
