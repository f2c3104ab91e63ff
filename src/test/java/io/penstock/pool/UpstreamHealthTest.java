package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that exactly the calls that open the gate return that they did. */
class UpstreamHealthTest {
  private static final long SECOND = 1_000_000_000L;

  private final UpstreamHealth upstreamHealth = new UpstreamHealth();

  @Test
  void answerOfOneThatIsWell_opensNothing() {
    assertThat(upstreamHealth.answered(0)).isFalse();
    assertThat(upstreamHealth.well()).isTrue();
  }

  @Test
  void answerToATrial_opensIt_once() {
    upstreamHealth.broken(0);
    assertThat(upstreamHealth.answered(SECOND - 1)).as("sent before it was shut").isFalse();
    assertThat(upstreamHealth.well()).isFalse();
    assertThat(upstreamHealth.answered(SECOND)).isTrue();
    assertThat(upstreamHealth.well()).isTrue();
    assertThat(upstreamHealth.answered(SECOND)).isFalse();
  }

  @Test
  void forgetting_saysWhetherItWasShut() {
    assertThat(upstreamHealth.forget()).isFalse();
    upstreamHealth.broken(0);
    assertThat(upstreamHealth.forget()).isTrue();
    assertThat(upstreamHealth.gate().opens(0)).isZero();
    assertThat(upstreamHealth.forget()).isFalse();
  }
}
