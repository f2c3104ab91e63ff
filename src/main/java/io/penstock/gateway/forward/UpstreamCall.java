package io.penstock.gateway.forward;

import io.netty.handler.codec.http.HttpMethod;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
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
   * UpstreamAnswer#begun}; cancelling it closes the connection.
   *
   * @param exchange the exchange with the client
   */
  Mono<UpstreamAnswer> run(
      ServerWebExchange exchange,
      UpstreamSpec upstream,
      OutgoingRequest outgoingRequest,
      UpstreamAnswer.Learner learner) {
    HttpClient client;
    try {
      client = upstreamConnections.client(upstream);
    } catch (SSLException unreadable) {
      return Mono.error(unreadable);
    }
    CallTimes times =
        new CallTimes(RequestContext.of(exchange), upstream.link().timeouts(), ticker);
    return UpstreamAnswer.only(
        client
            .headers(headers -> headers.set(outgoingRequest.headers()))
            .request(HttpMethod.valueOf(outgoingRequest.method()))
            .uri(ascii(outgoingRequest.target()))
            .send((head, outbound) -> times.send(head, outbound, outgoingRequest.body()))
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
