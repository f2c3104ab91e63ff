package io.penstock.gateway;

import io.penstock.pool.UpstreamSpec;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;

/** The request as the upstream gets it. */
final class OutgoingRequest extends ServerHttpRequestDecorator {
  private static final DataBufferFactory FACTORY =
      new NettyDataBufferFactory(io.netty.buffer.PooledByteBufAllocator.DEFAULT);

  private final HttpHeaders headers;
  private final Passage passage;

  private OutgoingRequest(ServerHttpRequest request, HttpHeaders headers, Passage passage) {
    super(request);
    this.headers = headers;
    this.passage = passage;
  }

  static ServerHttpRequest of(ServerHttpRequest request, Passage passage, UpstreamSpec upstream) {
    HttpHeaders headers = new HttpHeaders();
    request
        .getHeaders()
        .forEach(
            (name, values) -> {
              if (!Names.FOR_THE_GATEWAY.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                headers.addAll(name, values);
              }
            });
    forwarded(headers, request);
    headers.set(Names.REQUEST_ID, passage.requestId());
    if (passage.weighed()) {
      headers.setContentLength(passage.body().size());
      headers.remove(HttpHeaders.TRANSFER_ENCODING);
      // A compressed answer would hide its usage.
      headers.set(HttpHeaders.ACCEPT_ENCODING, "identity");
    }
    if (upstream.apiKey() != null) {
      passage.speech().credentials(upstream.apiKey()).forEach(headers::set);
    }
    upstream.headers().forEach(headers::set);
    return new OutgoingRequest(request, headers, passage);
  }

  private static void forwarded(HttpHeaders headers, ServerHttpRequest request) {
    InetSocketAddress client = request.getRemoteAddress();
    if (client != null && client.getAddress() != null) {
      headers.add("X-Forwarded-For", client.getAddress().getHostAddress());
    }
    setIfAbsent(headers, "X-Forwarded-Proto", request.getURI().getScheme());
    setIfAbsent(headers, "X-Forwarded-Host", request.getHeaders().getFirst(HttpHeaders.HOST));
  }

  private static void setIfAbsent(HttpHeaders headers, String name, @Nullable String value) {
    if (value != null && !headers.containsHeader(name)) {
      headers.set(name, value);
    }
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return passage.weighed() ? passage.body().publish(FACTORY) : super.getBody();
  }
}
