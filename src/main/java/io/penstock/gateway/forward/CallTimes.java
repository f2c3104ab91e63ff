package io.penstock.gateway.forward;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.explain.BindingLimit;
import io.penstock.gateway.request.RequestContext;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionUse;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.UpstreamWatch;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.NettyOutbound;
import reactor.netty.NettyPipeline;
import reactor.netty.channel.AbortedException;
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
  private final @Nullable TicketSettlement ticketSettlement;
  private final UpstreamSpec.Timeouts timeouts;
  private final Ticker ticker;

  /** Whether the call has, or has had, a connection. */
  private volatile boolean connected;

  /** The use of the connection that the call has; null before it has one. */
  private volatile @Nullable ConnectionUse use;

  CallTimes(RequestContext requestContext, UpstreamSpec.Timeouts timeouts, Ticker ticker) {
    this.requestContext = requestContext;
    // a later attempt may have begun when the end of a request is noticed
    this.ticketSettlement = requestContext.settlement();
    this.timeouts = timeouts;
    this.ticker = ticker;
  }

  /**
   * Handles the beginning of the request: the connection is there, and nothing is written yet.
   * Returns what sends the request.
   */
  NettyOutbound send(HttpClientRequest head, NettyOutbound outbound, Publisher<ByteBuf> body) {
    outbound.withConnection(connection -> connected(head, connection));
    return outbound.send(body).then(Mono.fromRunnable(() -> written(outbound)));
  }

  /** Returns that an upstream's connection holds the request, or null once there is one. */
  @Nullable BindingLimit connecting(UpstreamSpec upstream) {
    return connected ? null : BindingLimit.connecting(upstream.id());
  }

  private void connected(HttpClientRequest request, Connection connection) {
    request.responseTimeout(Duration.ofNanos(timeouts.firstByteNanos()));
    // a connection on which nothing of a request was sent, because its body broke, is used again
    unwatch(connection);
    connected = true;
    ConnectionUse taken = ConnectionUse.of(connection.channel());
    use = taken;
    if (taken != null) {
      taken.begins();
    }
    // a small request is written at once, whether the upstream reads it or not
    if (!requestContext.weighed() || requestContext.body().size() > SMALL_BYTES) {
      connection.channel().pipeline().addFirst(WATCH, UpstreamWatch.ofRequest(timeouts));
    }
  }

  private void written(NettyOutbound outbound) {
    outbound.withConnection(CallTimes::unwatch);
    ConnectionUse taken = use;
    if (taken != null) {
      taken.written();
    }
    if (ticketSettlement != null) {
      ticketSettlement.written(ticker.nanos());
    }
  }

  /**
   * Returns whether an error of the call shows only that the upstream had closed the connection
   * while it was idle, so that nothing is known of the upstream itself.
   */
  boolean metClosedConnection(Throwable error) {
    ConnectionUse taken = use;
    boolean broke = error instanceof IOException || error instanceof AbortedException;
    return broke && taken != null && taken.wasClosedWhileIdle();
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
  void answered(HttpClientResponse response, Connection connection) {
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
