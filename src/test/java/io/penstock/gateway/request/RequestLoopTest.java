package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class RequestLoopTest {
  private final EventLoop loop = new DefaultEventLoop();
  private final RequestLoop requestLoop = new RequestLoop(loop);

  @Test
  void resultsOfOtherThreads_areDeliveredOnTheLoop() {
    List<Boolean> onLoop = new ArrayList<>();
    requestLoop.handOver(Mono.just(1), unwanted -> {}).doOnNext(one -> onLoop.add(here())).block();
    requestLoop.handOver(Flux.just(1)).doOnNext(one -> onLoop.add(here())).blockLast();
    requestLoop.begin(Mono.fromRunnable(() -> onLoop.add(here()))).block();
    assertThat(onLoop).containsExactly(true, true, true);
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private boolean here() {
    return loop.inEventLoop();
  }

  @Test
  void loopThatHasEnded_losesNoResult() {
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    loop.terminationFuture().syncUninterruptibly();
    Duration longest = Duration.ofMinutes(1);
    assertThat(requestLoop.handOver(Mono.just(1), unwanted -> {}).block(longest)).isEqualTo(1);
    assertThat(requestLoop.handOver(Flux.just(1, 2)).collectList().block(longest))
        .containsExactly(1, 2);
    assertThat(requestLoop.begin(Mono.just(3)).block(longest)).isEqualTo(3);
  }
}
