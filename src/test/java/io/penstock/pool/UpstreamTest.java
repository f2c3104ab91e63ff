package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.fake.CountedLimits;
import io.penstock.pool.ProviderLesson.ErrorCause;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests when an upstream counts as available, and when its waiters are woken. */
class UpstreamTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long DAY = 86_400 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final long JITTER = 30_000_000;
  private static final AttemptHistory FIRST = UpstreamFixture.attempt("m", 0, 1);

  private final CountedLimits source = new CountedLimits();
  private final UpstreamRegistry upstreamRegistry = UpstreamFixture.registry(source, WINDOW);
  private final Upstream upstream = applied(10, 0);
  private final Quota pool = upstream.pool("m", NOW);
  private final Woken here = new Woken(pool);
  private final Woken there = new Woken(upstream.pool("other", NOW));

  /** Waiter for a pool that counts how often it was woken. */
  private static final class Woken extends WaitObserver {
    private int times;

    Woken(Quota quota) {
      quota.waitList().join(this);
    }

    @Override
    public void wake() {
      times++;
    }
  }

  private Upstream applied(long rpm, long rpd) {
    UpstreamSpec spec =
        UpstreamSetup.of("u")
            .apiKey("secret")
            .limits(new UpstreamSpec.Limits(rpm, 0, 0, 0, rpd, 0))
            .spec();
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private void answer(int status, long retryAfterNanos, ErrorCause wording, long now) {
    upstream.judge(FIRST, new ProviderLesson(status, List.of(), retryAfterNanos, wording), now);
  }

  private void answer(int status, ErrorCause wording, long now) {
    answer(status, ProviderStatus.UNSTATED, wording, now);
  }

  private void assertWoken(int times) {
    assertThat(here.times).as("who waits for the pool").isEqualTo(times);
    assertThat(there.times).as("who waits for another").isEqualTo(times);
  }

  @Test
  void severalCauses_theOneThatLastsLongestIsTheAnswer() {
    assertThat(upstream.readiness(pool, NOW)).isEqualTo(UpstreamReadiness.READY);
    answer(429, SECOND, ErrorCause.RATE, NOW);
    assertThat(upstream.readiness(pool, NOW))
        .isEqualTo(new UpstreamReadiness(UpstreamReadiness.Cause.PAUSED, NOW + SECOND));
    upstream.health().tryFrom(NOW + 2 * SECOND, SECOND);
    UpstreamReadiness unwell =
        new UpstreamReadiness(UpstreamReadiness.Cause.UNHEALTHY, NOW + 2 * SECOND);
    assertThat(upstream.readiness(pool, NOW)).isEqualTo(unwell);
    assertThat(upstream.readiness(null, NOW)).isEqualTo(unwell);
    assertThat(unwell.away(NOW)).isTrue();
    assertThat(unwell.away(NOW + 2 * SECOND)).as("a trial is due").isFalse();
    assertThat(unwell.soon(NOW + 2 * SECOND)).isFalse();
    applied(10, 1);
    assertThat(pool.take(Cost.NO_TOKENS, NOW + 2 * SECOND, new ArrayList<>())).isTrue();
    long later = NOW + 3 * SECOND;
    assertThat(upstream.readiness(pool, later))
        .isEqualTo(
            new UpstreamReadiness(UpstreamReadiness.Cause.UPSTREAM_DAY, NOW + 2 * SECOND + DAY));
  }

  @Test
  void poolPausedForASecond_isAvailable_andOneNanosecondMoreIsNot() {
    assertThat(upstream.readiness(pool, NOW).soon(NOW)).isTrue();
    answer(429, SECOND + 1, ErrorCause.RATE, NOW);
    assertThat(upstream.readiness(pool, NOW).soon(NOW)).isFalse();
    assertThat(upstream.readiness(pool, NOW + 1).soon(NOW + 1)).isTrue();
  }

  @Test
  void unhealthyUpstream_isNotAvailable_thoughItsTrialIsDue() {
    answer(429, ErrorCause.SPENT, NOW);
    assertThat(upstream.readiness(pool, NOW + 10 * SECOND).soon(NOW + 10 * SECOND)).isFalse();
  }

  @Test
  void poolOutForItsDay_isNotAvailableUntilThen_andOneOutForItsMinuteIs() {
    applied(2, 3);
    assertThat(pool.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(pool.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(pool.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isFalse();
    assertThat(upstream.readiness(pool, NOW).soon(NOW)).isTrue();
    long later = NOW + 2 * WINDOW;
    assertThat(pool.take(Cost.NO_TOKENS, later, new ArrayList<>())).isTrue();
    assertThat(upstream.readiness(pool, later).soon(later)).isFalse();
    assertThat(upstream.readiness(pool, NOW + DAY - 1).soon(NOW + DAY - 1)).isFalse();
    assertThat(upstream.readiness(pool, NOW + DAY).soon(NOW + DAY)).isTrue();
  }

  @Test
  void thirdFailure_wakesAllWhoWait_andNoOtherDoes() {
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    assertWoken(0);
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    assertWoken(1);
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW + SECOND);
    assertWoken(1);
  }

  @Test
  void trialThatGoesWell_wakesAllWhoWait_andNoOtherAnswerDoes() {
    answer(200, ErrorCause.OTHER, NOW);
    assertWoken(0);
    answer(429, ErrorCause.SPENT, NOW);
    assertWoken(1);
    upstream.probed(ProbeResult.WORKS, null, NOW + SECOND);
    assertWoken(2);
    answer(403, ErrorCause.OTHER, NOW + SECOND);
    assertWoken(2);
    answer(200, ErrorCause.OTHER, NOW + SECOND);
    assertWoken(3);
    answer(200, ErrorCause.OTHER, NOW + SECOND);
    assertWoken(3);
  }

  @Test
  void keyThatOpensWhatAnotherAloneHasShut_wakesAllWhoWait() {
    for (int each = 0; each < 3; each++) {
      answer(500, ErrorCause.OTHER, NOW);
    }
    assertWoken(1);
    upstream.arrived("nobody", NOW);
    assertWoken(1);
    upstream.arrived("another", NOW);
    assertWoken(2);
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void trialWithAFailureThatDoesNotCount_wakesAllWhoWait() {
    upstream.arrived("another", NOW);
    answer(429, ErrorCause.SPENT, NOW);
    upstream.probed(ProbeResult.WORKS, null, NOW + SECOND);
    assertWoken(2);
    assertThat(upstream.health().pass(NOW + SECOND)).isTrue();
    answer(500, ErrorCause.OTHER, NOW + SECOND);
    assertWoken(3);
    assertThat(upstream.health().pass(NOW + SECOND)).isTrue();
  }

  @Test
  void longPause_wakesThoseWhoHadBetterGoElsewhere_once() {
    answer(429, SECOND, ErrorCause.RATE, NOW);
    answer(429, ErrorCause.TOO_LARGE, NOW);
    assertWoken(0);
    answer(429, 5 * SECOND, ErrorCause.RATE, NOW);
    assertWoken(1);
    answer(429, 6 * SECOND, ErrorCause.RATE, NOW);
    assertWoken(1);
  }

  @Test
  void upstreamShut_wakesAllWhoWait_thoughThePoolWasPausedAlready() {
    answer(429, 5 * SECOND, ErrorCause.RATE, NOW);
    assertWoken(1);
    answer(429, ErrorCause.SPENT, NOW);
    assertWoken(2);
    answer(429, ErrorCause.SPENT, NOW + SECOND);
    assertWoken(2);
  }

  @Test
  void probeThatSucceeds_wakesAllWhoWait_andOneThatFailsIsTheLatestTrouble() {
    answer(429, ErrorCause.SPENT, NOW);
    assertWoken(1);
    upstream.probed(ProbeResult.ERROR, "a probe was answered with 503", NOW + SECOND);
    assertWoken(1);
    UpstreamTrouble trouble = new UpstreamTrouble("a probe was answered with 503", NOW + SECOND);
    assertThat(upstream.trouble()).isEqualTo(trouble);
    upstream.probed(ProbeResult.WORKS, null, NOW + 3 * SECOND);
    assertWoken(2);
    assertThat(upstream.trouble()).isEqualTo(trouble);
    assertThat(upstream.probes(ProbeResult.ERROR)).isOne();
    assertThat(upstream.probes(ProbeResult.WORKS)).isOne();
    assertThat(upstream.probes(ProbeResult.UNREACHABLE)).isZero();
  }

  @Test
  void configuredAsBefore_asksForItsLimitsAgain_andStaysAsItWas() {
    answer(429, ErrorCause.SPENT, NOW);
    int before = source.configured;
    applied(10, 0);
    assertThat(source.configured).as("they may be shared otherwise").isEqualTo(before + 2);
    assertThat(upstream.health().onTrial()).isTrue();
  }

  /**
   * Uses up the requests per minute of a pool; returns the instant from which all are available
   * again.
   */
  private static long whole(Quota of) {
    while (of.take(Cost.NO_TOKENS, NOW, new ArrayList<>())) {
      assertThat(of.gatesOpenAt(NOW)).isEqualTo(NOW);
    }
    for (MeteredLimit metered : of.limits()) {
      if (metered.measure() == LimitMeasure.REQUESTS) {
        return metered.limit().fullyFreeAt(NOW);
      }
    }
    throw new AssertionError(of + " has no limit of requests");
  }

  enum Made {
    BEFORE,
    AFTER,
    RELOADED
  }

  @ParameterizedTest
  @EnumSource
  void jitter_widensThePool(Made made) {
    long plain = whole(upstream.pool("plain", NOW));
    Quota before = upstream.pool("before", NOW);
    if (made == Made.RELOADED) {
      applied(0, 0);
    }
    upstream.written(0);
    upstream.written(JITTER);
    if (made == Made.RELOADED) {
      applied(10, 0);
    }
    Quota widened = made == Made.AFTER ? upstream.pool("after", NOW) : before;
    assertThat(whole(widened)).isEqualTo(plain + JITTER);
  }

  @Test
  void shown_isItsSpec() {
    assertThat(upstream).hasToString("UpstreamSpec[u http://provider.example]");
  }
}
