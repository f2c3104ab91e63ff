package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

@Isolated("virtual time replaces the schedulers of the whole JVM")
class MockPaceTest {
  @Test
  void slow_eachTokenAtItsInstant() {
    MockPace pace = MockPace.of(3, 10);
    assertThat(pace).isEqualTo(new MockPace(300_000_000, 3, 3));
    StepVerifier.withVirtualTime(() -> pace.dueTokens(Schedulers.parallel()))
        .expectSubscription()
        .expectNoEvent(Duration.ofNanos(99_999_999))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(1)
        .expectNoEvent(Duration.ofNanos(99_999_999))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(2)
        .thenAwait(Duration.ofMillis(100))
        .expectNext(3)
        .verifyComplete();
  }

  @Test
  void fast_severalTokensATick_lastAtTheEnd() {
    MockPace pace = MockPace.of(1_003, 1_000);
    assertThat(pace.totalNanos()).isEqualTo(1_003_000_000L);
    assertThat(pace.ticks()).isEqualTo(100);
    StepVerifier.withVirtualTime(() -> pace.dueTokens(Schedulers.parallel()).takeLast(2))
        .expectSubscription()
        .expectNoEvent(Duration.ofNanos(1_002_999_999))
        .thenAwait(Duration.ofNanos(1))
        .expectNext(992, 1_003)
        .verifyComplete();
  }

  @Test
  void shorterThanATick_oneTick() {
    assertThat(MockPace.of(5, 10_000)).isEqualTo(new MockPace(500_000, 1, 5));
    assertThat(MockPace.of(5, 10_000).atOnce()).isFalse();
  }

  @Test
  void hundredASecond_oneTokenATick() {
    assertThat(MockPace.of(50, 100).ticks()).isEqualTo(50);
    assertThat(MockPace.of(7, 0.001)).isEqualTo(new MockPace(7_000_000_000_000L, 7, 7));
  }

  @Test
  void unpaced_allAtOnce_inPieces() {
    assertThat(MockPace.of(1_024, 0).atOnce()).isTrue();
    assertThat(MockPace.of(1_025, 0).atOnce()).isFalse();
    StepVerifier.create(MockPace.of(2_049, 0).dueTokens(Schedulers.parallel()))
        .expectNext(683, 1_366, 2_049)
        .verifyComplete();
  }

  @Test
  void slowReader_missesTicks_neverTokens() {
    VirtualTimeScheduler timers = VirtualTimeScheduler.create();
    StepVerifier.create(MockPace.of(10, 10).dueTokens(timers), 0)
        .then(() -> timers.advanceTimeBy(Duration.ofMillis(700)))
        .thenRequest(1)
        .expectNext(7)
        .then(() -> timers.advanceTimeBy(Duration.ofMillis(300)))
        .thenRequest(1)
        .expectNext(10)
        .verifyComplete();
  }
}
