package io.penstock.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what refused clients are told about trying again. */
class RetryAdviceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOON = 1_772_625_600_000L;

  /** The only reasons for which repeating the same request soon cannot help. */
  private static final Set<RefusalReason> USELESS =
      EnumSet.of(
          RefusalReason.COST_EXCEEDS_CAPACITY,
          RefusalReason.UNAUTHENTICATED,
          RefusalReason.NO_ENDPOINT,
          RefusalReason.KEY_BUDGET,
          RefusalReason.GROUP_BUDGET,
          RefusalReason.KEY_RPD,
          RefusalReason.GROUP_RPD,
          RefusalReason.MODEL_RPD,
          RefusalReason.UPSTREAM_PAUSED,
          RefusalReason.UPSTREAM_RPD);

  private static RetryAdvice advice(Refusal refusal, long mostSeconds) {
    return RetryAdvice.of(refusal, mostSeconds, NOON);
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void retryInFiveMinutes_isUselessOnlyForDaysBudgetsPausesCostsKeysAndPaths(RefusalReason reason) {
    Refusal refusal = new Refusal(reason, "why", 300 * SECOND);
    assertThat(refusal.retryUseless()).isEqualTo(USELESS.contains(reason));
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void noTimeIsKnown_aRetryThatIsUselessIsNotAdvised(RefusalReason reason) {
    RetryAdvice advice = advice(Refusal.of(reason, "why"), RetryAdvice.NO_CAP);
    assertThat(advice.useless() && advice.afterSeconds().isPresent()).isFalse();
    assertThat(advice.at()).isNull();
  }

  /** Tests that nothing but what comes back by itself, and not soon, is told as used up. */
  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void usedUp_isWhatComesBackLater(RefusalReason reason) {
    assertThat(new Refusal(reason, "why", 61 * SECOND).usedUp())
        .isEqualTo(USELESS.contains(reason));
    assertThat(new Refusal(reason, "why", 60 * SECOND).usedUp()).isFalse();
    assertThat(Refusal.of(reason, "why").usedUp()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void onlyARequestThatNeverFits_hasAnotherFinalStatus(RefusalReason reason) {
    int expected = reason == RefusalReason.COST_EXCEEDS_CAPACITY ? 400 : reason.status();
    assertThat(reason.finalStatus()).isEqualTo(expected);
  }

  @Test
  void dayThatEndsSoon_mayBeRetried() {
    Refusal refusal = new Refusal(RefusalReason.KEY_RPD, "why", 59 * SECOND);
    assertThat(refusal.retryUseless()).isFalse();
    assertThat(advice(refusal, RetryAdvice.NO_CAP).afterSeconds()).hasValue(59);
  }

  @Test
  void withoutRetry_advisesNoTime() {
    Refusal refusal = new Refusal(RefusalReason.NO_HEALTHY_UPSTREAM, "why", SECOND).withoutRetry();
    assertThat(advice(refusal, RetryAdvice.NO_CAP))
        .isEqualTo(new RetryAdvice(OptionalLong.empty(), OptionalLong.empty(), null, true));
  }

  @Test
  void cap_boundsBothHeaders_andTheInstantStaysTrue() {
    Refusal refusal = new Refusal(RefusalReason.KEY_RPM, "why", 90 * SECOND + 1);
    Instant at = Instant.ofEpochMilli(NOON + 90_001);
    assertThat(advice(refusal, RetryAdvice.NO_CAP))
        .isEqualTo(new RetryAdvice(OptionalLong.of(90_001), OptionalLong.of(91), at, false));
    assertThat(advice(refusal, 60))
        .isEqualTo(new RetryAdvice(OptionalLong.of(60_000), OptionalLong.of(60), at, false));
    assertThat(advice(refusal, 300).afterSeconds()).hasValue(91);
  }

  @Test
  void noRetryAdvised_hasNoInstant() {
    Refusal refusal = new Refusal(RefusalReason.BAD_REQUEST, "why", SECOND);
    assertThat(advice(refusal, RetryAdvice.NO_CAP).at()).isNull();
    assertThat(RetryAdvice.withoutInstant(refusal).afterMillis()).isEmpty();
  }
}
