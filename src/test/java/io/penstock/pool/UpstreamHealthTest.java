package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that exactly the calls that open the gate return that they did. */
class UpstreamHealthTest {
  private static final long SECOND = 1_000_000_000L;

  private final UpstreamHealth health = new UpstreamHealth();

  @Test
  void answerOfOneThatIsWell_opensNothing() {
    assertThat(health.answered(0)).isFalse();
    assertThat(health.well()).isTrue();
  }

  @Test
  void answerToATrial_opensIt_once() {
    health.broken(0);
    assertThat(health.answered(SECOND - 1)).as("sent before it was shut").isFalse();
    assertThat(health.well()).isFalse();
    assertThat(health.answered(SECOND)).isTrue();
    assertThat(health.well()).isTrue();
    assertThat(health.answered(SECOND)).isFalse();
  }

  @Test
  void forgetting_saysWhetherItWasShut() {
    assertThat(health.forget()).isFalse();
    health.broken(0);
    assertThat(health.forget()).isTrue();
    assertThat(health.gate().opens(0)).isZero();
    assertThat(health.forget()).isFalse();
  }
}
