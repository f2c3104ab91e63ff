package io.penstock.gateway;

import io.penstock.pool.UpstreamSpec;
import java.util.Locale;
import java.util.Set;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
    Set<String> forThisHop = Names.forThisHop(request.getHeaders().getConnection());
    request
        .getHeaders()
        .forEach(
            (name, values) -> {
              String lower = name.toLowerCase(Locale.ROOT);
              if (!Names.FOR_THE_GATEWAY.contains(lower) && !forThisHop.contains(lower)) {
                headers.addAll(name, values);
              }
            });
    headers.set(Names.REQUEST_ID, passage.requestId());
    if (passage.weighed()) {
      headers.setContentLength(passage.body().size());
      headers.remove(HttpHeaders.TRANSFER_ENCODING);
      // A compressed answer would hide its usage.
      headers.set(HttpHeaders.ACCEPT_ENCODING, "identity");
    }
    if (upstream.access().apiKey() != null) {
      passage.speech().credentials(upstream.access().apiKey()).forEach(headers::set);
    }
    upstream.access().headers().forEach(headers::set);
    return new OutgoingRequest(request, headers, passage);
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return passage.weighed() ? passage.body().publish(FACTORY) : upload();
  }

  /** What the client sends as it comes; what it breaks off must not look complete upstream. */
  private Flux<DataBuffer> upload() {
    return super.getBody()
        .onErrorMap(gone -> new ClientGone())
        .concatWith(
            Mono.defer(
                () ->
                    ConnectionGuard.broken(getDelegate())
                        ? Mono.error(new ClientGone())
                        : Mono.empty()));
  }
}
