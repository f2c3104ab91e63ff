package io.penstock.gateway;

import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An answer that is read while it is written; its bytes are not touched. */
final class TappedResponse extends ServerHttpResponseDecorator {
  private final Tap tap;
  private final AtomicBoolean ended = new AtomicBoolean();

  TappedResponse(ServerHttpResponse response, Tap tap) {
    super(response);
    this.tap = tap;
  }

  /** Returns another response, tapped by the same tap. */
  TappedResponse over(ServerHttpResponse response) {
    return new TappedResponse(response, tap);
  }

  Tap tap() {
    return tap;
  }

  @Override
  public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
    begin();
    return super.writeWith(tapped(body));
  }

  @Override
  public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
    begin();
    return super.writeAndFlushWith(TappedParts.of(body, tap::passes, tap::ends));
  }

  private Flux<DataBuffer> tapped(Publisher<? extends DataBuffer> body) {
    return TappedParts.ended(Flux.<DataBuffer>from(body).doOnNext(tap::passes), tap::ends);
  }

  private void begin() {
    if (ended.compareAndSet(false, true)) {
      tap.begins(getHeaders().getFirst(HttpHeaders.CONTENT_TYPE));
      Head.write(getHeaders(), tap.passage(), tap.settlement());
    }
  }
}
