package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FakeTicker;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RedisBreakerTest {
  private final FakeTicker ticker = new FakeTicker();
  private final AtomicInteger connections = new AtomicInteger(1);
  private final RedisBreaker breaker = new RedisBreaker(ticker, connections::get);

  private void told(int times, boolean well) {
    for (int i = 0; i < times; i++) {
      breaker.record(well);
    }
  }

  @Test
  void nineteenFailures_changeNothing_andTheTwentiethStopsAll() {
    told(19, false);
    assertThat(breaker.tryAcquire()).isTrue();
    told(1, false);
    assertThat(breaker.tryAcquire()).isFalse();
  }

  @Test
  void lessThanHalfOfTwenty_isLetGo_andHalfIsNot() {
    told(11, true);
    told(9, false);
    assertThat(breaker.tryAcquire()).isTrue();
    told(1, false);
    assertThat(breaker.tryAcquire()).isFalse();
  }

  @Test
  void roundsThatGoWellAfterFailures_stopNothing() {
    told(19, false);
    told(20, true);
    assertThat(breaker.tryAcquire()).isTrue();
  }

  @Test
  void failuresBeforeTheLastTwenty_countNoMore() {
    told(9, false);
    told(20, true);
    told(9, false);
    assertThat(breaker.tryAcquire()).isTrue();
  }

  @Test
  void afterThePause_oneTries_andTheOthersStillWait() {
    told(20, false);
    ticker.advance(RedisBreaker.PAUSE_NANOS - 1);
    assertThat(breaker.tryAcquire()).isFalse();
    ticker.advance(1);
    assertThat(breaker.tryAcquire()).isTrue();
    assertThat(breaker.tryAcquire()).isFalse();
  }

  @Test
  void newConnection_isTriedAtOnce_andOnce() {
    told(20, false);
    connections.incrementAndGet();
    assertThat(breaker.tryAcquire()).isTrue();
    told(1, false);
    assertThat(breaker.tryAcquire()).isFalse();
  }

  @Test
  void tryThatGoesWell_letsAll_andOneThatFailsWaitsAgain() {
    told(20, false);
    ticker.advance(RedisBreaker.PAUSE_NANOS);
    assertThat(breaker.tryAcquire()).isTrue();
    told(1, false);
    assertThat(breaker.tryAcquire()).isFalse();
    ticker.advance(RedisBreaker.PAUSE_NANOS);
    assertThat(breaker.tryAcquire()).isTrue();
    told(1, true);
    told(19, false);
    assertThat(breaker.tryAcquire()).isTrue();
  }
}
