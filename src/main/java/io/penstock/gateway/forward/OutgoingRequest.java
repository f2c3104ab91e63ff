package io.penstock.gateway.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.WithheldHeaders;
import io.penstock.gateway.body.BadUpload;
import io.penstock.gateway.request.ClientGone;
import io.penstock.gateway.request.RequestContext;
import io.penstock.json.BodyEdit;
import io.penstock.json.BodyEdits;
import io.penstock.pool.Addition;
import io.penstock.pool.UpstreamSpec;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.HeaderNames;
import java.net.URI;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;

/** The request as one upstream gets it, in one attempt. */
final class OutgoingRequest {
  private static final NettyDataBufferFactory FACTORY =
      new NettyDataBufferFactory(PooledByteBufAllocator.DEFAULT);

  private final ServerHttpRequest request;
  private final URI target;
  private final HttpHeaders headers;
  private final RequestContext requestContext;
  private final List<BodyEdit> edits;
  private final Set<Addition> added;
  private long uploaded;

  private OutgoingRequest(
      ServerHttpRequest request,
      URI target,
      HttpHeaders headers,
      RequestContext requestContext,
      List<BodyEdit> edits,
      Set<Addition> added) {
    this.added = added;
    this.request = request;
    this.target = target;
    this.headers = headers;
    this.requestContext = requestContext;
    this.edits = edits;
  }

  /**
   * Returns the request for one attempt.
   *
   * @param target the URI to request at the upstream
   * @param changes changes to a body that is in memory
   * @param origin adds headers that tell which client asked
   * @param withheld what is not added
   */
  static OutgoingRequest of(
      ServerWebExchange exchange,
      UpstreamSpec upstream,
      URI target,
      BodyChanges changes,
      ForwardedHeaders origin,
      Set<Addition> withheld) {
    Set<Addition> added = EnumSet.noneOf(Addition.class);
    added.addAll(changes.added());
    ServerHttpRequest request = exchange.getRequest();
    RequestContext requestContext = RequestContext.of(exchange);
    HttpHeaders headers = passed(request, requestContext, upstream);
    origin.addTo(
        exchange, requestContext.endpoint().spec().forwarding().headers().ofRequests(), headers);
    boolean identified = headers.contains(HeaderNames.REQUEST_ID);
    if (identified || !withheld.contains(Addition.REQUEST_ID)) {
      headers.set(HeaderNames.REQUEST_ID, requestContext.requestId());
    }
    if (!identified) {
      added.add(Addition.REQUEST_ID);
    }
    if (upstream.access().apiKey() != null && !passthrough(requestContext, upstream)) {
      requestContext
          .upstreamProtocol()
          .credentials(upstream.access().apiKey())
          .forEach(headers::set);
    }
    upstream.access().headers().forEach(headers::set);
    headers.remove(HttpHeaderNames.HOST); // the HTTP client sets that of the upstream
    if (!headers.contains(HttpHeaderNames.USER_AGENT)) {
      added.add(Addition.USER_AGENT); // by the HTTP client
    }
    if (!withheld.contains(Addition.TRACE)) {
      int before = headers.size();
      requestContext.trail().setTraceHeaders(headers);
      if (headers.size() > before) {
        added.add(Addition.TRACE);
      }
    }
    if (requestContext.weighed()) {
      headers.set(
          HttpHeaderNames.CONTENT_LENGTH,
          requestContext.body().size() + BodyEdits.grown(changes.edits()));
      headers.remove(HttpHeaderNames.CONTENT_ENCODING); // it was inflated
      if (!withheld.contains(Addition.ACCEPT_ENCODING)) {
        // A compressed answer would hide its usage.
        headers.set(HttpHeaderNames.ACCEPT_ENCODING, "identity");
        added.add(Addition.ACCEPT_ENCODING);
      }
    }
    added.removeAll(withheld);
    return new OutgoingRequest(request, target, headers, requestContext, changes.edits(), added);
  }

  /** Returns whether the HTTP client must not state its own name. */
  boolean withoutUserAgent() {
    return !headers.contains(HttpHeaderNames.USER_AGENT) && !added.contains(Addition.USER_AGENT);
  }

  /** Returns what the gateway has added by itself. */
  Set<Addition> added() {
    return added;
  }

  /** Returns whether requests of a client go to an upstream with the client's own credentials. */
  static boolean passthrough(RequestContext requestContext, UpstreamSpec upstream) {
    return upstream.access().passthrough() && requestContext.client().ownCredentials();
  }

  /** Returns the client's headers, without those that are not for the upstream. */
  private static HttpHeaders passed(
      ServerHttpRequest request, RequestContext requestContext, UpstreamSpec upstream) {
    HttpServerRequest asked = ServerHttpRequestDecorator.getNativeRequest(request);
    Set<String> forThisHop =
        HeaderNames.forThisHop(asked.requestHeaders().getAll(HttpHeaderNames.CONNECTION));
    boolean passthrough = passthrough(requestContext, upstream);
    Set<String> listed = requestContext.endpoint().spec().forwarding().headers().ofRequests();
    boolean chunked = asked.requestHeaders().contains(HttpHeaderNames.TRANSFER_ENCODING);
    HttpHeaders headers = new DefaultHttpHeaders();
    Iterator<Map.Entry<String, String>> all = asked.requestHeaders().iteratorAsString();
    while (all.hasNext()) {
      Map.Entry<String, String> each = all.next();
      String lower = each.getKey().toLowerCase(Locale.ROOT);
      boolean stays =
          HeaderNames.FOR_THE_GATEWAY.contains(lower)
              || requestContext.parameters().readHeaders().contains(lower)
              || HeaderNames.isHopByHop(lower)
              || forThisHop.contains(lower)
              || ForwardedHeaders.isOne(lower)
              || HeaderNames.overridesCall(lower)
              || (!passthrough && DialectTable.CREDENTIALS.contains(lower))
              || (WithheldHeaders.OF_REQUESTS.keeps(lower, listed)
                  // who sends credentials of its own also says whom to bill
                  && !(passthrough && WithheldHeaders.choosesBilling(lower)))
              // a body has only one length: other servers go by the chunks
              || (chunked && lower.equals("content-length"));
      if (!stays) {
        headers.add(each.getKey(), each.getValue());
      }
    }
    return headers;
  }

  String method() {
    return request.getMethod().name();
  }

  URI target() {
    return target;
  }

  HttpHeaders headers() {
    return headers;
  }

  /** Returns the body; as a {@link Mono} when it is in one piece. */
  Publisher<ByteBuf> body() {
    if (!requestContext.weighed()) {
      return upload().map(OutgoingRequest::bytes);
    }
    Mono<DataBuffer> one = edits.isEmpty() ? requestContext.body().onePiece(FACTORY) : null;
    return one != null
        ? one.map(OutgoingRequest::bytes)
        : requestContext
            .body()
            .publish(FACTORY, edits, requestContext.loop().nextTurn())
            .map(OutgoingRequest::bytes);
  }

  private static ByteBuf bytes(DataBuffer buffer) {
    return NettyDataBufferFactory.toByteBuf(buffer);
  }

  private void uploads() {
    String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    if ((length != null && !length.equals("0"))
        || request.getHeaders().containsHeader("Transfer-Encoding")) {
      requestContext.uploads();
    }
  }

  /**
   * Streams the client's body as it comes. If the client breaks off, the body must not look
   * complete to the upstream.
   */
  private Flux<DataBuffer> upload() {
    long most = requestContext.endpoint().spec().reading().maxUploadBytes();
    return request
        .getBody()
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
        .doOnError(BadUpload.class, requestContext::uploadFails)
        .concatWith(
            Mono.defer(
                () ->
                    ConnectionGuard.broken(request) ? Mono.error(new ClientGone()) : Mono.empty()));
  }
}
