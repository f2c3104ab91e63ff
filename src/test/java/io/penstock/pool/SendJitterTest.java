package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendJitterTest {
  private final SendJitter sendJitter = new SendJitter();

  @Test
  void oneSample_hasNoSpread() {
    assertThat(sendJitter.add(500)).isZero();
  }

  @Test
  void fewSamples_areSpreadFromTheLeastToTheMost() {
    sendJitter.add(500);
    sendJitter.add(900);
    assertThat(sendJitter.add(700)).isEqualTo(400);
  }

  @Test
  void outliersBeyondTheHundredth_doNotCount() {
    long last = 0;
    for (int sample = 0; sample < 992; sample++) {
      last = sendJitter.add(sample % 2 == 0 ? 100 : 200);
    }
    assertThat(last).isEqualTo(100);
    for (int sample = 0; sample < 8; sample++) {
      sendJitter.add(1_000_000);
    }
    for (int sample = 0; sample < 32; sample++) {
      last = sendJitter.add(sample % 2 == 0 ? 100 : 200);
    }
    assertThat(last).isEqualTo(100);
  }

  @Test
  void olderThanAThousand_areForgotten() {
    long last = 0;
    for (int sample = 0; sample < 1_000; sample++) {
      sendJitter.add(sample * 1_000L);
    }
    for (int sample = 0; sample < 1_024; sample++) {
      last = sendJitter.add(7);
    }
    assertThat(last).isZero();
  }

  @Test
  void moreThanThirtyTwo_areLookedAtAtEveryThirtySecond() {
    for (int sample = 0; sample < 32; sample++) {
      sendJitter.add(100);
    }
    assertThat(sendJitter.add(900)).isZero();
    for (int sample = 34; sample < 64; sample++) {
      assertThat(sendJitter.add(100)).isZero();
    }
    assertThat(sendJitter.add(100)).isEqualTo(800);
  }

  @Test
  void hundredthAtEitherEnd_isLeftOutOfAThousand() {
    long last = 0;
    for (int sample = 0; sample < 1_024; sample++) {
      last = sendJitter.add(sample);
    }
    // samples 24 to 1,023: p1 is the tenth smallest, 33, and p99 the tenth largest, 1,014
    assertThat(last).isEqualTo(981);
  }
}
