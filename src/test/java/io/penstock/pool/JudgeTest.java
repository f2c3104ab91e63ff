package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.pool.Lesson.Wording;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Quota;
import io.penstock.quota.Standing;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JudgeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final long UNSAID = Standing.UNSAID;
  private static final Tries FIRST = new Tries("m", 0, 1, true);

  private final Upstreams upstreams =
      new Upstreams(
          new PoolLimits(new LocalLimitSource(), 60 * SECOND, Long.MAX_VALUE, () -> 0),
          new Random(42));
  private final Upstream upstream = applied(100);
  private final Quota pool = upstream.pool("m", NOW);

  private Upstream applied(long rpm) {
    UpstreamSpec spec =
        new UpstreamSpec(
            "u",
            URI.create("http://provider.example"),
            null,
            null,
            Map.of(),
            Map.of(),
            1,
            new UpstreamSpec.Limits(rpm, 0, 0, 0),
            Charge.TOTAL,
            0,
            60,
            new UpstreamSpec.Timeouts(1, 1, 1));
    upstreams.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreams.find("u"));
  }

  private static Tries rejected(int times) {
    return new Tries("m", times, 0, true);
  }

  private static Tries broken(int times) {
    return new Tries("m", 0, times, true);
  }

  private Verdict judge(int status, long retryAfter, Wording wording, Tries tries, long now) {
    return upstream.judge(tries, new Lesson(status, List.of(), retryAfter, wording), now);
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
    "429, -1, OTHER, PASS, false",
    "429, 5, SPENT, PASS, true",
    "429, 5, TOO_LARGE, PASS, false",
    "503, -1, OVERLOADED, ELSEWHERE, true",
    "529, -1, OVERLOADED, ELSEWHERE, true",
    "500, -1, OVERLOADED, ELSEWHERE, true",
    "408, -1, OTHER, ELSEWHERE, false",
    "500, -1, OTHER, ELSEWHERE, false",
    "502, -1, OTHER, ELSEWHERE, false",
    "504, -1, OTHER, ELSEWHERE, false",
    "501, -1, OTHER, PASS, false",
    "400, -1, OTHER, PASS, false",
    "400, -1, NO_STREAM_USAGE, PASS, false",
    "401, -1, OTHER, PASS, false",
    "404, 5, RATE, PASS, false",
    "200, -1, OTHER, PASS, false",
  })
  void firstAnswer(int status, long retrySeconds, Wording wording, Verdict verdict, boolean shut) {
    long retryAfter = retrySeconds < 0 ? UNSAID : retrySeconds * SECOND;
    assertThat(judge(status, retryAfter, wording, FIRST, NOW)).isEqualTo(verdict);
    assertThat(shut(pool, upstream, NOW)).isEqualTo(shut);
    assertThat(goes(pool, NOW)).isNotEqualTo(shut);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 408, 429, 500, 502, 503, 504, 529})
  void whatCannotBeRepeated_isTheClients(int status) {
    Wording wording = status == 400 ? Wording.NO_STREAM_USAGE : Wording.RATE;
    Tries once = new Tries("m", 1, 1, false);
    assertThat(judge(status, SECOND, wording, once, NOW)).isEqualTo(Verdict.PASS);
  }

  @Test
  void refusedForLimits_waitsFiveTimes() {
    for (int time = 1; time <= 5; time++) {
      assertThat(judge(429, SECOND, Wording.RATE, rejected(time), NOW)).isEqualTo(Verdict.WAIT);
    }
    assertThat(judge(429, SECOND, Wording.RATE, rejected(6), NOW)).isEqualTo(Verdict.PASS);
    assertThat(upstream.pause(pool).throttled()).isEqualTo(6);
  }

  @Test
  void failures_areTriedOnce_thoseTheUpstreamNeverSawThreeTimes() {
    assertThat(judge(500, UNSAID, Wording.OTHER, broken(1), NOW)).isEqualTo(Verdict.ELSEWHERE);
    assertThat(judge(500, UNSAID, Wording.OTHER, broken(2), NOW)).isEqualTo(Verdict.PASS);
    assertThat(judge(503, UNSAID, Wording.OVERLOADED, broken(3), NOW)).isEqualTo(Verdict.ELSEWHERE);
    assertThat(judge(503, UNSAID, Wording.OVERLOADED, broken(4), NOW)).isEqualTo(Verdict.PASS);
    assertThat(upstream.judge(broken(1), Failure.BROKEN, NOW)).isEqualTo(Verdict.ELSEWHERE);
    assertThat(upstream.judge(broken(2), Failure.BROKEN, NOW)).isEqualTo(Verdict.PASS);
    assertThat(upstream.judge(broken(3), Failure.UNSENT, NOW)).isEqualTo(Verdict.ELSEWHERE);
    assertThat(upstream.judge(broken(4), Failure.UNSENT, NOW)).isEqualTo(Verdict.PASS);
  }

  @Test
  void statedPause_endsWhenStated_andIsThatOfTheModelAlone() {
    judge(429, 5 * SECOND, Wording.RATE, rejected(1), NOW);
    Quota other = upstream.pool("other", NOW);
    assertThat(goes(other, NOW)).isTrue();
    assertThat(upstream.pause(other).throttled()).isZero();
    assertThat(goes(pool, NOW + 5 * SECOND - 1)).isFalse();
    assertThat(goes(pool, NOW + 5 * SECOND)).isTrue();
  }

  @Test
  void resetInHeadersOnly_pausesUntilItButNoLongerThanABackOff() {
    Standing soon = new Standing(Measure.TOKENS, 100, 0, SECOND / 10);
    Standing late = new Standing(Measure.REQUESTS, 100, 50, SECOND / 100);
    Lesson lesson = new Lesson(429, List.of(late, soon), UNSAID, Wording.OTHER);
    assertThat(upstream.judge(rejected(1), lesson, NOW)).isEqualTo(Verdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isEqualTo(NOW + SECOND / 10);
    Standing minutes = new Standing(Measure.TOKENS, 100, 0, 360 * SECOND);
    lesson = new Lesson(429, List.of(minutes), UNSAID, Wording.OTHER);
    upstream.judge(rejected(1), lesson, NOW + SECOND);
    assertThat(upstream.pause(pool).ends(NOW)).isBetween(NOW + SECOND, NOW + 3 * SECOND);
  }

  @Test
  void noResetTwiceInARow_isTheClients_andTheUpstreamUnhealthy() {
    assertThat(judge(429, UNSAID, Wording.RATE, rejected(1), NOW)).isEqualTo(Verdict.WAIT);
    // sent before the pause, so it is not the second in a row
    assertThat(judge(429, UNSAID, Wording.RATE, rejected(1), NOW)).isEqualTo(Verdict.WAIT);
    assertThat(upstream.health().onTrial()).isFalse();
    long after = upstream.pause(pool).ends(NOW);
    assertThat(after).isBetween(NOW + SECOND / 2, NOW + SECOND);
    assertThat(judge(429, UNSAID, Wording.RATE, rejected(2), after)).isEqualTo(Verdict.PASS);
    assertThat(upstream.health().onTrial()).isTrue();
  }

  @Test
  void noResetAfterOneThatWasServed_waitsAgain() {
    judge(429, UNSAID, Wording.RATE, rejected(1), NOW);
    long after = upstream.pause(pool).ends(NOW);
    judge(200, UNSAID, Wording.OTHER, FIRST, after);
    assertThat(judge(429, UNSAID, Wording.RATE, rejected(1), after)).isEqualTo(Verdict.WAIT);
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void backOff_doublesUpToAMinute_aRandomHalfOfItLeftOut() {
    long now = NOW;
    List<Long> waits = new ArrayList<>();
    for (int time = 0; time < 10; time++) {
      judge(503, UNSAID, Wording.OVERLOADED, FIRST, now);
      long whole = Math.min(60, 1L << time) * SECOND;
      long wait = upstream.pause(pool).ends(now) - now;
      assertThat(wait).isBetween(whole / 2, whole);
      waits.add(wait * 60 * SECOND / whole);
      now += wait;
    }
    assertThat(waits).doesNotHaveDuplicates();
    judge(200, UNSAID, Wording.OTHER, FIRST, now);
    judge(503, 7 * SECOND, Wording.OVERLOADED, FIRST, now);
    assertThat(upstream.pause(pool).ends(now)).isEqualTo(now + 7 * SECOND);
  }

  @Test
  void threeFailuresInARow_shutItForASecondDoublingToAMinute() {
    upstream.judge(FIRST, Failure.UNSENT, NOW);
    upstream.judge(FIRST, Failure.BROKEN, NOW);
    judge(200, UNSAID, Wording.OTHER, FIRST, NOW);
    upstream.judge(FIRST, Failure.UNSENT, NOW);
    upstream.judge(FIRST, Failure.UNSENT, NOW);
    assertThat(goes(pool, NOW)).as("the first two are no more in a row").isTrue();
    upstream.judge(FIRST, Failure.UNSENT, NOW);
    long now = NOW;
    for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(upstream.health().opens(now)).isEqualTo(now + seconds * SECOND);
      upstream.judge(FIRST, Failure.BROKEN, now + SECOND / 2);
      assertThat(upstream.health().opens(now)).as("sent before").isEqualTo(now + seconds * SECOND);
      now += seconds * SECOND;
      assertThat(goes(pool, now - 1)).isFalse();
      assertThat(goes(pool, now)).as("the trial").isTrue();
      assertThat(goes(pool, now)).as("one at a time").isFalse();
      upstream.judge(FIRST, Failure.BROKEN, now);
    }
  }

  @Test
  void trialThatGoesWell_opensItForAll() {
    judge(429, UNSAID, Wording.SPENT, FIRST, NOW);
    assertThat(upstream.trouble()).isEqualTo(new Trouble("429 spent", NOW));
    judge(200, UNSAID, Wording.OTHER, FIRST, NOW + 1);
    assertThat(goes(pool, NOW + 1)).as("an answer to what was sent before").isFalse();
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    judge(200, UNSAID, Wording.OTHER, FIRST, NOW + SECOND);
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    assertThat(goes(pool, NOW + SECOND)).isTrue();
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void upstreamThatIsConfiguredAnew_isHealthyAgain() {
    judge(429, UNSAID, Wording.SPENT, FIRST, NOW);
    applied(200);
    assertThat(upstream.health().onTrial()).isFalse();
    assertThat(upstream.trouble()).isNull();
  }

  @Test
  void everyError_isTheLatestTrouble() {
    judge(399, UNSAID, Wording.OTHER, FIRST, NOW);
    assertThat(upstream.trouble()).isNull();
    judge(400, UNSAID, Wording.OTHER, FIRST, NOW);
    assertThat(upstream.trouble()).isEqualTo(new Trouble("400 other", NOW));
    upstream.judge(FIRST, Failure.UNSENT, NOW + 1);
    assertThat(upstream.trouble()).isEqualTo(new Trouble("unsent", NOW + 1));
  }

  @ParameterizedTest
  @CsvSource({"500, OTHER", "502, OTHER", "504, OTHER", "503, OVERLOADED", "529, OTHER"})
  void threeErrorsOfTheUpstreamInARow_shutIt(int status, Wording wording) {
    judge(status, UNSAID, wording, FIRST, NOW);
    judge(status, UNSAID, wording, FIRST, NOW);
    assertThat(upstream.health().onTrial()).isFalse();
    judge(status, UNSAID, wording, FIRST, NOW);
    assertThat(upstream.health().onTrial()).isTrue();
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
    assertThat(Judge.works(status)).isEqualTo(works);
  }

  @Test
  void refusedForLimitsFiveTimes_mayStillFailOnce() {
    Tries five = new Tries("m", 5, 1, true);
    assertThat(judge(500, UNSAID, Wording.OTHER, five, NOW)).isEqualTo(Verdict.ELSEWHERE);
    Tries six = new Tries("m", 6, 1, true);
    assertThat(judge(500, UNSAID, Wording.OTHER, six, NOW)).isEqualTo(Verdict.PASS);
  }

  @Test
  void usageRefused_isTriedWithoutIt_unlessItFailedTwiceBefore() {
    Tries once = new Tries("m", 0, 1, true, Tries.StreamUsage.ADDED);
    assertThat(judge(400, UNSAID, Wording.NO_STREAM_USAGE, once, NOW))
        .isEqualTo(Verdict.WITHOUT_USAGE);
    Tries twice = new Tries("m", 0, 2, true, Tries.StreamUsage.ADDED);
    assertThat(judge(400, UNSAID, Wording.NO_STREAM_USAGE, twice, NOW)).isEqualTo(Verdict.PASS);
  }

  @Test
  void noLimitUsedUp_pausesUntilTheFirstIsWhole() {
    Standing late = new Standing(Measure.TOKENS, 100, 50, SECOND / 10);
    Standing soon = new Standing(Measure.REQUESTS, 100, 50, SECOND / 100);
    Standing unsaid = new Standing(Measure.INPUT_TOKENS, 100, 50, UNSAID);
    Lesson lesson = new Lesson(429, List.of(late, soon, unsaid), UNSAID, Wording.OTHER);
    assertThat(upstream.judge(rejected(1), lesson, NOW)).isEqualTo(Verdict.WAIT);
    assertThat(upstream.pause(pool).ends(NOW)).isEqualTo(NOW + SECOND / 100);
  }

  @Test
  void backOff_isAtLeastHalfOfItAndAtMostAllOfIt() {
    Pause longest = new Pause(new Most());
    longest.backOff(0, NOW);
    assertThat(longest.ends(NOW)).isEqualTo(NOW + SECOND);
    Pause shortest = new Pause(() -> 0);
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
