package io.penstock.gateway.forward;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionUse;
import io.penstock.wire.UpstreamConnections;
import java.net.URI;
import javax.net.ssl.SSLException;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/**
 * Sends requests to upstreams over HTTP. The framework's own routing would create a route and an
 * exchange for each attempt and copy all headers six times. Safe from any thread.
 */
public final class UpstreamCall {
  private final UpstreamConnections upstreamConnections;
  private final Ticker ticker;

  public UpstreamCall(UpstreamConnections upstreamConnections, Ticker ticker) {
    this.upstreamConnections = upstreamConnections;
    this.ticker = ticker;
  }

  /**
   * Returns the answer, once enough of it is there to know what it is, see {@link
   * UpstreamAnswer#begun}; cancelling it closes the connection. A request that met a connection
   * which the upstream had closed while it was idle is sent once more, over a new connection: that
   * is no attempt of its own.
   *
   * @param exchange the exchange with the client
   * @param fresh whether to make a new connection: after one was lost, idle ones may be lost too
   */
  Mono<UpstreamAnswer> run(
      ServerWebExchange exchange,
      UpstreamSpec upstream,
      OutgoingRequest outgoingRequest,
      boolean fresh,
      UpstreamAnswer.Learner learner) {
    UpstreamConnections.Clients clients;
    try {
      clients = upstreamConnections.clients(upstream);
    } catch (SSLException unreadable) {
      return Mono.error(unreadable);
    }
    RequestContext requestContext = RequestContext.of(exchange);
    CallTimes times = new CallTimes(requestContext, upstream.link().timeouts(), ticker);
    HttpClient client = fresh ? clients.fresh() : clients.pooled();
    return requestContext
        .held(
            () -> times.connecting(upstream),
            sent(client, exchange, outgoingRequest, times, learner))
        .onErrorResume(
            times::metClosedConnection,
            closed ->
                requestContext
                    .loop()
                    .begin(
                        Mono.defer(
                            () ->
                                requestContext.repeatable()
                                    ? sent(
                                        clients.fresh(), exchange, outgoingRequest, times, learner)
                                    : Mono.error(new ConnectionUse.ClosedWhileIdle(closed)))));
  }

  private static Mono<UpstreamAnswer> sent(
      HttpClient client,
      ServerWebExchange exchange,
      OutgoingRequest outgoingRequest,
      CallTimes times,
      UpstreamAnswer.Learner learner) {
    return UpstreamAnswer.only(
        client
            .headers(headers -> headers.set(outgoingRequest.headers()))
            .request(HttpMethod.valueOf(outgoingRequest.method()))
            .uri(ascii(outgoingRequest.target()))
            .send(
                (head, outbound) -> {
                  if (outgoingRequest.withoutUserAgent()) {
                    head.requestHeaders().remove(HttpHeaderNames.USER_AGENT);
                  }
                  return times.send(head, outbound, outgoingRequest.body());
                })
            .responseConnection(
                (head, connection) -> {
                  times.answered(head, connection);
                  return UpstreamAnswer.begun(head, connection, exchange, learner);
                }));
  }

  /**
   * Escapes characters beyond ASCII. The client would parse a string with a regular expression each
   * time.
   */
  private static URI ascii(URI target) {
    String text = target.toString();
    String ascii = target.toASCIIString();
    return text.equals(ascii) ? target : URI.create(ascii);
  }
}
