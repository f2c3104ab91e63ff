package io.penstock.gateway;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.gateway.body.BadUpload;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers requests that need not wait: refuses models that the key may not use, and, if the body is
 * not read, uploads that are too large and upgrades that the endpoint does not allow; and answers
 * the question which models there are.
 */
final class ScreenFilter implements GlobalFilter, Ordered {
  private static final Refusal NO_UPGRADES =
      Refusal.of(RefusalReason.UPGRADE_REFUSED, "the endpoint passes no upgrades on");

  @Override
  public int getOrder() {
    return Steps.SCREEN;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
    Passage passage = Passage.of(exchange);
    EndpointSpec spec = passage.endpoint().spec();
    ServerHttpRequest request = exchange.getRequest();
    if (ModelScope.forbids(passage, request)) {
      return refuse(exchange, passage, ModelScope.FORBIDDEN);
    }
    if (passage.weighed() || spec.permit()) {
      return chain.filter(exchange);
    }
    if (Relay.asked(request)) {
      if (!spec.forwarding().upgrades()) {
        return refuse(exchange, passage, NO_UPGRADES);
      }
      passage.upgrading();
      return chain.filter(exchange);
    }
    long most = spec.reading().maxUploadBytes();
    if (request.getHeaders().getContentLength() > most) {
      return refuse(exchange, passage, BadUpload.refusal(most));
    }
    String below = Paths.decoded(Paths.below(spec, request.getURI().getRawPath()));
    boolean known = named(spec) || passage.visitor().models() != null;
    return passage.speech().listsModels(request.getMethod().name(), below) && known
        ? models(exchange, passage, spec)
        : chain.filter(exchange);
  }

  private static Mono<Void> refuse(ServerWebExchange exchange, Passage passage, Refusal refusal) {
    passage.endpoint().refused(passage.origin(), passage.cost(), passage.body().size(), refusal);
    return Refuser.refuse(exchange, passage, refusal);
  }

  /** Returns whether all models are known, which is not so if an enabled upstream takes any. */
  private static boolean named(EndpointSpec spec) {
    return spec.upstreams().stream().filter(ScreenFilter::enabled).noneMatch(ScreenFilter::any);
  }

  private static boolean enabled(UpstreamSpec upstream) {
    return upstream.access().disabledBecause() == null;
  }

  private static boolean any(UpstreamSpec upstream) {
    return upstream.models().isEmpty();
  }

  private static Mono<Void> models(ServerWebExchange exchange, Passage passage, EndpointSpec spec) {
    Set<String> allowed = passage.visitor().models();
    SortedSet<String> names = new TreeSet<>();
    spec.upstreams().stream()
        .filter(ScreenFilter::enabled)
        .forEach(upstream -> names.addAll(upstream.models().keySet()));
    if (allowed != null && named(spec)) {
      names.retainAll(allowed);
    } else if (allowed != null) {
      names.addAll(allowed); // an upstream takes any
      names.retainAll(allowed);
    }
    byte[] body = passage.speech().models(List.copyOf(names));
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    HttpHeaders headers = response.getHeaders();
    headers.setContentType(MediaType.APPLICATION_JSON);
    headers.setContentLength(body.length);
    Head.write(headers, passage);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}
