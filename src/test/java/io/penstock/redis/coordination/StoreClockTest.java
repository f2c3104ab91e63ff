package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreClockTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 7 * SECOND;
  private static final long MICROS = 1_700_000_000_000_000L;

  /** Best precision with which the clock of Redis is known. */
  private static final long UNSURE = 200;

  private final StoreClock.RedisClock clock = new StoreClock.RedisClock(2_000_000);

  @Test
  void clockThatWasNeverHeard_saysThatItIsNow_andEndsNothing() {
    assertThat(clock.localNanos(MICROS, NOW)).isEqualTo(NOW);
    assertThat(clock.fence(NOW)).isEmpty();
    assertThat(clock.now()).isEmpty();
  }

  @Test
  void instantToCome_isTheOneAtWhichRedisSurelySaysIt_andOneThatIsOverIsNow() {
    clock.addReading(NOW, NOW, MICROS);
    assertThat(clock.localNanos(MICROS + 5, NOW)).isEqualTo(NOW + 5_000 + UNSURE);
    assertThat(clock.localNanos(MICROS - 5, NOW)).isEqualTo(NOW);
  }

  @Test
  void whatIsSentNow_mayBeDoneForAsLongAsItIsWaitedFor() {
    clock.addReading(NOW, NOW, MICROS);
    assertThat(clock.fence(NOW)).isEqualTo(Long.toString(MICROS + 1 + 2_000_000));
  }
}
