package io.penstock.gateway;

import io.penstock.endpoint.Settlement;
import io.penstock.pool.Upstream;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.gateway.config.HttpClientProperties;
import org.springframework.cloud.gateway.filter.NettyRoutingFilter;
import org.springframework.cloud.gateway.filter.headers.HttpHeadersFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** The framework's call of an upstream, over the connections of that upstream. */
final class RoutingFilter extends NettyRoutingFilter {
  private final Links links;

  RoutingFilter(
      Links links,
      ObjectProvider<List<HttpHeadersFilter>> headers,
      HttpClientProperties properties) {
    super(HttpClient.newConnection(), headers, properties);
    this.links = links;
  }

  @Override
  protected Mono<HttpClient> getHttpClientMono(Route route, ServerWebExchange exchange) {
    Settlement settlement = Objects.requireNonNull(Passage.of(exchange).settlement());
    Upstream upstream = Objects.requireNonNull(settlement.upstream());
    try {
      return Mono.just(links.client(upstream.spec()));
    } catch (SSLException unreadable) {
      return Mono.error(unreadable);
    }
  }
}
