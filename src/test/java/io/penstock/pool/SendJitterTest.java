package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendJitterTest {
  private final SendJitter jitter = new SendJitter();

  @Test
  void oneSample_hasNoSpread() {
    assertThat(jitter.add(500)).isZero();
  }

  @Test
  void fewSamples_areSpreadFromTheLeastToTheMost() {
    jitter.add(500);
    jitter.add(900);
    assertThat(jitter.add(700)).isEqualTo(400);
  }

  @Test
  void outliersBeyondTheHundredth_doNotCount() {
    long last = 0;
    for (int sample = 0; sample < 992; sample++) {
      last = jitter.add(sample % 2 == 0 ? 100 : 200);
    }
    assertThat(last).isEqualTo(100);
    for (int sample = 0; sample < 8; sample++) {
      jitter.add(1_000_000);
    }
    for (int sample = 0; sample < 32; sample++) {
      last = jitter.add(sample % 2 == 0 ? 100 : 200);
    }
    assertThat(last).isEqualTo(100);
  }

  @Test
  void olderThanAThousand_areForgotten() {
    long last = 0;
    for (int sample = 0; sample < 1_000; sample++) {
      jitter.add(sample * 1_000L);
    }
    for (int sample = 0; sample < 1_024; sample++) {
      last = jitter.add(7);
    }
    assertThat(last).isZero();
  }

  @Test
  void moreThanThirtyTwo_areLookedAtAtEveryThirtySecond() {
    for (int sample = 0; sample < 32; sample++) {
      jitter.add(100);
    }
    assertThat(jitter.add(900)).isZero();
    for (int sample = 34; sample < 64; sample++) {
      assertThat(jitter.add(100)).isZero();
    }
    assertThat(jitter.add(100)).isEqualTo(800);
  }

  @Test
  void hundredthAtEitherEnd_isLeftOutOfAThousand() {
    long last = 0;
    for (int sample = 0; sample < 1_024; sample++) {
      last = jitter.add(sample);
    }
    // samples 24 to 1,023: p1 is the tenth smallest, 33, and p99 the tenth largest, 1,014
    assertThat(last).isEqualTo(981);
  }
}
