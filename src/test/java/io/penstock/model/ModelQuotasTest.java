package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.PatientWaits;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WatchedLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelQuotasTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;

  private final WatchedLimits source = new WatchedLimits();
  private final ModelQuotas quotas = new ModelQuotas(source, WINDOW);

  private Quota quota(String model) {
    return Objects.requireNonNull(quotas.of(model, NOW));
  }

  private @Nullable String name(String model) {
    Quota quota = quotas.of(model, NOW);
    return quota == null ? null : quota.name();
  }

  private static boolean take(Quota quota, long tokens, long now) {
    return quota.take(Cost.ofInput(tokens), now, new ArrayList<>());
  }

  @Test
  void nothingConfigured_limitsNothing() {
    assertThat(quotas.of("gemini-2.5-pro", NOW)).isNull();
    assertThat(quotas.of(null, NOW)).isNull();
    assertThat(quotas.known("gemini-2.5-pro")).isNotNull();
    assertThat(quotas.known("gpt-4o")).isNull();
    assertThat(source.ids).isEmpty();
  }

  @Test
  void anythingConfigured_decisionsKnowNoGeminiEither() {
    quotas.configure(List.of("local"), Map.of(), NOW);
    assertThat(quotas.known("gemini-2.5-pro")).isNull();
    quotas.configure(List.of(), Map.of("m", ModelLimits.NONE), NOW);
    assertThat(quotas.known("gemini-2.5-pro")).isNull();
    assertThat(quotas.of("m", NOW)).isNull();
  }

  @Test
  void profile_routeFile_override_theLastWins() {
    quotas.configure(List.of("openai"), Map.of(), NOW);
    Quota quota = quota("gpt-4o");
    assertThat(limits(quota)).containsExactly(ModelQuotas.UNLIMITED, 500L, 30_000L);
    quotas.configure(List.of("openai"), Map.of("gpt-4o", new ModelLimits(5, 0, 7)), NOW);
    assertThat(limits(quota)).containsExactly(7L, 5L, ModelQuotas.UNLIMITED);
    assertThat(quotas.override("gpt-4o", new ModelLimits(1, 2, 3), NOW)).isTrue();
    quotas.configure(List.of("openai"), Map.of("gpt-4o", new ModelLimits(6, 0, 7)), NOW);
    assertThat(limits(quota)).containsExactly(3L, 1L, 2L);
    assertThat(quotas.endOverride("gpt-4o", NOW)).isTrue();
    assertThat(quotas.endOverride("gpt-4o", NOW)).isFalse();
    assertThat(limits(quota)).containsExactly(7L, 6L, ModelQuotas.UNLIMITED);
    assertThat(quotas.of("gpt-4o", NOW)).isSameAs(quota);
  }

  private static List<Long> limits(Quota quota) {
    return quota.limits().stream().map(metered -> metered.limit().capacity()).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-4o, gpt-4o",
    "gpt-4o-latest, gpt-4o",
    "gpt-4o-2024-08-06, gpt-4o",
    "gpt-4o-20240806, gpt-4o",
    "gpt-4o-0613, gpt-4o",
    "gpt-4o-05-06, gpt-4o",
    "gpt-4o-mini-2024-07-18, gpt-4o-mini",
    "gpt-4o-mini-latest, gpt-4o-mini",
    "gpt-4o-2024-08-06-latest,",
    "gpt-4o-2024-13-06,",
    "gpt-4o-audio,",
    "gpt-4o-,",
    "gpt-4oo,",
    "gpt-4o2024-08-06,",
    "GPT-4o,",
    "xgpt-4o,",
    "-latest,",
    "latest,",
    "----------------,",
    "'',"
  })
  void name_isTheSame_orContinuedByADate(String model, @Nullable String counted) {
    quotas.configure(List.of("openai"), Map.of(), NOW);
    assertThat(name(model)).isEqualTo(counted);
  }

  @Test
  void namesOfOneModel_haveOneQuota() {
    quotas.configure(List.of("anthropic"), Map.of(), NOW);
    assertThat(quota("claude-sonnet-4-20250514")).isSameAs(quota("claude-sonnet-4-latest"));
    assertThat(quota("claude-sonnet-4")).isNotSameAs(quota("claude-opus-4"));
  }

  @Test
  void exactName_winsOverALongerRule() {
    quotas.configure(List.of("openai"), Map.of("gpt-4o-2024-08-06", new ModelLimits(1, 0, 0)), NOW);
    assertThat(name("gpt-4o-2024-08-06")).isEqualTo("gpt-4o-2024-08-06");
    assertThat(name("gpt-4o-2024-05-13")).isEqualTo("gpt-4o");
  }

  @ParameterizedTest
  @CsvSource({
    "gemini-3-pro-preview, 150, 1000000, 1000",
    "gemini-3-flash-preview, 150, 1000000, 1000",
    "gemini-2.5-pro, 150, 1000000, 1000",
    "gemini-2.0-flash, 150, 1000000, 0",
    "gemini-2.0-flash-lite, 0, 0, 0",
    "gpt-4o, 500, 30000, 0",
    "gpt-4-turbo, 500, 30000, 0",
    "o1, 500, 30000, 0",
    "gpt-4o-mini, 500, 200000, 0",
    "o1-mini, 500, 200000, 0",
    "o3-mini, 500, 200000, 0",
    "claude-opus-4, 50, 40000, 0",
    "claude-sonnet-4, 50, 40000, 0",
    "claude-haiku-3.5, 50, 50000, 0"
  })
  void profiles_areAsDocumented(String model, long rpm, long tpm, long rpd) {
    quotas.configure(Set.of("openai", "anthropic", "gemini", "local"), Map.of(), NOW);
    assertThat(Objects.requireNonNull(quotas.known(model)).limits())
        .isEqualTo(new ModelLimits(rpm, tpm, rpd));
    assertThat(quotas.known()).hasSize(14);
  }

  @Test
  void loadedProfile_staysAcrossReloads() {
    assertThat(quotas.load("nobody", NOW)).isFalse();
    assertThat(quotas.load("openai", NOW)).isTrue();
    quotas.configure(List.of("anthropic"), Map.of(), NOW);
    assertThat(name("o1")).isEqualTo("o1");
    assertThat(name("claude-opus-4")).isEqualTo("claude-opus-4");
  }

  @Test
  void limits_bindAtN_andFreeAfterTheWindow() {
    quotas.configure(List.of(), Map.of("m", new ModelLimits(2, 100, 0)), NOW);
    Quota quota = quota("m");
    assertThat(take(quota, 60, NOW)).isTrue();
    assertThat(take(quota, 41, NOW)).isFalse();
    assertThat(take(quota, 40, NOW)).isTrue();
    assertThat(take(quota, 0, NOW)).isFalse();
    assertThat(take(quota, 0, NOW + WINDOW)).isFalse();
    assertThat(take(quota, 100, NOW + WINDOW + WINDOW / 60)).isTrue();
  }

  @Test
  void overrun_countsForItsWindow_andNotForThePaceAfterIt() {
    quotas.configure(List.of(), Map.of("m", new ModelLimits(0, 100, 0)), NOW);
    Quota quota = quota("m");
    quota.limits().get(2).limit().charge(100_000, 0, NOW);
    assertThat(take(quota, 1, NOW + WINDOW)).isFalse();
    assertThat(take(quota, 100, NOW + WINDOW + WINDOW / 60)).isTrue();
  }

  @Test
  void day_isOf24Hours_fromTheFirstRequest_andRefuses() {
    quotas.configure(List.of(), Map.of("m", new ModelLimits(0, 0, 1)), NOW);
    Quota quota = quota("m");
    assertThat(quota.limits().getFirst().reason()).isEqualTo(RefusalReason.MODEL_RPD);
    long first = NOW + 5 * SECOND;
    assertThat(take(quota, 1, first)).isTrue();
    assertThat(take(quota, 1, first + LimitSpec.Day.NANOS - 1)).isFalse();
    assertThat(take(quota, 1, first + LimitSpec.Day.NANOS)).isTrue();
  }

  @Test
  void changedTerms_keepWhatIsSpent_alsoWhatWasNotLimited() {
    quotas.configure(List.of(), Map.of("m", new ModelLimits(0, 1_000, 0)), NOW);
    Quota quota = quota("m");
    take(quota, 10, NOW);
    take(quota, 10, NOW);
    quotas.configure(List.of(), Map.of("m", new ModelLimits(2, 1_000, 0)), NOW);
    assertThat(take(quota, 10, NOW)).isFalse();
    quotas.configure(List.of(), Map.of("m", new ModelLimits(3, 1_000, 0)), NOW);
    assertThat(take(quota, 10, NOW)).isTrue();
  }

  @Test
  void modelNotConfiguredAnyMore_holdsNobody_andIsWhatItWasWhenItComesBack() {
    Map<String, ModelLimits> terms = Map.of("m", new ModelLimits(1, 0, 0));
    quotas.configure(List.of(), terms, NOW);
    Quota quota = quota("m");
    take(quota, 1, NOW);
    quotas.configure(List.of(), Map.of(), NOW);
    assertThat(quotas.of("m", NOW)).isNull();
    assertThat(take(quota, 1, NOW)).isTrue();
    quotas.configure(List.of(), terms, NOW);
    assertThat(quota("m")).isSameAs(quota);
    assertThat(take(quota, 1, NOW)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reset_forgetsWhatIsUsed(boolean all) {
    quotas.configure(
        List.of(), Map.of("m", new ModelLimits(1, 0, 1), "n", new ModelLimits(1, 0, 0)), NOW);
    assertThat(take(quota("m"), 1, NOW)).isTrue();
    assertThat(take(quota("n"), 1, NOW)).isTrue();
    quotas.reset(all ? null : "m-latest", NOW);
    assertThat(take(quota("m"), 1, NOW)).isTrue();
    assertThat(take(quota("n"), 1, NOW)).isEqualTo(all);
  }

  @Test
  void unknownNames_makeNothing() {
    quotas.configure(List.of("openai"), Map.of(), NOW);
    for (int each = 0; each < 10_000; each++) {
      assertThat(quotas.of("model-" + each, NOW)).isNull();
    }
    assertThat(source.ids).isEmpty();
  }

  @Test
  void overrides_areBounded() {
    Map<String, ModelLimits> most = new HashMap<>();
    for (int each = 0; each < ModelQuotas.MOST_OVERRIDES - 1; each++) {
      most.put("m" + each, ModelLimits.NONE);
    }
    quotas.restore(most, NOW);
    assertThat(quotas.override("last", ModelLimits.NONE, NOW)).isTrue();
    assertThat(quotas.override("one more", ModelLimits.NONE, NOW)).isFalse();
    assertThat(quotas.override("last", new ModelLimits(1, 1, 1), NOW)).isTrue();
    assertThat(quotas.overrides()).hasSize(ModelQuotas.MOST_OVERRIDES);
  }

  @Test
  void idleQuota_thatNobodyHas_isForgotten_whenItOwesNothing() {
    quotas.configure(List.of(), Map.of("m", new ModelLimits(1, 0, 0), "n", ModelLimits.NONE), NOW);
    assertThat(take(quota("m"), 1, NOW)).isTrue();
    PatientWaits.await()
        .untilAsserted(
            () -> {
              System.gc();
              quotas.configure(List.of(), Map.of("n", new ModelLimits(1, 0, 0)), NOW + WINDOW);
              assertThat(source.ids)
                  .hasSize(3); // the limits of the minute and of the day still have charges
            });
    long later = NOW + LimitSpec.Day.NANOS;
    PatientWaits.await()
        .untilAsserted(
            () -> {
              System.gc();
              quotas.of("n", later);
              quotas.configure(List.of(), Map.of("n", new ModelLimits(1, 0, 0)), later);
              assertThat(source.ids).extracting(LimitId::id).containsOnly("n");
            });
  }

  @Test
  void nameThatIsNone_isNull() {
    Set<String> known = Set.of("gpt-4o", "");
    assertThat(ModelNames.match(known::contains, "gpt-4o-latest")).isEqualTo("gpt-4o");
    assertThat(ModelNames.match(known::contains, "gpt-4o-audio")).isNull();
    assertThat(ModelNames.match(known::contains, "-latest")).isNull();
  }

  @Test
  void whatOperatorsSay_isInForceAtOnce_andTold() {
    AtomicInteger notices = new AtomicInteger();
    quotas.whenChanged(notices::incrementAndGet);
    assertThat(quotas.load("nobody", NOW)).isFalse();
    assertThat(notices).hasValue(0);
    assertThat(quotas.load("openai", NOW)).isTrue();
    assertThat(name("o1")).isEqualTo("o1");
    assertThat(notices).hasValue(1);
    assertThat(quotas.override("m", new ModelLimits(1, 0, 0), NOW)).isTrue();
    assertThat(name("m")).isEqualTo("m");
    assertThat(notices).hasValue(2);
    assertThat(quotas.endOverride("m", NOW)).isTrue();
    assertThat(name("m")).isNull();
    assertThat(notices).hasValue(3);
    quotas.configure(List.of(), Map.of("n", new ModelLimits(1, 0, 0)), NOW);
    assertThat(notices).as("what route files say is told by others").hasValue(3);
  }

  @Test
  void restoredOverrides_takeThePlaceOfOthers_atOnce_andAreTold() {
    AtomicInteger notices = new AtomicInteger();
    quotas.override("since", new ModelLimits(1, 0, 0), NOW);
    quotas.whenChanged(notices::incrementAndGet);
    Map<String, ModelLimits> before = Map.of("before", new ModelLimits(2, 0, 0));
    quotas.restore(before, NOW);
    assertThat(quotas.overrides()).isEqualTo(before);
    assertThat(name("before")).isEqualTo("before");
    assertThat(name("since")).isNull();
    assertThat(notices).hasValue(1);
  }
}
