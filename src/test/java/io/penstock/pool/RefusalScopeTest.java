package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.CountedLimits;
import io.penstock.pool.ProviderLesson.ErrorCause;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.quota.ProviderStatus;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how much of an upstream a refusal shuts: the least that it can be about. */
class RefusalScopeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final Limits LIMITS = new Limits(600, 0, 0, 0, 0, 0);

  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new CountedLimits(), 60 * SECOND);
  private final Upstream upstream = applied();
  private long now = NOW;

  private Upstream applied() {
    UpstreamSpec spec =
        UpstreamSetup.of("u")
            .limits(LIMITS)
            .pools(List.of(new SharedPool("both", Set.of("x", "y", "z"), LIMITS)))
            .spec();
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  @BeforeEach
  void twoTenantsAreActive() {
    served("alice", "warm");
    served("mallory", "warm");
  }

  private static AttemptHistory of(String tenant, String model) {
    return new AttemptHistory(
        model, 1, 0, true, AttemptAdditions.NONE, tenant, false, false, false);
  }

  private void served(String tenant, String model) {
    upstream.judge(of(tenant, model), ProviderLesson.silent(200), now);
  }

  private AttemptVerdict answer(String tenant, String model, ProviderLesson lesson) {
    return upstream.judge(of(tenant, model), lesson, now);
  }

  private AttemptVerdict refuse(String tenant, String model, int status, String words) {
    return answer(
        tenant,
        model,
        new ProviderLesson(status, List.of(), 5 * SECOND, ErrorCause.RATE, null, words));
  }

  private AttemptVerdict refuse(String tenant, String model) {
    return refuse(tenant, model, 429, "rate limit reached");
  }

  /** Returns whether a request can go now. */
  private boolean goes(String tenant, String model) {
    return upstream.readiness(upstream.pool(model, now), now).now(now)
        && upstream.holds(tenant, model, now).isEmpty();
  }

  private boolean teaches(String tenant, String model) {
    ProviderLesson lesson = new ProviderLesson(429, List.of(), 5 * SECOND, ErrorCause.RATE);
    return upstream.teaches(of(tenant, model), lesson, now);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503, 529})
  void oneOfTwoTenantsIsRefused_onlyItsRequestsForThatModelWait(int status) {
    for (int each = 0; each < 5; each++) {
      refuse("mallory", "m", status, "rate limit reached");
    }
    assertThat(goes("mallory", "m")).isFalse();
    assertThat(goes("mallory", "n")).isTrue();
    assertThat(goes("alice", "m")).isTrue();
    assertThat(teaches("mallory", "m")).isFalse();
    assertThat(upstream.health().onTrial()).isFalse();
    now += 120 * SECOND;
    assertThat(goes("mallory", "m")).isTrue();
  }

  @Test
  void refusalsWithoutATimeOfOneOfTwoTenants_shutNothingForTheOther() {
    for (int each = 0; each < 5; each++) {
      answer(
          "mallory",
          "m",
          new ProviderLesson(429, List.of(), ProviderStatus.UNSTATED, ErrorCause.OTHER));
    }
    assertThat(goes("alice", "m")).isTrue();
    assertThat(upstream.health().onTrial()).isFalse();
    assertThat(teaches("mallory", "m")).isFalse();
  }

  @Test
  void secondTenantIsRefusedToo_theModelIsShutForAll() {
    refuse("mallory", "m");
    refuse("alice", "m");
    assertThat(goes("carol", "m")).isFalse();
    assertThat(goes("carol", "n")).isTrue();
    assertThat(teaches("alice", "m")).isTrue();
  }

  @Test
  void nobodyElseWasActive_theModelIsShutForAll() {
    now += 61 * SECOND;
    served("mallory", "warm");
    refuse("mallory", "m");
    assertThat(goes("alice", "m")).isFalse();
    assertThat(teaches("mallory", "m")).isTrue();
  }

  @Test
  void modelServesSomeoneMeanwhile_theRefusalBeforeIsNoWitness() {
    refuse("mallory", "m");
    served("alice", "m");
    refuse("alice", "m");
    assertThat(goes("carol", "m")).isTrue();
  }

  @Test
  void refusalIsOld_itIsNoWitness() {
    refuse("mallory", "m");
    now += 61 * SECOND;
    served("mallory", "warm");
    served("alice", "warm");
    refuse("alice", "m");
    assertThat(goes("carol", "m")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "rate limit reached for x in organization org-1 on tokens per min, false",
    "quota exceeded for metric: requests\\nx, false",
    "rate limit reached for x for this user, true",
    "rate limit reached for x-large, true",
    "rate limit reached, true",
  })
  void wordsNameTheModel_itIsShutForAll_andThoseOfItsPoolAreNot(String words, boolean goes) {
    refuse("mallory", "x", 429, words.replace("\\n", "\n"));
    assertThat(goes("alice", "x")).isEqualTo(goes);
    assertThat(goes("alice", "y")).isTrue();
    assertThat(teaches("mallory", "x")).isFalse();
  }

  @Test
  void twoModelsOfAPoolAreShut_soIsThePool() {
    refuse("mallory", "x", 429, "limit of x");
    refuse("mallory", "y", 429, "limit of y");
    assertThat(goes("alice", "z")).isFalse();
    assertThat(goes("alice", "m")).isTrue();
    assertThat(teaches("mallory", "y")).isTrue();
  }

  @Test
  void headersSayThatNothingIsLeft_thePoolIsShutAtOnce() {
    ProviderStatus empty = new ProviderStatus(LimitMeasure.REQUESTS, 600, 0, 9 * SECOND);
    ProviderLesson lesson = new ProviderLesson(429, List.of(empty), 5 * SECOND, ErrorCause.RATE);
    assertThat(upstream.teaches(of("mallory", "x"), lesson, now)).isTrue();
    answer("mallory", "x", lesson);
    assertThat(goes("alice", "z")).isFalse();
    assertThat(goes("alice", "m")).isTrue();
  }

  @Test
  void threeModelsByTwoTenants_theAccountIsShut() {
    refuse("mallory", "m", 429, "limit of m");
    refuse("mallory", "n", 429, "limit of n");
    refuse("mallory", "o", 429, "limit of o");
    assertThat(goes("alice", "other")).as("one tenant is no witness").isTrue();
    refuse("alice", "o", 429, "limit of o");
    assertThat(goes("alice", "other")).isFalse();
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void requestAsksForTooMuch_itIsPassedOnAndNothingIsShut() {
    ProviderLesson lesson = new ProviderLesson(429, List.of(), 60 * SECOND, ErrorCause.TOO_LARGE);
    assertThat(answer("mallory", "m", lesson)).isEqualTo(AttemptVerdict.PASS);
    assertThat(goes("mallory", "m")).isTrue();
  }

  @Test
  void dayOfAModelIsUsedUp_otherModelsGoOn() {
    ProviderLesson lesson =
        new ProviderLesson(
            429, List.of(), ProviderStatus.UNSTATED, ErrorCause.DAY, null, "per day\nm");
    assertThat(answer("mallory", "m", lesson)).isEqualTo(AttemptVerdict.WAIT);
    assertThat(goes("alice", "m")).isFalse();
    assertThat(goes("alice", "n")).isTrue();
    assertThat(upstream.health().onTrial()).isFalse();
  }

  @Test
  void tenantIsRefusedForManyModels_itHoldsABoundedNumberOfPauses() {
    for (int each = 0; each < 2 * UpstreamHolds.MOST_MODELS; each++) {
      refuse("mallory", "m" + each);
    }
    assertThat(goes("mallory", "m3")).isFalse();
    assertThat(goes("mallory", "m1999")).isFalse();
    assertThat(goes("mallory", "never")).as("further models count as one").isFalse();
    assertThat(goes("alice", "m3")).isTrue();
  }

  @Test
  void upstreamIsConfiguredAnew_itsPausesEnd() {
    refuse("mallory", "m");
    upstreamRegistry.apply(List.of(UpstreamSetup.of("u").limits(Limits.NONE).spec()), now);
    assertThat(goes("mallory", "m")).isTrue();
  }
}
