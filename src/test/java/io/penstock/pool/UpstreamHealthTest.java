package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
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

  private void shut() {
    for (int time = 0; time < 3; time++) {
      health.failed(0);
    }
  }

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
    shut();
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
    shut();
    assertThat(health.triedAt(SECOND - 1)).isEqualTo(SECOND);
    assertThat(health.triedAt(SECOND)).isEqualTo(2 * SECOND);
    long open = SECOND + GRACE;
    assertThat(health.triedAt(open - 1)).isEqualTo(open);
    assertThat(health.triedAt(open)).isEqualTo(open);
  }

  @Test
  void probesThatFail_doubleTheTimeUntilTheNext() {
    shut();
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
    shut();
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
    shut();
    long now = 0;
    for (long seconds : new long[] {1, 2, 4, 8, 15, 15}) {
      assertShut(now, now + seconds * SECOND);
      now += seconds * SECOND;
      health.probed(ProbeResult.WORKS, now);
      assertThat(health.gate().pass(now)).isTrue();
      health.failed(now);
    }
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void providerThatAnswersProbesWithErrorsOnly_isTriedAfterTheFourth() {
    shut();
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
    shut();
    for (int probe = 1; probe < UpstreamHealth.MOST_ERRORS; probe++) {
      health.probed(ProbeResult.ERROR, health.probeAt());
    }
    health.probed(ProbeResult.UNREACHABLE, health.probeAt());
    assertThat(health.probed(ProbeResult.ERROR, health.probeAt())).isFalse();
  }

  @Test
  void forgetting_saysWhetherItWasShut() {
    assertThat(health.forget()).isFalse();
    shut();
    assertThat(health.forget()).isTrue();
    assertThat(health.gate().opens(0)).isZero();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    assertThat(health.probed(ProbeResult.UNREACHABLE, SECOND)).isFalse();
    assertThat(health.well()).isTrue();
    assertThat(health.forget()).isFalse();
  }

  private void arrive(long now, String... keys) {
    for (String key : keys) {
      assertThat(health.arrived(key, now)).isFalse();
    }
  }

  private void fail(long now, String... keys) {
    for (String key : keys) {
      health.failed(key, now);
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void failuresOfOneKeyWhileAnotherIsActive_doNotCount() {
    arrive(0, "b", "a");
    for (int each = 0; each < 100; each++) {
      fail(UpstreamHealth.LEAST_NANOS, "a");
    }
    assertThat(health.well()).isTrue();
  }

  @Test
  void failuresOfTwoKeys_count() {
    arrive(0, "a", "b");
    fail(0, "a", "a");
    assertThat(health.well()).isTrue();
    fail(0, "b");
    assertShut(0, SECOND);
    assertThat(health.arrived("c", 0)).as("whether a third key opens it").isFalse();
  }

  @Test
  void failuresOfTheOnlyKeyOfTheLastMinute_count() {
    arrive(0, "b");
    arrive(SECOND, "a");
    fail(60 * SECOND, "a", "a", "a");
    assertThat(health.well()).isTrue();
    fail(60 * SECOND + 1, "a");
    assertShut(60 * SECOND + 1, 61 * SECOND + 1);
  }

  @Test
  void failuresOfTheUpstreamItself_countWhoeverIsActive_butThoseOfOneKeyDoNotJoinThem() {
    arrive(0, "a", "b");
    fail(0, "a", "a", "a");
    health.failed(0);
    health.failed(0);
    assertThat(health.well()).isTrue();
    health.failed(0);
    assertShut(0, SECOND);
    assertThat(health.arrived("b", 0)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void whatOneKeyAloneHasShut_isOpenedByAnother() {
    fail(0, "a", "a", "a");
    assertShut(0, SECOND);
    assertThat(health.arrived("a", 1)).isFalse();
    assertThat(health.well()).isFalse();
    assertThat(health.arrived("b", 1)).isTrue();
    assertThat(health.well()).isTrue();
    assertThat(health.probeAt()).isEqualTo(Ticker.NEVER);
    fail(2, "a", "a", "a", "a");
    assertThat(health.well()).isTrue();
    fail(2, "b");
    assertShut(2, SECOND + 2);
  }

  @Test
  void whatOneKeyAloneHasShut_staysShutForOthers_onceAProbeHasFailed() {
    fail(0, "a", "a", "a");
    health.probed(ProbeResult.ERROR, SECOND);
    assertThat(health.arrived("b", SECOND)).isFalse();
    assertShut(SECOND, 3 * SECOND);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void trialThatFailsForOneKeyOfTwo_letsTheNextRequestTryAtOnce() {
    arrive(0, "a", "b");
    shut();
    health.probed(ProbeResult.WORKS, SECOND);
    for (int trial = 0; trial < 10; trial++) {
      assertThat(health.gate().pass(SECOND)).isTrue();
      assertThat(health.gate().pass(SECOND)).as("one at a time").isFalse();
      assertThat(health.failed("a", SECOND)).isTrue();
    }
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.failed("b", SECOND)).isFalse();
    assertShut(SECOND, 3 * SECOND);
  }

  @Test
  void refusalsOfTheAccount_countAfterThree_orTwoOfTwoKeys() {
    health.arrived("a", 0);
    health.refused("a", 0);
    health.refused("a", 0);
    assertThat(health.well()).isTrue();
    health.refused("a", 0);
    assertShut(0, SECOND);
    assertThat(health.isRefused()).isTrue();
    assertThat(health.arrived("b", 1)).as("whether another key opens it").isTrue();
    assertThat(health.isRefused()).isFalse();
    health.refused("b", 2);
    assertThat(health.well()).isTrue();
    health.refused("a", 2);
    assertShut(2, SECOND + 2);
    assertThat(health.arrived("c", 3)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void refusalsOfOneKeyWhileAnotherIsActive_doNotCount_alsoNotOnTrial() {
    arrive(0, "b", "a");
    for (int each = 0; each < 100; each++) {
      health.refused("a", 0);
    }
    assertThat(health.well()).isTrue();
    health.refused(0);
    assertShut(0, SECOND);
    health.probed(ProbeResult.WORKS, SECOND);
    for (int trial = 0; trial < 10; trial++) {
      assertThat(health.gate().pass(SECOND)).isTrue();
      assertThat(health.refused("a", SECOND)).as("whether the next may try").isTrue();
    }
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.refused("b", SECOND)).isFalse();
    assertShut(SECOND, 3 * SECOND);
  }

  @Test
  void onlyWhatServes_endsTheRefusals() {
    health.refused("a", 0);
    health.refused("a", 0);
    assertThat(health.worked(0)).isFalse();
    health.refused("a", 0);
    assertShut(0, SECOND);
    health.probed(ProbeResult.WORKS, SECOND);
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.worked(SECOND)).as("whether the next may try").isTrue();
    assertThat(health.isRefused()).isTrue();
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.answered(SECOND)).isTrue();
    assertThat(health.isRefused()).isFalse();
    health.refused("a", SECOND);
    health.refused("a", SECOND);
    health.answered(SECOND);
    health.refused("a", SECOND);
    assertThat(health.well()).as("they are no more in a row").isTrue();
  }

  @Test
  void probesThatMayNotAsk_showThatTheAccountIsStillRefused_butNotForEver() {
    health.refused(0);
    long now = 0;
    for (long seconds : new long[] {1, 2, 4}) {
      now += seconds * SECOND;
      assertThat(health.probed(ProbeResult.UNCLEAR, now)).isFalse();
      assertThat(health.isRefused()).isTrue();
    }
    now += 8 * SECOND;
    assertThat(health.probed(ProbeResult.UNCLEAR, now)).as("the fourth").isTrue();
    assertThat(health.gate().pass(now)).isTrue();
    assertThat(health.refused("a", now)).isFalse();
    assertShut(now, now + 15 * SECOND);
  }

  @Test
  void failuresAndRefusals_areRowsOfTheirOwn() {
    fail(0, "a", "a");
    health.refused("a", 0);
    health.refused("a", 0);
    assertThat(health.well()).isTrue();
    fail(0, "a");
    assertShut(0, SECOND);
    assertThat(health.isRefused()).isFalse();
    health.probed(ProbeResult.UNCLEAR, SECOND);
    assertThat(health.gate().pass(SECOND)).as("the trial").isTrue();
  }

  @Test
  void failureOfARequestThatWasSentBeforeItWasShut_changesNothing() {
    arrive(0, "a", "b");
    shut();
    fail(1, "a", "b");
    health.failed(1);
    assertShut(1, SECOND);
    health.probed(ProbeResult.WORKS, SECOND);
    assertThat(health.gate().pass(SECOND)).isTrue();
    assertThat(health.failed("b", SECOND)).as("whether the next one may try").isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "200, WORKS",
    "302, WORKS",
    "400, WORKS",
    "404, WORKS",
    "499, WORKS",
    "401, UNCLEAR",
    "402, UNCLEAR",
    "403, UNCLEAR",
    "408, UNCLEAR",
    "429, UNCLEAR",
    "501, UNCLEAR",
    "500, ERROR",
    "502, ERROR",
    "503, ERROR",
    "529, ERROR"
  })
  void statusOfAProbe_saysWhetherTheUpstreamWorks(int status, ProbeResult result) {
    assertThat(ProbeResult.of(status)).isEqualTo(result);
  }
}
