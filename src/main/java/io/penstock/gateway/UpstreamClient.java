package io.penstock.gateway;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.penstock.endpoint.Settlement;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.config.HttpClientCustomizer;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientRequest;
import reactor.netty.http.client.HttpClientResponse;
import reactor.util.context.ContextView;

/** What the gateway does at the turning points of a call to an upstream. */
final class UpstreamClient implements HttpClientCustomizer {
  private final Ticker ticker;

  UpstreamClient(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public HttpClient customize(HttpClient client) {
    return client
        .doOnRequest((request, connection) -> connected(request))
        .doAfterRequest((request, connection) -> written(request))
        .doOnResponse(UpstreamClient::answered);
  }

  private static void connected(HttpClientRequest request) {
    UpstreamSpec.Timeouts timeouts = timeouts(passage(request.currentContextView()));
    if (timeouts != null) {
      request.responseTimeout(Duration.ofNanos(timeouts.firstByteNanos()));
    }
  }

  private void written(HttpClientRequest request) {
    Passage passage = passage(request.currentContextView());
    Settlement settlement = passage == null ? null : passage.settlement();
    if (settlement != null) {
      settlement.written(ticker.nanos());
    }
  }

  /**
   * The status line is there: nobody will ask for the body again, and a stall is a shorter wait.
   */
  private static void answered(HttpClientResponse response, Connection connection) {
    Passage passage = passage(response.currentContextView());
    UpstreamSpec.Timeouts timeouts = timeouts(passage);
    if (passage != null) {
      passage.body().free();
    }
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (timeouts != null && pipeline.get(NettyPipeline.ResponseTimeoutHandler) != null) {
      pipeline.replace(
          NettyPipeline.ResponseTimeoutHandler,
          NettyPipeline.ResponseTimeoutHandler,
          new ReadTimeoutHandler(timeouts.stallNanos(), TimeUnit.NANOSECONDS));
    }
  }

  private static @Nullable Passage passage(ContextView context) {
    return context.getOrDefault(Passage.class, null);
  }

  private static UpstreamSpec.@Nullable Timeouts timeouts(@Nullable Passage passage) {
    Settlement settlement = passage == null ? null : passage.settlement();
    Upstream upstream = settlement == null ? null : settlement.upstream();
    return upstream == null ? null : upstream.spec().timeouts();
  }
}
