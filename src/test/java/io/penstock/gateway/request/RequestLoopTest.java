package io.penstock.gateway.request;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class RequestLoopTest {
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final EventLoop loop = new DefaultEventLoop();
  private final RequestLoop requestLoop = new RequestLoop(loop);

  private static <T> void yields(Publisher<T> results, List<T> expected) {
    StepVerifier.create(results).expectNextSequence(expected).expectComplete().verify(LONGEST);
  }

  private boolean here() {
    return loop.inEventLoop();
  }

  @Test
  void resultsOfOtherThreads_areDeliveredOnTheLoop() {
    yields(requestLoop.handOver(Mono.just(1), unwanted -> {}).map(one -> here()), List.of(true));
    yields(requestLoop.handOver(Flux.just(1)).map(one -> here()), List.of(true));
    yields(requestLoop.begin(Mono.fromCallable(this::here)), List.of(true));
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void loopThatHasEnded_losesNoResult() {
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    loop.terminationFuture().syncUninterruptibly();
    yields(requestLoop.handOver(Mono.just(1), unwanted -> {}), List.of(1));
    yields(requestLoop.handOver(Flux.just(1, 2)), List.of(1, 2));
    yields(requestLoop.begin(Mono.just(3)), List.of(3));
  }
}
