package io.penstock.gateway;

import io.penstock.pool.UpstreamSpec;
import io.penstock.provider.Edit;
import io.penstock.provider.Edits;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
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
  private final List<Edit> edits;
  private long uploaded;

  private OutgoingRequest(
      ServerHttpRequest request, HttpHeaders headers, Passage passage, List<Edit> edits) {
    super(request);
    this.headers = headers;
    this.passage = passage;
    this.edits = edits;
  }

  /** Returns the request for one attempt; {@code edits} are made to a body that is held. */
  static ServerHttpRequest of(
      ServerHttpRequest request, Passage passage, UpstreamSpec upstream, List<Edit> edits) {
    HttpHeaders headers = headers(request.getHeaders(), passage, upstream);
    if (passage.weighed()) {
      headers.setContentLength(passage.body().size() + Edits.grown(edits));
      headers.remove(HttpHeaders.TRANSFER_ENCODING);
      // A compressed answer would hide its usage.
      headers.set(HttpHeaders.ACCEPT_ENCODING, "identity");
    }
    return new OutgoingRequest(request, headers, passage, edits);
  }

  /** Returns what an upstream is told in headers, but of the body. */
  static HttpHeaders headers(HttpHeaders asked, Passage passage, UpstreamSpec upstream) {
    HttpHeaders headers = new HttpHeaders();
    Set<String> forThisHop = Names.forThisHop(asked.getConnection());
    boolean passthrough = upstream.access().passthrough() && passage.visitor().ownCredentials();
    asked.forEach(
        (name, values) -> {
          String lower = name.toLowerCase(Locale.ROOT);
          if (!Names.FOR_THE_GATEWAY.contains(lower)
              && (passthrough || !Names.CREDENTIALS.contains(lower))
              && !forThisHop.contains(lower)) {
            headers.addAll(name, values);
          }
        });
    headers.set(Names.REQUEST_ID, passage.requestId());
    if (upstream.access().apiKey() != null && !passthrough) {
      passage.speech().credentials(upstream.access().apiKey()).forEach(headers::set);
    }
    upstream.access().headers().forEach(headers::set);
    passage.trail().tells(headers);
    return headers;
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return passage.weighed()
        ? passage
            .body()
            .publish(
                FACTORY,
                edits,
                Elsewhere.nextTurn(ConnectionGuard.channel(getDelegate()).eventLoop()))
        : upload();
  }

  private void uploads() {
    if (headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING)) {
      passage.uploads();
    }
  }

  /** What the client sends as it comes; what it breaks off must not look complete upstream. */
  private Flux<DataBuffer> upload() {
    long most = passage.endpoint().spec().reading().maxUploadBytes();
    return super.getBody()
        .doOnSubscribe(subscription -> uploads())
        .onErrorMap(error -> error instanceof BadUpload ? error : new ClientGone())
        .<DataBuffer>handle(
            (piece, sink) -> {
              uploaded += piece.readableByteCount();
              if (uploaded > most) {
                DataBufferUtils.release(piece);
                sink.error(BadUpload.tooLarge(most));
              } else {
                sink.next(piece);
              }
            })
        .doOnError(BadUpload.class, passage::uploadFails)
        .concatWith(
            Mono.defer(
                () ->
                    ConnectionGuard.broken(getDelegate())
                        ? Mono.error(new ClientGone())
                        : Mono.empty()));
  }
}
