package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.CountedLimits;
import io.penstock.limit.HeldShares;
import io.penstock.queue.Ticket;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SharingMode;
import io.penstock.tenant.PromiseHolder;
import io.penstock.usage.UsedTokens;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyAccountsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 86_400 * SECOND;

  /** 2026-01-31T12:00:00Z: half a day before a month ends. */
  private static final long NOON = 1_769_860_800_000L;

  private static final KeySpec.Limits NONE = KeySpec.Limits.NONE;
  private static final KeySpec.ModelLimits ONE_A_MINUTE = new KeySpec.ModelLimits(1, 0);

  private final CountedLimits limits = new CountedLimits();
  private long now = 1_000 * SECOND;
  private long arrivals;
  private final KeyAccounts accounts =
      new KeyAccounts(
          limits,
          MINUTE,
          new UsedTokens() {
            @Override
            public long ofKey(String name) {
              return name.equals("k") ? 70 : 0;
            }

            @Override
            public long ofGroup(String name, boolean month) {
              return month ? 900 : 70;
            }
          },
          sharing -> sharing != SharingMode.EVENTUAL,
          () -> NOON + (now - 1_000 * SECOND) / 1_000_000);

  private static KeySpec key(
      String name,
      KeySpec.Limits limits,
      Map<String, KeySpec.ModelLimits> models,
      @Nullable String group,
      boolean waits) {
    return new KeySpec(
        name,
        List.of(),
        new KeyTerms(
            limits,
            models,
            group,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            new KeySpec.LimitPolicy(waits, 100, false, null, null)));
  }

  private static KeySpec key(String name, KeySpec.Limits limits) {
    return key(name, limits, Map.of(), null, false);
  }

  private CallerAccount.ChargeResult charge(KeySpec key, @Nullable String model, long tokens) {
    Ticket ticket = new Ticket(arrivals++, Cost.ofInput(tokens), 0, now, Long.MAX_VALUE);
    return accounts.of(key).charge(model, ticket, now);
  }

  private boolean takes(KeySpec key, long tokens) {
    return charge(key, "m", tokens) instanceof CallerAccount.Taken;
  }

  private Refusal denial(KeySpec key, @Nullable String model, long tokens) {
    if (charge(key, model, tokens) instanceof CallerAccount.Denied(Refusal refusal)) {
      return refusal;
    }
    throw new AssertionError("it was not denied");
  }

  private void passes(long nanos) {
    now += nanos;
  }

  @Test
  void requestsOfAMinute_asManyAsMay_andNotOneMore() {
    KeySpec key = key("k", new KeySpec.Limits(2, 0, 0, 0, 0, 0));
    assertThat(takes(key, 1)).isTrue();
    assertThat(takes(key, 1)).isTrue();
    assertThat(denial(key, null, 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(denial(key, null, 1).detail()).contains("key k").contains("2");
  }

  private static KeySpec.Limits light(long rpm, long lightRpm) {
    return new KeySpec.Limits(rpm, 0, 0, 0, 0, 0, lightRpm);
  }

  private @Nullable Refusal takeLight(KeySpec key) {
    return accounts.takeLight(key, new PromiseHolder(key.name(), ""), now);
  }

  @Test
  void callsThatCostNothing_haveALimitOfTheirOwn_ofEachKey() {
    KeySpec one = key("one", light(1, 2));
    KeySpec two = key("two", light(0, 2));
    assertThat(takes(one, 1)).isTrue();
    assertThat(takeLight(one)).isNull();
    assertThat(takeLight(one)).isNull();
    Refusal refusal = Objects.requireNonNull(takeLight(one));
    assertThat(refusal.reason()).isEqualTo(RefusalReason.KEY_LIGHT_RPM);
    assertThat(refusal.detail())
        .isEqualTo("key one for calls that cost nothing: 2 requests a minute");
    assertThat(refusal.retryAfterNanos()).isBetween(MINUTE, MINUTE + SECOND);
    assertThat(takeLight(two)).isNull();
    assertThat(takes(two, 1)).isTrue();
    passes(refusal.retryAfterNanos());
    assertThat(takeLight(one)).isNull();
  }

  @Test
  void callsThatCostNothing_sixHundredUnlessAnotherNumberIsSet_andZeroIsUnlimited() {
    KeySpec plain = key("plain", NONE);
    KeySpec open = key("open", light(0, 0));
    for (int each = 0; each < 600; each++) {
      assertThat(takeLight(plain)).isNull();
      assertThat(takeLight(open)).isNull();
    }
    assertThat(takeLight(plain)).isNotNull();
    assertThat(takeLight(open)).isNull();
  }

  @Test
  void callsThatCostNothing_limitChanged_whatWasTakenStays() {
    KeySpec before = key("k", light(0, 3));
    assertThat(takeLight(before)).isNull();
    assertThat(takeLight(before)).isNull();
    KeySpec after = key("k", light(0, 2));
    accounts.follow(owner -> after, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(takeLight(after)).isNotNull();
    accounts.follow(owner -> before, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(takeLight(before)).isNull();
    assertThat(takeLight(before)).isNotNull();
  }

  @Test
  void callsThatCostNothing_noneCountsAnyMore_theKeyKeepsNoQuotas() {
    KeySpec key = key("k", NONE);
    takeLight(key);
    assertThat(accounts.open()).isEqualTo(1);
    accounts.tidy(now);
    assertThat(accounts.open()).isEqualTo(1);
    passes(MINUTE + SECOND);
    accounts.tidy(now);
    assertThat(accounts.open()).isZero();
    assertThat(limits.live).isEmpty();
  }

  @Test
  void tokensOfAMinute_exactlyAsManyAsMay() {
    KeySpec key = key("k", new KeySpec.Limits(0, 100, 0, 0, 0, 0));
    assertThat(takes(key, 60)).isTrue();
    assertThat(denial(key, null, 41).reason()).isEqualTo(RefusalReason.KEY_TPM);
    assertThat(takes(key, 40)).isTrue();
    assertThat(denial(key, null, 101).reason()).isEqualTo(RefusalReason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void requestsOfADay_areThoseOf24HoursFromTheFirst() {
    KeySpec key = key("k", new KeySpec.Limits(0, 0, 1, 0, 0, 0));
    assertThat(takes(key, 1)).isTrue();
    passes(SECOND);
    Refusal denial = denial(key, null, 1);
    assertThat(denial.reason()).isEqualTo(RefusalReason.KEY_RPD);
    assertThat(denial.retryAfterNanos()).isEqualTo(DAY - SECOND);
    passes(DAY - SECOND);
    assertThat(takes(key, 1)).isTrue();
  }

  @Test
  void budgetOfADay_endsAtMidnightUtc() {
    KeySpec key = key("k", new KeySpec.Limits(0, 0, 0, 0, 100, 0));
    assertThat(takes(key, 100)).isTrue();
    Refusal denial = denial(key, null, 1);
    assertThat(denial.reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    assertThat(denial.retryAfterNanos()).isEqualTo(DAY / 2);
    assertThat(denial.retryUseless()).isTrue();
    passes(DAY / 2);
    assertThat(takes(key, 100)).isTrue();
  }

  private static KeySpec budgeted(String name, long budget) {
    return key(name, new KeySpec.Limits(0, 0, 0, 0, budget, 0));
  }

  private void become(KeySpec key) {
    accounts.follow(
        owner -> owner.equals(key.identity().limitOwner()) ? key : null,
        gone -> Revocation.REFUSES_WAITING,
        now);
  }

  @Test
  void budgetThatAKeyGetsLater_countsWhatItUsedThatDay() {
    assertThat(takes(key("k", NONE), 70)).isTrue();
    become(budgeted("k", 100));
    assertThat(takes(budgeted("k", 100), 30)).isTrue();
    assertThat(denial(budgeted("k", 100), "m", 1).reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    become(budgeted("k", 110));
    assertThat(takes(budgeted("k", 110), 10)).isTrue();
    assertThat(denial(budgeted("k", 110), "m", 1).reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    passes(DAY / 2);
    assertThat(takes(budgeted("k", 110), 110)).isTrue();
  }

  @Test
  void budgetThatIsTakenAwayAndGivenBack_countsWhatWasUsedMeanwhile() {
    assertThat(takes(budgeted("k", 100), 100)).isTrue();
    become(key("k", NONE));
    assertThat(takes(key("k", NONE), 1_000)).isTrue();
    become(budgeted("k", 100));
    assertThat(takes(budgeted("k", 100), 30)).isTrue();
    assertThat(denial(budgeted("k", 100), "m", 1).reason()).isEqualTo(RefusalReason.KEY_BUDGET);
  }

  @Test
  void budgetThatAKeyHadFromTheStart_countsNoEarlierUse() {
    assertThat(takes(budgeted("k", 100), 100)).isTrue();
    KeySpec again =
        budgeted("k", 100).identifiedBy(new KeySpec.Identity("k-again", KeySpec.Identity.UNKNOWN));
    assertThat(takes(again.with(key("k", NONE).terms()), 1)).isTrue();
    become(again);
    assertThat(takes(again, 100)).as("of a key with the name of a revoked one").isTrue();
  }

  @Test
  void budgetThatIsReset_isWhole_unlessOthersShareIt() {
    KeySpec key = budgeted("r", 100);
    assertThat(takes(key, 100)).isTrue();
    assertThat(accounts.budgetUses(key, now).getFirst().left()).isZero();
    assertThat(accounts.resetBudget(key, now)).isTrue();
    assertThat(accounts.budgetUses(key, now).getFirst().left()).isEqualTo(100);
    assertThat(takes(key, 90)).isTrue();
    accounts
        .of(key)
        .quotas(null, now)
        .getFirst()
        .limits()
        .forEach(
            each -> {
              HeldShares.none(each.limit(), () -> {}, now);
              HeldShares.give(each.limit(), 100, now);
            });
    assertThat(accounts.resetBudget(key, now)).isFalse();
    assertThat(accounts.budgetUses(key, now).getFirst().used()).isEqualTo(90);
  }

  @Test
  void budgetThatAGroupGetsLater_countsWhatItUsedThatDayOrMonth() {
    KeySpec member = key("member", NONE, Map.of(), "g", false);
    accounts.configure(List.of(new GroupSpec("g", 0, 0, 0, 0, 0)), now);
    assertThat(takes(member, 70)).isTrue();
    accounts.configure(List.of(new GroupSpec("g", 0, 0, 0, 100, 0)), now);
    assertThat(takes(member, 30)).isTrue();
    assertThat(denial(member, "m", 1).reason()).isEqualTo(RefusalReason.GROUP_BUDGET);
    accounts.configure(List.of(new GroupSpec("g", 0, 0, 0, 0, 1_000)), now);
    assertThat(takes(member, 100)).isTrue();
    assertThat(denial(member, "m", 1).reason()).isEqualTo(RefusalReason.GROUP_BUDGET);
    accounts.configure(List.of(new GroupSpec("other", 0, 0, 0, 100, 0)), now);
    KeySpec first = key("new", NONE, Map.of(), "other", false);
    assertThat(takes(first, 100)).as("of a group that is new").isTrue();
  }

  @Test
  void limitsForOneModel_leaveOthersAlone() {
    KeySpec key = key("k", NONE, Map.of("m", new KeySpec.ModelLimits(1, 0)), null, false);
    assertThat(takes(key, 1)).isTrue();
    assertThat(denial(key, "m", 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(charge(key, "other", 1)).isInstanceOf(CallerAccount.Taken.class);
    assertThat(charge(key, null, 1)).isInstanceOf(CallerAccount.Taken.class);
  }

  @Test
  void group_isOneForAllItsKeys_andTheKeyComesFirst() {
    accounts.configure(List.of(new GroupSpec("g", 3, 0, 0, 0, 0)), now);
    KeySpec one = key("one", new KeySpec.Limits(2, 0, 0, 0, 0, 0), Map.of(), "g", false);
    KeySpec other = key("other", NONE, Map.of(), "g", false);
    assertThat(takes(one, 1)).isTrue();
    assertThat(takes(one, 1)).isTrue();
    assertThat(denial(one, null, 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(takes(other, 1)).isTrue();
    assertThat(denial(other, null, 1).reason()).isEqualTo(RefusalReason.GROUP_RPM);
  }

  @Test
  void budgetOfAMonth_endsWithTheMonthOfTheCalendar() {
    accounts.configure(List.of(new GroupSpec("g", 0, 0, 0, 60, 100)), now);
    KeySpec key = key("k", NONE, Map.of(), "g", false);
    assertThat(takes(key, 60)).isTrue();
    assertThat(denial(key, null, 1).retryAfterNanos()).isEqualTo(DAY / 2);
    passes(DAY / 2);
    assertThat(takes(key, 60)).as("in February").isTrue();
    passes(DAY);
    Refusal denial = denial(key, null, 41);
    assertThat(denial.reason()).isEqualTo(RefusalReason.GROUP_BUDGET);
    assertThat(denial.retryAfterNanos()).isEqualTo(27 * DAY);
  }

  @Test
  void groupChanges_spendStays_andOneThatIsGoneIsForgotten() {
    accounts.configure(List.of(new GroupSpec("g", 1, 5, 0, 0, 0)), now);
    KeySpec key = key("k", NONE, Map.of(), "g", false);
    assertThat(takes(key, 1)).isTrue();
    accounts.configure(List.of(new GroupSpec("g", 2, 0, 0, 0, 0)), now);
    assertThat(limits.live).hasSize(1);
    assertThat(takes(key, 1)).isTrue();
    assertThat(denial(key, null, 1).reason()).isEqualTo(RefusalReason.GROUP_RPM);
    accounts.configure(List.of(), now);
    assertThat(limits.live).isEmpty();
    assertThat(takes(key, 1)).isTrue();
  }

  @Test
  void keyChanges_spendStays_whoWaitsIsWoken_whatIsNotConfiguredIsForgotten() {
    KeySpec before = key("k", new KeySpec.Limits(2, 100, 0, 0, 0, 0));
    assertThat(takes(before, 1)).isTrue();
    assertThat(takes(before, 1)).isTrue();
    KeySpec after = key("k", new KeySpec.Limits(3, 0, 0, 0, 0, 0), Map.of(), null, true);
    CallerAccount callerAccount = accounts.of(before);
    Quota own = callerAccount.quotas(null, now).getFirst();

    accounts.follow(name -> after, gone -> Revocation.REFUSES_WAITING, now);

    assertThat(callerAccount.quotas(null, now)).containsExactly(own);
    assertThat(accounts.of(after)).isSameAs(callerAccount);
    assertThat(callerAccount.waits()).isTrue();
    assertThat(limits.live).hasSize(1);
    assertThat(takes(after, 1)).isTrue();
    assertThat(denial(after, null, 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  /** A waiting request looks its quotas up when it arrives, not each time its key changes. */
  @Test
  void keyThatWaitsWithoutLimits_hasAQuotaForThoseToCome() {
    KeySpec before = key("k", KeySpec.Limits.NONE, Map.of(), null, true);
    KeySpec after = key("k", new KeySpec.Limits(1, 0, 0, 0, 0, 0), Map.of(), null, true);
    CallerAccount callerAccount = accounts.of(before);
    callerAccount.enter();
    Quota faced = callerAccount.quotas(null, now).getFirst();
    assertThat(faced.limits()).isEmpty();
    accounts.follow(name -> after, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(faced.limits()).hasSize(1);
    callerAccount.leave();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keyFoundBeforeItWasChanged_doesNotBringBackWhatItWas(boolean calledBefore) {
    KeySpec before = key("k", new KeySpec.Limits(9, 0, 0, 0, 0, 0));
    KeySpec after = key("k", new KeySpec.Limits(1, 0, 0, 0, 0, 0));
    if (calledBefore) {
      accounts.of(before);
    }
    accounts.follow(name -> after, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(takes(before, 1)).isTrue();
    assertThat(denial(before, null, 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  @Test
  void limitsForOneModel_countForItsDatedNamesToo() {
    KeySpec key = key("k", NONE, Map.of("gpt-4o", new KeySpec.ModelLimits(1, 0)), null, false);
    assertThat(charge(key, "gpt-4o-2024-08-06", 1)).isInstanceOf(CallerAccount.Taken.class);
    assertThat(denial(key, "gpt-4o", 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(denial(key, "gpt-4o-latest", 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
    assertThat(charge(key, "gpt-4o-mini", 1)).isInstanceOf(CallerAccount.Taken.class);
  }

  private static KeySpec again(KeySpec key, long createdAtMillis) {
    return key.identifiedBy(
        new KeySpec.Identity(key.name() + "@" + createdAtMillis, createdAtMillis));
  }

  private void present(KeySpec... keys) {
    Map<String, KeySpec> byOwner = new HashMap<>();
    for (KeySpec each : keys) {
      byOwner.put(each.identity().limitOwner(), each);
    }
    accounts.follow(byOwner::get, gone -> Revocation.REFUSES_WAITING, now);
  }

  @Test
  void keyIsGone_itsSpendCountsAsLongAsItCan_andIsThenForgotten() {
    KeySpec key = key("k", new KeySpec.Limits(1, 0, 0, 0, 0, 0));
    assertThat(takes(key, 1)).isTrue();
    present();
    accounts.tidy(now);
    assertThat(limits.live).hasSize(1);
    passes(61 * SECOND - 1);
    accounts.tidy(now);
    present();
    assertThat(accounts.size()).isEqualTo(1);
    passes(1);
    accounts.tidy(now);
    assertThat(limits.live).isEmpty();
    present();
    assertThat(accounts.size()).isZero();
  }

  @Test
  void keyRemovedAndAddedAgain_findsWhatItSpent() {
    KeySpec key = key("k", new KeySpec.Limits(2, 0, 0, 0, 100, 0));
    assertThat(takes(key, 60)).isTrue();
    present();
    present(key("k", new KeySpec.Limits(2, 0, 0, 0, 90, 0)));
    assertThat(denial(key, null, 31).reason()).isEqualTo(RefusalReason.KEY_BUDGET);
    assertThat(takes(key, 30)).isTrue();
    assertThat(denial(key, null, 0).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  @Test
  void keyOfAnotherIdentity_beginsWithNothingSpent() {
    KeySpec limited =
        key("k", new KeySpec.Limits(1, 9, 1, 1, 9, 0), Map.of("m", ONE_A_MINUTE), null, false);
    assertThat(takes(limited, 9)).isTrue();
    KeySpec next = again(limited, 5);
    present(next);
    assertThat(takes(next, 9)).isTrue();
    assertThat(limits.live).extracting(LimitId::id).contains("k", "k@5");
    assertThat(denial(next, null, 0).detail()).contains("key k: ").doesNotContain("@");
  }

  @Test
  void requestOfAnEarlierKeyOfTheName_isSettledThere() {
    KeySpec first = key("k", new KeySpec.Limits(0, 100, 0, 1, 0, 0));
    CallerAccount old = accounts.of(first);
    old.enter();
    CallerAccount.ChargeResult held = charge(first, null, 60);
    KeySpec next = again(first, 5);
    present(next);
    CallerAccount account = accounts.of(next);
    assertThat(account).isNotSameAs(old);
    CallerAccount.ChargeResult own = charge(next, null, 100);
    assertThat(own).isInstanceOf(CallerAccount.Taken.class);
    ((CallerAccount.Taken) held).charges().forEach(charge -> charge.giveBack(now));
    old.leave();
    assertThat(denial(next, null, 1).reason()).isEqualTo(RefusalReason.KEY_TPM);
    ((CallerAccount.Taken) own).charges().forEach(charge -> charge.giveBack(now));
    assertThat(takes(next, 100)).isTrue();
  }

  /** A request that looked its key up just before the key was replaced is one of the old key. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keyFoundBeforeItWasReplaced_isNotChargedToTheNext(boolean calledBefore) {
    KeySpec first = key("k", new KeySpec.Limits(1, 0, 0, 0, 0, 0));
    KeySpec next = again(first, 5);
    if (calledBefore) {
      accounts.of(first);
    }
    present(next);
    assertThat(takes(first, 1)).isTrue();
    assertThat(takes(next, 1)).isTrue();
    assertThat(denial(next, null, 1).reason()).isEqualTo(RefusalReason.KEY_RPM);
  }

  @Test
  void keyThatIsNotUsed_hasNoQuotas_andOneThatIsIdleHasThemNoMore() {
    KeySpec idle = key("idle", new KeySpec.Limits(1, 1, 1, 1, 1, 0));
    KeySpec used = key("used", new KeySpec.Limits(9, 0, 0, 0, 0, 0));
    accounts.of(idle);
    assertThat(limits.live).isEmpty();
    assertThat(takes(used, 1)).isTrue();
    assertThat(takes(key("third", new KeySpec.Limits(9, 0, 0, 0, 0, 0)), 1)).isTrue();
    assertThat(limits.live).hasSize(2);

    passes(61 * SECOND - 1);
    takes(idle, 5); // denied, but each call checks one account for idleness all the same
    takes(idle, 5);
    takes(idle, 5);
    assertThat(accounts.open()).as("what they spent counts still").isEqualTo(3);
    passes(1);
    takes(idle, 5);
    takes(idle, 5);
    takes(idle, 5);
    assertThat(accounts.open()).isLessThanOrEqualTo(1);
    assertThat(limits.live.stream().map(LimitId::id)).doesNotContain("used", "third");
  }

  private boolean waits(KeySpec.Limits limits, @Nullable String group, KeySpec.LimitPolicy policy) {
    return accounts
        .of(
            new KeySpec(
                "of-" + limits + group + policy,
                List.of(),
                new KeyTerms(
                    limits,
                    Map.of(),
                    group,
                    KeySpec.Scope.ALL,
                    KeySpec.Rank.PLAIN,
                    KeySpec.NEVER,
                    policy)))
        .waits();
  }

  private static KeySpec.LimitPolicy policy(
      @Nullable Boolean waits, boolean strict, @Nullable SharingMode sharing) {
    return new KeySpec.LimitPolicy(waits, 100, strict, sharing, null);
  }

  private static GroupSpec group(String name, @Nullable Boolean waits) {
    return new GroupSpec(name, 1, 0, 0, 0, 0, waits, null);
  }

  @Test
  void requestsWait_unlessKeyOrGroupSayOtherwise_orCountsOfOthersComeLate() {
    accounts.configure(
        List.of(
            group("silent", null),
            group("refusing", false),
            group("waiting", true),
            new GroupSpec("unlimited", 0, 0, 0, 0, 0)),
        now);
    KeySpec.Limits one = new KeySpec.Limits(1, 0, 0, 0, 0, 0);
    KeySpec.LimitPolicy plain = KeySpec.LimitPolicy.PLAIN;
    assertThat(waits(one, null, plain)).isTrue();
    assertThat(waits(one, "refusing", plain)).isFalse();
    assertThat(waits(one, "refusing", policy(true, false, null))).isTrue();
    assertThat(waits(one, null, policy(false, false, null))).isFalse();
    assertThat(waits(one, null, policy(null, false, SharingMode.EVENTUAL))).isFalse();
    assertThat(waits(one, "waiting", policy(null, false, SharingMode.EVENTUAL))).isTrue();
    assertThat(waits(one, null, policy(null, false, SharingMode.LOCAL))).isTrue();
    assertThat(waits(one, "waiting", policy(null, true, null))).as("strict").isFalse();
    assertThat(waits(NONE, null, plain)).as("nothing to wait for").isFalse();
    assertThat(waits(NONE, "unlimited", plain)).isFalse();
    assertThat(waits(NONE, "silent", plain)).isTrue();
  }

  @Test
  void groupThatChangesItsMind_isFollowedByItsKeys() {
    accounts.configure(List.of(group("g", null)), now);
    KeySpec key =
        new KeySpec(
            "k",
            List.of(),
            new KeyTerms(
                NONE,
                Map.of(),
                "g",
                KeySpec.Scope.ALL,
                KeySpec.Rank.PLAIN,
                KeySpec.NEVER,
                KeySpec.LimitPolicy.PLAIN));
    assertThat(accounts.of(key).waits()).isTrue();
    accounts.configure(List.of(group("g", false)), now);
    accounts.follow(name -> key, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(accounts.of(key).waits()).isFalse();
  }

  @Test
  void keySharedOtherwise_hasItsLimitsConfiguredAgain() {
    KeySpec key = key("k", new KeySpec.Limits(9, 0, 0, 0, 0, 0));
    assertThat(takes(key, 1)).isTrue();
    KeySpec exact =
        new KeySpec(
            "k",
            List.of(),
            new KeyTerms(
                key.terms().limits(),
                Map.of(),
                null,
                KeySpec.Scope.ALL,
                KeySpec.Rank.PLAIN,
                KeySpec.NEVER,
                new KeySpec.LimitPolicy(false, 100, false, SharingMode.EXACT, null)));
    accounts.follow(name -> exact, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(limits.configured).isEqualTo(2);
  }

  @Test
  void idle_ofLimitsThatOthersSpendToo_forgetsItsQuotas() {
    KeySpec used = key("used", new KeySpec.Limits(9, 0, 9, 9, 0, 0));
    Quota own = accounts.of(used).quotas(null, now).getFirst();
    AtomicInteger asked = new AtomicInteger();
    own.limits().forEach(each -> HeldShares.none(each.limit(), asked::incrementAndGet, now));
    accounts.tidy(now);
    assertThat(accounts.open()).isZero();
    assertThat(limits.live).isEmpty();
    assertThat(asked).hasValue(0);
  }

  @Test
  void idle_butOneIsInside_keepsItsQuotas() {
    KeySpec used = key("used", new KeySpec.Limits(9, 0, 0, 0, 0, 0));
    accounts.of(used).enter();
    Quota own = accounts.of(used).quotas(null, now).getFirst();
    for (int each = 0; each < 3; each++) {
      accounts.tidy(now);
    }
    assertThat(accounts.of(used).quotas(null, now)).containsExactly(own);
    accounts.of(used).leave();
    accounts.tidy(now);
    assertThat(accounts.open()).isZero();
  }
}
