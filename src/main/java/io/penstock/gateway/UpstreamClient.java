package io.penstock.gateway;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import io.penstock.wire.AnswerGuard;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.UpstreamWatch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.LoopResources;
import reactor.util.context.ContextView;

/**
 * Configures HTTP clients for upstreams: adds timeouts and records times at each stage of a call.
 */
final class UpstreamClient {
  /** Half of the bytes that a connection buffers, by default, before it stops being writable. */
  private static final int SMALL_BYTES = 32 << 10;

  private static final String WATCH = "penstock.watch";

  private final Ticker ticker;
  private final LoopResources loops;

  /**
   * Creates a configuration that calls upstreams on the event loops of the clients, so that a
   * request stays on one thread.
   */
  UpstreamClient(Ticker ticker, LoopResources loops) {
    this.ticker = ticker;
    this.loops = loops;
  }

  HttpClient customize(HttpClient client) {
    return client
        .runOn(loops)
        .doOnChannelInit((observer, channel, address) -> AnswerGuard.install(channel))
        .doOnRequest(UpstreamClient::connected)
        .doAfterRequest(this::written)
        .doOnResponse(UpstreamClient::answered);
  }

  private static void connected(HttpClientRequest request, Connection connection) {
    RequestContext requestContext = passage(request.currentContextView());
    UpstreamSpec.Timeouts timeouts = timeouts(requestContext);
    if (timeouts == null) {
      return;
    }
    request.responseTimeout(Duration.ofNanos(timeouts.firstByteNanos()));
    // a small request is written at once, whether the upstream reads it or not
    if (requestContext == null
        || !requestContext.weighed()
        || requestContext.body().size() > SMALL_BYTES) {
      connection.channel().pipeline().addFirst(WATCH, UpstreamWatch.ofRequest(timeouts));
    }
  }

  private void written(HttpClientRequest request, Connection connection) {
    unwatch(connection);
    RequestContext requestContext = passage(request.currentContextView());
    TicketSettlement ticketSettlement = requestContext == null ? null : requestContext.settlement();
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
  private static void answered(HttpClientResponse response, Connection connection) {
    RequestContext requestContext = passage(response.currentContextView());
    UpstreamSpec.Timeouts timeouts = timeouts(requestContext);
    HttpHeaders headers = response.responseHeaders();
    HeaderNames.forThisHop(headers.getAll(HttpHeaderNames.CONNECTION)).forEach(headers::remove);
    unwatch(connection);
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (timeouts != null && pipeline.get(NettyPipeline.ResponseTimeoutHandler) != null) {
      pipeline.replace(
          NettyPipeline.ResponseTimeoutHandler,
          NettyPipeline.ResponseTimeoutHandler,
          UpstreamWatch.ofAnswer(timeouts));
    }
  }

  private static @Nullable RequestContext passage(ContextView context) {
    return context.getOrDefault(RequestContext.class, null);
  }

  private static UpstreamSpec.@Nullable Timeouts timeouts(@Nullable RequestContext requestContext) {
    TicketSettlement ticketSettlement = requestContext == null ? null : requestContext.settlement();
    Upstream upstream = ticketSettlement == null ? null : ticketSettlement.upstream();
    return upstream == null ? null : upstream.spec().link().timeouts();
  }
}
