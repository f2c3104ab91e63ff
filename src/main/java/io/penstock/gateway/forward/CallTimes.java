package io.penstock.gateway.forward;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.UpstreamWatch;
import java.time.Duration;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import reactor.netty.http.client.HttpClientResponse;

/**
 * Timeouts and times of one call to an upstream. Handles the stages of the call on its event loop.
 */
final class CallTimes {
  /** Half of the bytes that a connection buffers, by default, before it stops being writable. */
  private static final int SMALL_BYTES = 32 << 10;

  private static final String WATCH = "penstock.watch";

  private final RequestContext requestContext;
  private final UpstreamSpec.Timeouts timeouts;
  private final Ticker ticker;

  CallTimes(RequestContext requestContext, UpstreamSpec.Timeouts timeouts, Ticker ticker) {
    this.requestContext = requestContext;
    this.timeouts = timeouts;
    this.ticker = ticker;
  }

  /** Returns a client that calls the upstream with these timeouts. */
  HttpClient customize(HttpClient client) {
    return client
        .doOnRequest(this::connected)
        .doAfterRequest(this::written)
        .doOnResponse(this::answered);
  }

  private void connected(HttpClientRequest request, Connection connection) {
    request.responseTimeout(Duration.ofNanos(timeouts.firstByteNanos()));
    // a small request is written at once, whether the upstream reads it or not
    if (!requestContext.weighed() || requestContext.body().size() > SMALL_BYTES) {
      connection.channel().pipeline().addFirst(WATCH, UpstreamWatch.ofRequest(timeouts));
    }
  }

  private void written(HttpClientRequest request, Connection connection) {
    unwatch(connection);
    TicketSettlement ticketSettlement = requestContext.settlement();
    if (ticketSettlement != null) {
      ticketSettlement.written(ticker.nanos());
    }
  }

  private static void unwatch(Connection connection) {
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (pipeline.get(WATCH) != null) {
      pipeline.remove(WATCH);
    }
  }

  /**
   * Handles the status line: from now on the stall timeout applies, not the one for the first byte.
   */
  private void answered(HttpClientResponse response, Connection connection) {
    HttpHeaders headers = response.responseHeaders();
    HeaderNames.forThisHop(headers.getAll(HttpHeaderNames.CONNECTION)).forEach(headers::remove);
    unwatch(connection);
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (pipeline.get(NettyPipeline.ResponseTimeoutHandler) != null) {
      pipeline.replace(
          NettyPipeline.ResponseTimeoutHandler,
          NettyPipeline.ResponseTimeoutHandler,
          UpstreamWatch.ofAnswer(timeouts));
    }
  }
}
