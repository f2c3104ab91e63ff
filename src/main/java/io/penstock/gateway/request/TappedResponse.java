package io.penstock.gateway.request;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Response that is read while it is written. Its bytes are not changed, except that an event is
 * removed that only the gateway asked for, not the client.
 */
public final class TappedResponse extends ServerHttpResponseDecorator {
  private final UsageTap usageTap;
  private final AtomicBoolean ended = new AtomicBoolean();

  public TappedResponse(ServerHttpResponse response, UsageTap usageTap) {
    super(response);
    this.usageTap = usageTap;
  }

  /** Returns another response with the same tap. */
  public TappedResponse over(ServerHttpResponse response) {
    return new TappedResponse(response, usageTap);
  }

  public UsageTap tap() {
    return usageTap;
  }

  @Override
  public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
    HiddenUsage hidden = begin();
    if (hidden == null && body instanceof Mono<? extends DataBuffer> one) {
      return super.writeWith(TappedParts.ended(one.doOnNext(usageTap::passes), usageTap::ends));
    }
    Flux<DataBuffer> tapped = tapped(body);
    return super.writeWith(hidden == null ? tapped : hidden.in(tapped));
  }

  @Override
  public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
    HiddenUsage hidden = begin();
    Flux<Flux<DataBuffer>> tapped = TappedParts.of(body, usageTap::passes, usageTap::ends);
    return super.writeAndFlushWith(hidden == null ? tapped : hidden.inParts(tapped));
  }

  private Flux<DataBuffer> tapped(Publisher<? extends DataBuffer> body) {
    return TappedParts.ended(
        Flux.<DataBuffer>from(body).doOnNext(usageTap::passes), usageTap::ends);
  }

  /**
   * Handles the head of the response. Returns the filter that removes the event the client did not
   * ask for, or null for none.
   */
  private @Nullable HiddenUsage begin() {
    if (!ended.compareAndSet(false, true)) {
      return null;
    }
    HttpHeaders headers = getHeaders();
    String type = headers.getFirst(HttpHeaders.CONTENT_TYPE);
    String encoding = headers.getFirst(HttpHeaders.CONTENT_ENCODING);
    usageTap.begins(getStatusCode(), type, encoding);
    GatewayHeaders.write(headers, usageTap.requestContext(), usageTap.settlement());
    if (!usageTap.requestContext().asksUsage() || encoding != null || !mayBeEvents(type)) {
      return null;
    }
    headers.remove(HttpHeaders.CONTENT_LENGTH);
    return new HiddenUsage(bufferFactory());
  }

  /** Returns whether the body may be a stream of events, which servers call other names, too. */
  private boolean mayBeEvents(@Nullable String type) {
    HttpStatusCode status = getStatusCode();
    return status == null
        || status.is2xxSuccessful()
        || (type != null
            && type.strip().toLowerCase(Locale.ROOT).startsWith(MediaType.TEXT_EVENT_STREAM_VALUE));
  }
}
