package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.cost.Measure;
import io.penstock.quota.Account;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Sharing;
import io.penstock.refusal.Reason;
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
  private static final KeySpec.Limits ALL = new KeySpec.Limits(1, 2, 3, 4, 5);
  private static final KeySpec.Secret SECRET =
      new KeySpec.Secret(Secrets.sha256("secret"), KeySpec.NEVER);

  private final Keys keys = new Keys(new LocalLimitSource(), MINUTE);

  private static KeySpec key(
      KeySpec.Limits limits, Map<String, KeySpec.ModelLimits> models, @Nullable Sharing sharing) {
    return new KeySpec(
        "k",
        List.of(SECRET),
        limits,
        models,
        "g",
        KeySpec.Scope.ALL,
        KeySpec.Rank.PLAIN,
        KeySpec.NEVER,
        false,
        false,
        sharing);
  }

  private static KeySpec key(KeySpec.Limits limits) {
    return key(limits, Map.of(), null);
  }

  private static Terms terms() {
    return new Terms(MINUTE, () -> NOW);
  }

  private Account account() {
    return Objects.requireNonNull(keys.caller("secret", NOW)).account();
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
            tuple(Measure.REQUESTS, Reason.KEY_RPM),
            tuple(Measure.TOKENS, Reason.KEY_TPM),
            tuple(Measure.REQUESTS, Reason.KEY_RPD),
            tuple(Measure.CONCURRENCY, Reason.KEY_CONCURRENCY),
            tuple(Measure.TOKENS, Reason.KEY_BUDGET));
    assertThat(terms().of(key(KeySpec.Limits.NONE))).isEmpty();
  }

  @Test
  void termsOfAKeyForAModel_areThoseOfItsMinute() {
    KeySpec key = key(ALL);
    assertThat(terms().of(key, "m", new KeySpec.ModelLimits(1, 2)))
        .extracting(each -> each.id().measure(), KeyLimit::reason)
        .containsExactly(
            tuple(Measure.REQUESTS, Reason.KEY_RPM), tuple(Measure.TOKENS, Reason.KEY_TPM));
  }

  @Test
  void termsOfAGroup_areAllThatAreConfigured() {
    assertThat(terms().of(new GroupSpec("g", 1, 2, 3, 4, 5)))
        .extracting(each -> each.id().measure(), KeyLimit::reason)
        .containsExactly(
            tuple(Measure.REQUESTS, Reason.GROUP_RPM),
            tuple(Measure.TOKENS, Reason.GROUP_TPM),
            tuple(Measure.REQUESTS, Reason.GROUP_RPD),
            tuple(Measure.TOKENS, Reason.GROUP_BUDGET),
            tuple(Measure.TOKENS, Reason.GROUP_BUDGET));
  }

  @Test
  void limitsOfAKey_endWithThoseOfTheModel() {
    KeySpec key =
        key(
            new KeySpec.Limits(7, 0, 0, 0, 0),
            Map.of("gpt-4o", new KeySpec.ModelLimits(0, 9)),
            null);
    assertThat(keys.limits(key, null)).extracting(KeyLimit::reason).containsExactly(Reason.KEY_RPM);
    assertThat(keys.limits(key, "gpt-4o-mini")).isEqualTo(keys.limits(key, null));
    assertThat(keys.limits(key, "gpt-4o-2024-08-06"))
        .isEqualTo(keys.limits(key, "gpt-4o"))
        .extracting(KeyLimit::reason)
        .containsExactly(Reason.KEY_RPM, Reason.KEY_TPM);
  }

  @Test
  void keyThatChanges_hasItsNewLimits_whereverItIsConfigured() {
    GroupSpec group = new GroupSpec("g", 1, 2, 0, 0, 0);
    keys.configure(List.of(key(ALL)), List.of(group), 0);
    assertThat(faced()).containsExactly("key k 5", "group g 2");
    Account before = account();
    keys.configure(List.of(key(new KeySpec.Limits(9, 0, 0, 0, 0))), List.of(), 0);
    assertThat(before.quotas(null, 0).getFirst().limits()).hasSize(1);
    keys.configure(List.of(), List.of(), 0);
    keys.stored(key(ALL), 0);
    before = account();
    keys.stored(key(KeySpec.Limits.NONE), 0);
    assertThat(account()).isSameAs(before);
    assertThat(faced()).isEmpty();
  }

  @Test
  void groups_areThoseOfTheFiles() {
    keys.configure(List.of(), List.of(new GroupSpec("g", 0, 0, 0, 0, 0)), 0);
    assertThat(keys.hasGroup("g")).isTrue();
    assertThat(keys.hasGroup("other")).isFalse();
  }

  @Test
  void sharing_isWhatTheKeySays() {
    keys.configure(List.of(key(ALL, Map.of(), Sharing.EXACT)), List.of(), 0);
    assertThat(keys.sharing("k")).isEqualTo(Sharing.EXACT);
    assertThat(keys.sharing("other")).isNull();
    keys.configure(List.of(key(ALL)), List.of(), 0);
    assertThat(keys.sharing("k")).isNull();
  }

  @Test
  void scope_isWhatItIsMadeOf_andNullIsEverything() {
    KeySpec.Scope scope = new KeySpec.Scope(Set.of("m"), Set.of("/chat"));
    assertThat(scope.models()).containsExactly("m");
    assertThat(scope.endpoints()).containsExactly("/chat");
    assertThat(new KeySpec.Scope(null, null)).isEqualTo(KeySpec.Scope.ALL);
  }

  @Test
  void secretsThatAgreeInOneWordOnly_areOthers() {
    KeySpec key = key(ALL).as("a", List.of(new KeySpec.Secret(1, 2, 3, 4, KeySpec.NEVER)));
    KeyIndex index = KeyIndex.of(List.of(key));
    Accounts accounts = new Accounts(new LocalLimitSource(), MINUTE);
    assertThat(index.isEmpty()).isFalse();
    assertThat(index.find(1, 3, NOW, accounts)).isNull();
    assertThat(index.find(3, 2, NOW, accounts)).isNull();
    Caller caller = index.find(1, 2, NOW, accounts);
    assertThat(caller).isNotNull().extracting(Caller::spec).isSameAs(key);
    assertThat(index.find(1, 2, NOW, accounts)).as("nothing is made anew").isSameAs(caller);
  }
}
