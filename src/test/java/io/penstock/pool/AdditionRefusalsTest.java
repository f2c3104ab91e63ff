package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.LocalLimitSource;
import io.penstock.suite.Hostile;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when the gateway leaves out what it adds by itself. */
class AdditionRefusalsTest {
  private static final long NOW = 1_000_000_000_000L;
  private static final long TEN_MINUTES = 600_000_000_000L;
  private static final Addition USAGE = Addition.STREAM_USAGE;

  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new LocalLimitSource(), 60_000_000_000L);
  private final Upstream upstream = applied(100);

  private Upstream applied(long rpm) {
    UpstreamSpec spec = UpstreamSetup.of("u").limits(rpm, 0, 0, 0).spec();
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private AttemptVerdict judge(int status, AttemptHistory attemptHistory, long now) {
    return upstream.judge(attemptHistory, ProviderLesson.silent(status), now);
  }

  private static AttemptHistory by(String key, String model, AttemptAdditions additions) {
    return new AttemptHistory(model, 0, 0, true, additions, key, false, false, false);
  }

  private static AttemptAdditions without(Addition addition) {
    return new AttemptAdditions(Set.of(), Set.of(addition));
  }

  private static AttemptAdditions refusing(Addition addition) {
    return new AttemptAdditions(Set.of(addition), Set.of());
  }

  private void servesWithout(String key, Addition addition, long now) {
    judge(200, by(key, "m", without(addition)), now);
  }

  private boolean has(Addition addition, String model, long now) {
    return !upstream.withheld(model, now).contains(addition);
  }

  private long times(String model) {
    return upstream.refusals(upstream.pool(model, NOW), USAGE);
  }

  /** Makes the upstream known to refuse the option for model m. */
  private void known(long now) {
    servesWithout("a", USAGE, now);
    servesWithout("b", USAGE, now);
  }

  @ParameterizedTest
  @EnumSource(Addition.class)
  void refusedAddition_isTriedWithout_andChangesNothingYet(Addition addition) {
    for (int status : new int[] {400, 401, 404, 422, 500, 501}) {
      assertThat(judge(status, by("a", "m", refusing(addition)), NOW))
          .isEqualTo(AttemptVerdict.WITHOUT);
    }
    assertThat(has(addition, "m", NOW)).isTrue();
    assertThat(upstream.health().onTrial()).as("it is healthy").isFalse();
    assertThat(upstream.trouble()).isNull();
  }

  @Test
  void requestThatCannotBeRepeated_hearsTheRefusal() {
    AttemptHistory once =
        new AttemptHistory("m", 0, 0, false, refusing(USAGE), "a", false, false, false);
    assertThat(judge(400, once, NOW)).isEqualTo(AttemptVerdict.PASS);
    assertThat(judge(500, once, NOW)).isEqualTo(AttemptVerdict.PASS);
  }

  @ParameterizedTest
  @EnumSource(Addition.class)
  void servedWithoutItTwice_forTwoKeys_isLeftOutForTenMinutes(Addition addition) {
    servesWithout("a", addition, NOW);
    assertThat(has(addition, "m", NOW)).isTrue();
    servesWithout("b", addition, NOW + 1);
    assertThat(upstream.withheld("m", NOW + 1)).containsExactly(addition);
    assertThat(has(addition, "other", NOW + 1)).isTrue();
    assertThat(has(addition, "m", NOW + TEN_MINUTES)).isFalse();
    assertThat(upstream.withheldUntil("m", addition, NOW + 1)).isEqualTo(NOW + 1 + TEN_MINUTES);
    assertThat(has(addition, "m", NOW + 1 + TEN_MINUTES)).isTrue();
    assertThat(upstream.refusals(upstream.pool("m", NOW), addition)).isEqualTo(1);
    assertThat(upstream.refusals(upstream.pool("other", NOW), addition)).isZero();
  }

  @Test
  void onlyActiveKey_isWitnessEnough_whenItWasServedTwice() {
    servesWithout("a", USAGE, NOW);
    assertThat(has(USAGE, "m", NOW)).isTrue();
    servesWithout("a", USAGE, NOW);
    assertThat(has(USAGE, "m", NOW)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void oneOfSeveralActiveKeys_changesNothingForOthers_howeverOftenItIsServed() {
    for (int time = 0; time < 100; time++) {
      upstream.arrived("b", NOW + time);
      servesWithout("a", USAGE, NOW + time);
    }
    assertThat(has(USAGE, "m", NOW + 100)).isTrue();
    servesWithout("b", USAGE, NOW + 100);
    assertThat(has(USAGE, "m", NOW + 100)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 429, 500})
  void failsWithoutItToo_changesNothing(int status) {
    for (String key : List.of("a", "b", "c")) {
      judge(status, by(key, "m", without(USAGE)), NOW);
    }
    assertThat(has(USAGE, "m", NOW)).isTrue();
  }

  @Test
  void othersThatWereUnderWay_prolongNothing_andCountOnce() {
    known(NOW);
    known(NOW + 1);
    assertThat(has(USAGE, "m", NOW + TEN_MINUTES)).isTrue();
    assertThat(times("m")).isEqualTo(1);
    known(NOW + TEN_MINUTES);
    assertThat(has(USAGE, "m", NOW + TEN_MINUTES)).isFalse();
    assertThat(times("m")).isEqualTo(2);
  }

  @Test
  void usageThatIsStatedAfterAll_endsIt() {
    known(NOW);
    upstream.usageStated("other", true, NOW);
    assertThat(has(USAGE, "m", NOW)).isFalse();
    upstream.usageStated("m", false, NOW);
    assertThat(has(USAGE, "m", NOW)).isTrue();
  }

  /** Otherwise an upstream that states usage unasked, and refuses the option, gets all twice. */
  @Test
  void refusedOnceMore_afterUsageThatWasStatedUnasked_staysLeftOut_untilAClientAsks() {
    known(NOW);
    upstream.usageStated("m", false, NOW);
    servesWithout("a", USAGE, NOW + 1);
    assertThat(has(USAGE, "m", NOW + 1)).isFalse();
    upstream.usageStated("m", false, NOW + 1);
    assertThat(has(USAGE, "m", NOW + 1)).isFalse();
    upstream.usageStated("m", true, NOW + 2);
    assertThat(has(USAGE, "m", NOW + 2)).isTrue();
    servesWithout("a", USAGE, NOW + 3);
    assertThat(has(USAGE, "m", NOW + 3)).as("it begins anew").isTrue();
  }

  @Test
  void statedUsage_saysNothingAboutOtherAdditions() {
    servesWithout("a", Addition.TRACE, NOW);
    servesWithout("b", Addition.TRACE, NOW);
    upstream.usageStated("m", true, NOW);
    assertThat(has(Addition.TRACE, "m", NOW)).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void moreModelsThanAny_areAskedAgainAndAgain() {
    for (int each = 0; each <= AdditionRefusals.MOST; each++) {
      judge(200, by("a", "m" + each, without(USAGE)), NOW);
    }
    for (int each = 0; each <= AdditionRefusals.MOST; each++) {
      judge(200, by("b", "m" + each, without(USAGE)), NOW);
    }
    assertThat(has(USAGE, "m" + (AdditionRefusals.MOST - 1), NOW)).isFalse();
    assertThat(has(USAGE, "m" + AdditionRefusals.MOST, NOW)).isTrue();
    judge(200, by("a", "late", without(USAGE)), NOW + TEN_MINUTES);
    judge(200, by("b", "late", without(USAGE)), NOW + TEN_MINUTES);
    assertThat(has(USAGE, "late", NOW + TEN_MINUTES)).isFalse();
  }

  @Test
  void configuredAnew_isAskedAgain_andConfiguredAlike_isNot() {
    known(NOW);
    applied(100);
    assertThat(has(USAGE, "m", NOW)).isFalse();
    applied(200);
    assertThat(has(USAGE, "m", NOW)).isTrue();
    assertThat(times("m")).isEqualTo(1);
  }
}
