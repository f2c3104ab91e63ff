package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests when the gate is opened, when probes are due, and what they do. */
class UpstreamHealthTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE = UpstreamHealth.GRACE_NANOS;

  private final UpstreamHealth health = new UpstreamHealth();

  private void assertShut(long now, long probeAt) {
    assertThat(health.well()).isFalse();
    assertThat(health.probeAt()).isEqualTo(probeAt);
    assertThat(health.triedAt(now)).isEqualTo(probeAt);
    assertThat(health.gate().pass(probeAt)).as("it is for the probe").isFalse();
    assertThat(health.gate().opens(now)).isEqualTo(probeAt + GRACE);
  }

  @Test
  void answerOfOneThatIsWell_opensNothing() {
    assertThat(health.answered(0)).isFalse();
    assertThat(health.well()).isTrue();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    assertThat(health.triedAt(7)).isEqualTo(7);
  }

  @Test
  void withoutAResultOfAProbe_theTrialBeginsByItself() {
    health.broken(0);
    assertShut(0, SECOND);
    long from = SECOND + GRACE;
    assertThat(health.gate().pass(from - 1)).isFalse();
    assertThat(health.answered(from - 1)).as("sent before it was shut").isFalse();
    assertThat(health.well()).isFalse();
    assertThat(health.gate().pass(from)).isTrue();
    assertThat(health.answered(from)).isTrue();
    assertThat(health.well()).isTrue();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    assertThat(health.answered(from)).isFalse();
  }

  @Test
  void whileAResultIsAwaited_itIsTriedWithinASecond() {
    health.broken(0);
    assertThat(health.triedAt(SECOND - 1)).isEqualTo(SECOND);
    assertThat(health.triedAt(SECOND)).isEqualTo(2 * SECOND);
    long open = SECOND + GRACE;
    assertThat(health.triedAt(open - 1)).isEqualTo(open);
    assertThat(health.triedAt(open)).isEqualTo(open);
  }

  @Test
  void probesThatFail_doubleTheTimeUntilTheNext() {
    health.broken(0);
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 15, 15}) {
      assertShut(now, now + seconds * SECOND);
      now += seconds * SECOND;
      assertThat(health.probed(ProbeResult.UNREACHABLE, now - 1)).isFalse();
      assertThat(health.probeAt()).as("a result from before").isEqualTo(now);
      assertThat(health.probed(ProbeResult.UNREACHABLE, now)).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"WORKS", "UNCLEAR"})
  void probeThatSucceeds_letsOneRequestTry(ProbeResult result) {
    health.broken(0);
    assertThat(health.probed(result, SECOND)).isTrue();
    assertThat(health.well()).isFalse();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    assertThat(health.triedAt(SECOND)).isEqualTo(SECOND);
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.gate().pass(SECOND)).as("one at a time").isFalse();
    assertThat(health.probed(result, SECOND)).as("none was due").isFalse();
    assertThat(health.answered(SECOND + 1)).isTrue();
    assertThat(health.gate().pass(SECOND + 1)).isTrue();
    assertThat(health.gate().pass(SECOND + 1)).isTrue();
  }

  @Test
  void requestThatFailsOnTrial_doublesTheTimeUntilTheNextProbe() {
    health.broken(0);
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 15, 15}) {
      assertShut(now, now + seconds * SECOND);
      now += seconds * SECOND;
      health.probed(ProbeResult.WORKS, now);
      assertThat(health.gate().pass(now)).isTrue();
      health.failed(now);
    }
  }

  @Test
  void providerThatAnswersProbesWithErrorsOnly_isTriedAfterTheFourth() {
    health.broken(0);
    long now = 0;
    for (int probe = 1; probe < UpstreamHealth.MOST_ERRORS; probe++) {
      now = health.probeAt();
      assertThat(health.probed(ProbeResult.ERROR, now)).isFalse();
    }
    now = health.probeAt();
    assertThat(health.probed(ProbeResult.ERROR, now)).isTrue();
    assertThat(health.gate().pass(now)).isTrue();
    health.failed(now);
    assertThat(health.probed(ProbeResult.ERROR, health.probeAt())).as("counted anew").isFalse();
  }

  @Test
  void upstreamThatWasNotReachedMeanwhile_countsItsErrorsAnew() {
    health.broken(0);
    for (int probe = 1; probe < UpstreamHealth.MOST_ERRORS; probe++) {
      health.probed(ProbeResult.ERROR, health.probeAt());
    }
    health.probed(ProbeResult.UNREACHABLE, health.probeAt());
    assertThat(health.probed(ProbeResult.ERROR, health.probeAt())).isFalse();
  }

  @Test
  void forgetting_saysWhetherItWasShut() {
    assertThat(health.forget()).isFalse();
    health.broken(0);
    assertThat(health.forget()).isTrue();
    assertThat(health.gate().opens(0)).isZero();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    assertThat(health.probed(ProbeResult.UNREACHABLE, SECOND)).isFalse();
    assertThat(health.well()).isTrue();
    assertThat(health.forget()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "200, WORKS", "302, WORKS", "400, WORKS", "404, WORKS", "499, WORKS",
    "401, UNCLEAR", "403, UNCLEAR", "408, UNCLEAR", "429, UNCLEAR", "501, UNCLEAR",
    "500, ERROR", "502, ERROR", "503, ERROR", "529, ERROR"
  })
  void statusOfAProbe_saysWhetherTheUpstreamWorks(int status, ProbeResult result) {
    assertThat(ProbeResult.of(status)).isEqualTo(result);
  }
}
