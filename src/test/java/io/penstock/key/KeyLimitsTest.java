package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.LimitMeasure;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.SharingMode;
import io.penstock.usage.UsedTokens;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the limits of keys and groups, and that accounts follow changes of them. */
class KeyLimitsTest {
  private static final long MINUTE = 60_000_000_000L;
  private static final long NOW = 1_800_000_000_000L;
  private static final KeySpec.Limits ALL = new KeySpec.Limits(1, 2, 3, 4, 5, 0);
  private static final KeySpec.Secret SECRET =
      new KeySpec.Secret(KeySecrets.sha256("secret"), KeySpec.NEVER);

  private final KeyRegistry keyRegistry = new KeyRegistry(new LocalLimitSource(), MINUTE);

  private static KeySpec key(
      KeySpec.Limits limits,
      Map<String, KeySpec.ModelLimits> models,
      @Nullable SharingMode sharingMode) {
    return new KeySpec(
        "k",
        List.of(SECRET),
        new KeyTerms(
            limits,
            models,
            "g",
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            new KeySpec.LimitPolicy(false, 100, false, sharingMode, null)));
  }

  private static KeySpec key(KeySpec.Limits limits) {
    return key(limits, Map.of(), null);
  }

  private static ConfiguredLimits terms() {
    return new ConfiguredLimits(MINUTE, () -> NOW);
  }

  private CallerAccount account() {
    return Objects.requireNonNull(keyRegistry.caller("secret", NOW)).account();
  }

  private List<String> faced() {
    return account().quotas(null, 0).stream()
        .map(quota -> quota.name() + " " + quota.limits().size())
        .toList();
  }

  @Test
  void termsOfAKey_areAllThatAreConfigured() {
    assertThat(terms().of(key(ALL)))
        .extracting(each -> each.id().measure(), KeyLimit::reason)
        .containsExactly(
            tuple(LimitMeasure.REQUESTS, RefusalReason.KEY_RPM),
            tuple(LimitMeasure.TOKENS, RefusalReason.KEY_TPM),
            tuple(LimitMeasure.REQUESTS, RefusalReason.KEY_RPD),
            tuple(LimitMeasure.CONCURRENCY, RefusalReason.KEY_CONCURRENCY),
            tuple(LimitMeasure.TOKENS, RefusalReason.KEY_BUDGET));
    assertThat(terms().of(key(KeySpec.Limits.NONE))).isEmpty();
  }

  @Test
  void termsOfAKeyForAModel_areThoseOfItsMinute() {
    KeySpec key = key(ALL);
    assertThat(terms().of(key, "m", new KeySpec.ModelLimits(1, 2)))
        .extracting(each -> each.id().measure(), KeyLimit::reason)
        .containsExactly(
            tuple(LimitMeasure.REQUESTS, RefusalReason.KEY_RPM),
            tuple(LimitMeasure.TOKENS, RefusalReason.KEY_TPM));
  }

  @Test
  void termsOfAGroup_areAllThatAreConfigured() {
    assertThat(terms().of(new GroupSpec("g", 1, 2, 3, 4, 5)))
        .extracting(each -> each.id().measure(), KeyLimit::reason)
        .containsExactly(
            tuple(LimitMeasure.REQUESTS, RefusalReason.GROUP_RPM),
            tuple(LimitMeasure.TOKENS, RefusalReason.GROUP_TPM),
            tuple(LimitMeasure.REQUESTS, RefusalReason.GROUP_RPD),
            tuple(LimitMeasure.TOKENS, RefusalReason.GROUP_BUDGET),
            tuple(LimitMeasure.TOKENS, RefusalReason.GROUP_BUDGET));
  }

  @Test
  void limitsOfAKey_endWithThoseOfTheModel() {
    KeySpec key =
        key(
            new KeySpec.Limits(7, 0, 0, 0, 0, 0),
            Map.of("gpt-4o", new KeySpec.ModelLimits(0, 9)),
            null);
    assertThat(keyRegistry.limits(key, null))
        .extracting(KeyLimit::reason)
        .containsExactly(RefusalReason.KEY_RPM);
    assertThat(keyRegistry.limits(key, "gpt-4o-mini")).isEqualTo(keyRegistry.limits(key, null));
    assertThat(keyRegistry.limits(key, "gpt-4o-2024-08-06"))
        .isEqualTo(keyRegistry.limits(key, "gpt-4o"))
        .extracting(KeyLimit::reason)
        .containsExactly(RefusalReason.KEY_RPM, RefusalReason.KEY_TPM);
  }

  @Test
  void keyThatChanges_hasItsNewLimits_whereverItIsConfigured() {
    GroupSpec group = new GroupSpec("g", 1, 2, 0, 0, 0);
    keyRegistry.configure(List.of(key(ALL)), List.of(group), 0);
    assertThat(faced()).containsExactly("key k 5", "group g 2");
    CallerAccount before = account();
    keyRegistry.configure(List.of(key(new KeySpec.Limits(9, 0, 0, 0, 0, 0))), List.of(), 0);
    assertThat(before.quotas(null, 0).getFirst().limits()).hasSize(1);
    keyRegistry.configure(List.of(), List.of(), 0);
    keyRegistry.stored(key(ALL), 0);
    before = account();
    keyRegistry.stored(key(KeySpec.Limits.NONE), 0);
    assertThat(account()).isSameAs(before);
    assertThat(faced()).isEmpty();
  }

  @Test
  void groups_areThoseOfTheFiles() {
    keyRegistry.configure(List.of(), List.of(new GroupSpec("g", 0, 0, 0, 0, 0)), 0);
    assertThat(keyRegistry.hasGroup("g")).isTrue();
    assertThat(keyRegistry.hasGroup("other")).isFalse();
  }

  @Test
  void sharing_isWhatTheKeySays() {
    keyRegistry.configure(List.of(key(ALL, Map.of(), SharingMode.EXACT)), List.of(), 0);
    assertThat(keyRegistry.sharing("k")).isEqualTo(SharingMode.EXACT);
    assertThat(keyRegistry.sharing("other")).isNull();
    keyRegistry.configure(List.of(key(ALL)), List.of(), 0);
    assertThat(keyRegistry.sharing("k")).isNull();
  }

  @Test
  void scope_isWhatItIsMadeOf_andNullIsEverything() {
    KeySpec.Scope scope = new KeySpec.Scope(Set.of("m"), Set.of("/chat"), AllowedCalls.ALL);
    assertThat(scope.models()).containsExactly("m");
    assertThat(scope.endpoints()).containsExactly("/chat");
    assertThat(new KeySpec.Scope(null, null, AllowedCalls.ALL)).isEqualTo(KeySpec.Scope.ALL);
  }

  @Test
  void secretsThatAgreeInOneWordOnly_areOthers() {
    KeySpec key =
        new KeySpec("a", List.of(new KeySpec.Secret(1, 2, 3, 4, KeySpec.NEVER)), key(ALL).terms());
    KeyIndex index = KeyIndex.of(List.of(key));
    KeyAccounts keyAccounts =
        new KeyAccounts(new LocalLimitSource(), MINUTE, UsedTokens.NONE, sharing -> true, () -> 0);
    assertThat(index.isEmpty()).isFalse();
    assertThat(index.find(1, 3, NOW, keyAccounts)).isNull();
    assertThat(index.find(3, 2, NOW, keyAccounts)).isNull();
    ApiCaller apiCaller = index.find(1, 2, NOW, keyAccounts);
    assertThat(apiCaller).isNotNull().extracting(ApiCaller::spec).isSameAs(key);
    assertThat(index.find(1, 2, NOW, keyAccounts)).as("nothing is made anew").isSameAs(apiCaller);
  }
}
