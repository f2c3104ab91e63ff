package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.pool.ProviderLesson.ErrorCause;
import io.penstock.quota.ProviderStatus;
import io.penstock.quota.Quota;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptJudgeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final long UNSAID = ProviderStatus.UNSTATED;
  private static final AttemptHistory FIRST = UpstreamFixture.attempt("m", 0, 1);

  private final UpstreamRegistry upstreamRegistry =
      new UpstreamRegistry(
          new PoolLimits(
              new LocalLimitSource(), 60 * SECOND, Long.MAX_VALUE, () -> 0, KnownPeerCounts.NONE),
          new Random(42));
  private final Upstream upstream = applied(100);
  private final Quota pool = upstream.pool("m", NOW);

  private Upstream applied(long rpm) {
    UpstreamSpec spec = UpstreamSetup.of("u").limits(rpm, 0, 0, 0).spec();
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  /** Returns the first attempt of a request with a credential of its client. */
  private static AttemptHistory ownCredentials() {
    return new AttemptHistory("m", 1, 0, true, AttemptAdditions.NONE, "k", false, false, true);
  }

  private static AttemptHistory rejected(int times) {
    return UpstreamFixture.attempt("m", times, 0);
  }

  private static AttemptHistory broken(int times) {
    return UpstreamFixture.attempt("m", 0, times);
  }

  private AttemptVerdict judge(
      int status, long retryAfter, ErrorCause wording, AttemptHistory attemptHistory, long now) {
    return upstream.judge(
        attemptHistory, new ProviderLesson(status, List.of(), retryAfter, wording), now);
  }

  @ParameterizedTest
  @EnumSource(ErrorCause.class)
  void refusalOfTheAccountOfAClient_isPassedOn_andConcernsNobodyElse(ErrorCause cause) {
    for (long retryAfter : new long[] {UNSAID, UNSAID, 30 * SECOND}) {
      assertThat(judge(429, retryAfter, cause, ownCredentials(), NOW))
          .isEqualTo(AttemptVerdict.PASS);
    }
    assertThat(shut(pool, upstream, NOW)).isFalse();
    assertThat(upstream.pause(pool).throttled()).isEqualTo(3);
  }

  @Test
  void overloadOfTheProvider_pausesThePool_alsoIfAClientMetItWithItsOwnCredential() {
    assertThat(judge(529, UNSAID, ErrorCause.OVERLOADED, ownCredentials(), NOW))
        .isEqualTo(AttemptVerdict.ELSEWHERE);
    assertThat(shut(pool, upstream, NOW)).isTrue();
  }

  private boolean goes(Quota from, long now) {
    return from.take(Cost.NO_TOKENS, now, new ArrayList<>());
  }

  private static boolean shut(Quota quota, Upstream of, long now) {
    return of.pause(quota).ends(now) > now || of.health().opens(now) > now;
  }

  @ParameterizedTest
  @CsvSource({
    "429, 5, RATE, WAIT, true",
    "429, 5, OTHER, WAIT, true",
    "429, -1, RATE, WAIT, true",
    "429, -1, OTHER, WAIT, true",
    "429, 5, SPENT, OTHER_ACCOUNT, true",
    "429, 5, TOO_LARGE, PASS, false",
    "503, -1, OVERLOADED, ELSEWHERE, true",
    "529, -1, OVERLOADED, ELSEWHERE, true",
    "500, -1, OVERLOADED, ELSEWHERE, true",
    "408, -1, OTHER, ELSEWHERE, false",
    "500, -1, OTHER, ELSEWHERE, false",
    "502, -1, OTHER, ELSEWHERE, false",
    "504, -1, OTHER, ELSEWHERE, false",
    "520, -1, OTHER, ELSEWHERE, false",
    "521, -1, OTHER, ELSEWHERE, false",
    "522, -1, OTHER, ELSEWHERE, false",
    "523, -1, OTHER, ELSEWHERE, false",
    "524, -1, OTHER, ELSEWHERE, false",
    "525, -1, OTHER, ELSEWHERE, false",
    "526, -1, OTHER, ELSEWHERE, false",
    "527, -1, OTHER, ELSEWHERE, false",
    "530, -1, OTHER, ELSEWHERE, false",
    "528, -1, OTHER, PASS, false",
    "501, -1, OTHER, PASS, false",
    "400, -1, SPENT, OTHER_ACCOUNT, false",
    "401, -1, ACCOUNT, OTHER_ACCOUNT, false",
    "402, -1, SPENT, OTHER_ACCOUNT, false",
    "403, -1, ACCOUNT, OTHER_ACCOUNT, false",
    "429, -1, ACCOUNT, OTHER_ACCOUNT, true",
    "404, -1, MODEL_NOT_FOUND, PASS, false",
    "429, -1, MODEL_NOT_FOUND, PASS, false",
    "400, -1, OTHER, PASS, false",
    "401, -1, OTHER, PASS, false",
    "404, 5, RATE, PASS, false",
    "200, -1, OTHER, PASS, false",
  })
  void firstAnswer(
      int status, long retrySeconds, ErrorCause wording, AttemptVerdict verdict, boolean shut) {
    long retryAfter = retrySeconds < 0 ? UNSAID : retrySeconds * SECOND;
    assertThat(judge(status, retryAfter, wording, FIRST, NOW)).isEqualTo(verdict);
    assertThat(shut(pool, upstream, NOW)).isEqualTo(shut);
    assertThat(goes(pool, NOW)).isNotEqualTo(shut);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 408, 429, 500, 502, 503, 504, 529})
  void whatCannotBeRepeated_isTheClients(int status) {
    AttemptHistory once =
        new AttemptHistory("m", 1, 1, false, AttemptAdditions.NONE, null, false, false, false);
    assertThat(judge(status, SECOND, ErrorCause.RATE, once, NOW)).isEqualTo(AttemptVerdict.PASS);
  }

  @Test
  void refusedForLimits_waitsFiveTimes() {
    for (int time = 1; time <= 5; time++) {
      assertThat(judge(429, SECOND, ErrorCause.RATE, rejected(time), NOW))
          .isEqualTo(AttemptVerdict.WAIT);
    }
    assertThat(judge(429, SECOND, ErrorCause.RATE, rejected(6), NOW))
        .isEqualTo(AttemptVerdict.PASS);
    assertThat(upstream.pause(pool).throttled()).isEqualTo(6);
  }

  @Test
  void failures_areTriedOnce_thoseTheUpstreamNeverSawThreeTimes() {
    assertThat(judge(500, UNSAID, ErrorCause.OTHER, broken(1), NOW))
        .isEqualTo(AttemptVerdict.ELSEWHERE);
    assertThat(judge(500, UNSAID, ErrorCause.OTHER, broken(2), NOW)).isEqualTo(AttemptVerdict.PASS);
    assertThat(judge(503, UNSAID, ErrorCause.OVERLOADED, broken(3), NOW))
        .isEqualTo(AttemptVerdict.ELSEWHERE);
    assertThat(judge(503, UNSAID, ErrorCause.OVERLOADED, broken(4), NOW))
        .isEqualTo(AttemptVerdict.PASS);
    assertThat(upstream.judge(broken(1), AttemptFailure.BROKEN, "broken", NOW))
        .isEqualTo(AttemptVerdict.ELSEWHERE);
    assertThat(upstream.judge(broken(2), AttemptFailure.BROKEN, "broken", NOW))
        .isEqualTo(AttemptVerdict.PASS);
    assertThat(upstream.judge(broken(3), AttemptFailure.UNSENT, "unsent", NOW))
        .isEqualTo(AttemptVerdict.ELSEWHERE);
    assertThat(upstream.judge(broken(4), AttemptFailure.UNSENT, "unsent", NOW))
        .isEqualTo(AttemptVerdict.PASS);
  }

  @Test
  void statedPause_endsWhenStated_andIsThatOfTheModelAlone() {
    judge(429, 5 * SECOND, ErrorCause.RATE, rejected(1), NOW);
    Quota other = upstream.pool("other", NOW);
    assertThat(goes(other, NOW)).isTrue();
    assertThat(upstream.pause(other).throttled()).isZero();
    assertThat(goes(pool, NOW + 5 * SECOND - 1)).isFalse();
    assertThat(goes(pool, NOW + 5 * SECOND)).isTrue();
  }

  @Test
  void resetInHeadersOnly_pausesUntilItButNoLongerThanABackOff() {
    ProviderStatus soon = new ProviderStatus(LimitMeasure.TOKENS, 100, 0, SECOND / 10);
    ProviderStatus late = new ProviderStatus(LimitMeasure.REQUESTS, 100, 50, SECOND / 100);
    ProviderLesson lesson = new ProviderLesson(429, List.of(late, soon), UNSAID, ErrorCause.OTHER);
    assertThat(upstream.judge(rejected(1), lesson, NOW)).isEqualTo(AttemptVerdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isEqualTo(NOW + SECOND / 10);
    ProviderStatus minutes = new ProviderStatus(LimitMeasure.TOKENS, 100, 0, 360 * SECOND);
    lesson = new ProviderLesson(429, List.of(minutes), UNSAID, ErrorCause.OTHER);
    upstream.judge(rejected(1), lesson, NOW + SECOND);
    assertThat(upstream.pause(pool).ends(NOW)).isBetween(NOW + SECOND, NOW + 3 * SECOND);
  }

  @Test
  void statedPauseOfNothing_isABackOff_whichGrows() {
    judge(429, 0, ErrorCause.RATE, rejected(1), NOW);
    long first = upstream.pause(pool).ends(NOW);
    assertThat(first).isBetween(NOW + SECOND / 2, NOW + SECOND);
    assertThat(judge(429, 0, ErrorCause.OTHER, rejected(2), first)).isEqualTo(AttemptVerdict.WAIT);
    long second = upstream.pause(pool).ends(first);
    assertThat(second).isBetween(first + SECOND, first + 2 * SECOND);
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void resetThatIsPast_isABackOff() {
    ProviderStatus past = new ProviderStatus(LimitMeasure.TOKENS, 100, 0, 0);
    ProviderLesson lesson = new ProviderLesson(429, List.of(past), UNSAID, ErrorCause.OTHER);
    assertThat(upstream.judge(rejected(1), lesson, NOW)).isEqualTo(AttemptVerdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isBetween(NOW + SECOND / 2, NOW + SECOND);
  }

  @Test
  void noReset_isABackOff_whichGrowsWithEachInARow_andSaysNothingAboutTheHealth() {
    long now = NOW;
    for (int time = 0; time < 5; time++) {
      AttemptHistory tried = rejected(time + 1);
      assertThat(judge(429, UNSAID, ErrorCause.OTHER, tried, now)).isEqualTo(AttemptVerdict.WAIT);
      // sent before the pause, so it is not one more in a row
      assertThat(judge(429, UNSAID, ErrorCause.OTHER, tried, now)).isEqualTo(AttemptVerdict.WAIT);
      long whole = SECOND << time;
      long after = upstream.pause(pool).ends(now);
      assertThat(after).isBetween(now + whole / 2, now + whole);
      now = after;
    }
    assertThat(upstream.health().onTrial()).isFalse();
    assertThat(judge(429, UNSAID, ErrorCause.OTHER, rejected(6), now))
        .isEqualTo(AttemptVerdict.PASS);
  }

  @Test
  void noResetAfterOneThatWasServed_waitsAgain() {
    judge(429, UNSAID, ErrorCause.RATE, rejected(1), NOW);
    long after = upstream.pause(pool).ends(NOW);
    judge(200, UNSAID, ErrorCause.OTHER, FIRST, after);
    assertThat(judge(429, UNSAID, ErrorCause.RATE, rejected(1), after))
        .isEqualTo(AttemptVerdict.WAIT);
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void backOff_doublesUpToAMinute_aRandomHalfOfItLeftOut() {
    long now = NOW;
    List<Long> waits = new ArrayList<>();
    for (int time = 0; time < 10; time++) {
      judge(503, UNSAID, ErrorCause.OVERLOADED, FIRST, now);
      long whole = Math.min(60, 1L << time) * SECOND;
      long wait = upstream.pause(pool).ends(now) - now;
      assertThat(wait).isBetween(whole / 2, whole);
      waits.add(wait * 60 * SECOND / whole);
      now += wait;
    }
    assertThat(waits).doesNotHaveDuplicates();
    judge(200, UNSAID, ErrorCause.OTHER, FIRST, now);
    judge(503, 7 * SECOND, ErrorCause.OVERLOADED, FIRST, now);
    assertThat(upstream.pause(pool).ends(now)).isEqualTo(now + 7 * SECOND);
  }

  @Test
  void threeFailuresInARow_shutItForASecondDoublingToFifteen_andForAProbeThatHasNoResult() {
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    upstream.judge(FIRST, AttemptFailure.BROKEN, "broken", NOW);
    judge(200, UNSAID, ErrorCause.OTHER, FIRST, NOW);
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    assertThat(goes(pool, NOW)).as("the first two are no more in a row").isTrue();
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW);
    long now = NOW;
    for (long seconds : new long[] {1, 2, 4, 8, 15, 15}) {
      long opens = now + seconds * SECOND + UpstreamHealth.GRACE_NANOS;
      assertThat(upstream.probeAt()).isEqualTo(now + seconds * SECOND);
      assertThat(upstream.health().opens(now)).isEqualTo(opens);
      upstream.judge(FIRST, AttemptFailure.BROKEN, "broken", now + SECOND / 2);
      assertThat(upstream.health().opens(now)).as("sent before").isEqualTo(opens);
      now = opens;
      assertThat(goes(pool, now - 1)).isFalse();
      assertThat(goes(pool, now)).as("the trial").isTrue();
      assertThat(goes(pool, now)).as("one at a time").isFalse();
      upstream.judge(FIRST, AttemptFailure.BROKEN, "broken", now);
    }
  }

  @Test
  void trialThatGoesWell_opensItForAll() {
    judge(429, UNSAID, ErrorCause.SPENT, FIRST, NOW);
    assertThat(upstream.trouble()).isEqualTo(new UpstreamTrouble("account refused: 429", NOW));
    judge(200, UNSAID, ErrorCause.OTHER, FIRST, NOW + 1);
    assertThat(goes(pool, NOW + 1)).as("an answer to what was sent before").isFalse();
    upstream.probed(ProbeResult.WORKS, null, NOW + SECOND);
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    judge(200, UNSAID, ErrorCause.OTHER, FIRST, NOW + SECOND);
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void upstreamThatIsConfiguredAnew_isHealthyAgain() {
    judge(429, UNSAID, ErrorCause.SPENT, FIRST, NOW);
    applied(200);
    assertThat(upstream.health().onTrial()).isFalse();
    assertThat(upstream.trouble()).isNull();
  }

  @Test
  void everyError_isTheLatestTrouble() {
    judge(399, UNSAID, ErrorCause.OTHER, FIRST, NOW);
    assertThat(upstream.trouble()).isNull();
    judge(400, UNSAID, ErrorCause.OTHER, FIRST, NOW);
    assertThat(upstream.trouble()).isEqualTo(new UpstreamTrouble("400 other", NOW));
    upstream.judge(FIRST, AttemptFailure.UNSENT, "unsent", NOW + 1);
    assertThat(upstream.trouble()).isEqualTo(new UpstreamTrouble("unsent", NOW + 1));
  }

  @ParameterizedTest
  @CsvSource({
    "500, OTHER",
    "502, OTHER",
    "504, OTHER",
    "503, OVERLOADED",
    "529, OTHER",
    "520, OTHER",
    "530, OTHER",
    "401, ACCOUNT",
    "402, SPENT"
  })
  void threeErrorsOfTheUpstreamInARow_shutIt(int status, ErrorCause wording) {
    judge(status, UNSAID, wording, FIRST, NOW);
    judge(status, UNSAID, wording, FIRST, NOW);
    assertThat(upstream.health().onTrial()).isFalse();
    judge(status, UNSAID, wording, FIRST, NOW);
    assertThat(upstream.health().onTrial()).isTrue();
  }

  private static AttemptHistory of(String key, boolean upgrade) {
    return new AttemptHistory("m", 0, 1, true, AttemptAdditions.NONE, key, upgrade, false, false);
  }

  private static AttemptHistory timedOut(String key, boolean upgrade) {
    return new AttemptHistory("m", 0, 1, true, AttemptAdditions.NONE, key, upgrade, true, false);
  }

  @ParameterizedTest
  @CsvSource({"500, OTHER", "502, OTHER", "504, OTHER", "503, OVERLOADED", "529, OTHER"})
  void errorsThatOneOfTwoKeysMeets_doNotShutIt(int status, ErrorCause wording) {
    judge(200, UNSAID, ErrorCause.OTHER, of("b", false), NOW);
    for (int each = 0; each < 10; each++) {
      judge(status, UNSAID, wording, of("a", false), NOW);
      upstream.judge(timedOut("a", false), AttemptFailure.BROKEN, "broken", NOW);
    }
    assertThat(upstream.health().onTrial()).isFalse();
    judge(status, UNSAID, wording, of("b", false), NOW);
    assertThat(upstream.health().onTrial()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNSENT", "BROKEN"})
  void connectionsThatFail_shutItWhoeverMeetsThem(AttemptFailure failure) {
    upstream.arrived("b", NOW);
    for (int each = 0; each < 3; each++) {
      assertThat(upstream.health().onTrial()).isFalse();
      upstream.judge(of("a", false), failure, "fails", NOW);
    }
    assertThat(upstream.health().onTrial()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 404, 408, 426, 500, 501, 502, 503, 504, 529})
  void answersToUpgrades_areTheClients_andChangeNothing(int status) {
    for (int each = 0; each < 10; each++) {
      assertThat(judge(status, SECOND, ErrorCause.OVERLOADED, of("a", true), NOW))
          .isEqualTo(AttemptVerdict.PASS);
    }
    assertThat(shut(pool, upstream, NOW)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"400, SPENT", "401, ACCOUNT", "402, SPENT", "403, ACCOUNT"})
  void refusalsOfTheAccountToUpgrades_areTheClients_andChangeNothing(int status, ErrorCause cause) {
    for (int each = 0; each < 10; each++) {
      assertThat(judge(status, UNSAID, cause, of("a", true), NOW)).isEqualTo(AttemptVerdict.PASS);
    }
    assertThat(shut(pool, upstream, NOW)).isFalse();
  }

  @Test
  void upgradesWithoutAnAnswer_areTriedOnce_andShutItOnlyWithoutAConnection() {
    for (AttemptHistory each : List.of(of("a", true), timedOut("a", true))) {
      for (int time = 0; time < 10; time++) {
        assertThat(upstream.judge(each, AttemptFailure.BROKEN, "broken", NOW))
            .isEqualTo(AttemptVerdict.ELSEWHERE);
      }
      assertThat(upstream.health().onTrial()).isFalse();
    }
    for (int time = 0; time < 3; time++) {
      upstream.judge(of("a", true), AttemptFailure.UNSENT, "unsent", NOW);
    }
    assertThat(upstream.health().onTrial()).isTrue();
  }

  @Test
  void upgradeRefusedForALimit_waitsLikeAnyOther() {
    assertThat(judge(429, SECOND, ErrorCause.RATE, of("a", true), NOW))
        .isEqualTo(AttemptVerdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isEqualTo(NOW + SECOND);
  }

  @ParameterizedTest
  @CsvSource({
    "200, true",
    "400, true",
    "404, true",
    "499, true",
    "500, false",
    "503, false",
    "599, false",
    "401, false",
    "403, false",
    "408, false",
    "429, false"
  })
  void answerThatShowsThatTheUpstreamWorks(int status, boolean works) {
    assertThat(AttemptJudge.works(status)).isEqualTo(works);
  }

  @Test
  void refusedForLimitsFiveTimes_mayStillFailOnce() {
    AttemptHistory five = UpstreamFixture.attempt("m", 5, 1);
    assertThat(judge(500, UNSAID, ErrorCause.OTHER, five, NOW)).isEqualTo(AttemptVerdict.ELSEWHERE);
    AttemptHistory six = UpstreamFixture.attempt("m", 6, 1);
    assertThat(judge(500, UNSAID, ErrorCause.OTHER, six, NOW)).isEqualTo(AttemptVerdict.PASS);
  }

  @Test
  void noLimitUsedUp_pausesUntilTheFirstIsWhole() {
    ProviderStatus late = new ProviderStatus(LimitMeasure.TOKENS, 100, 50, SECOND / 10);
    ProviderStatus soon = new ProviderStatus(LimitMeasure.REQUESTS, 100, 50, SECOND / 100);
    ProviderStatus unsaid = new ProviderStatus(LimitMeasure.INPUT_TOKENS, 100, 50, UNSAID);
    ProviderLesson lesson =
        new ProviderLesson(429, List.of(late, soon, unsaid), UNSAID, ErrorCause.OTHER);
    assertThat(upstream.judge(rejected(1), lesson, NOW)).isEqualTo(AttemptVerdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isEqualTo(NOW + SECOND / 100);
  }

  @Test
  void backOff_isAtLeastHalfOfItAndAtMostAllOfIt() {
    PoolPause longest = new PoolPause(new Most());
    longest.backOff(0, NOW);
    assertThat(longest.ends(NOW)).isEqualTo(NOW + SECOND);
    PoolPause shortest = new PoolPause(() -> 0);
    shortest.backOff(0, NOW);
    assertThat(shortest.ends(NOW)).isEqualTo(NOW + SECOND / 2);
  }

  /** Returns the largest number that may be drawn. */
  private static final class Most implements RandomGenerator {
    @Override
    public long nextLong() {
      return Long.MAX_VALUE;
    }

    @Override
    public long nextLong(long bound) {
      return bound - 1;
    }
  }
}
