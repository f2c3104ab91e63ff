package io.penstock.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.CountedLimits;
import io.penstock.queue.Ticket;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Quota;
import io.penstock.usage.UsedTokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the quotas of an account, and which of them stay when its key changes or ends. */
class KeyAccountTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final KeySpec.Limits NONE = KeySpec.Limits.NONE;
  private static final KeySpec.Limits ONE = new KeySpec.Limits(9, 0, 0, 0, 0, 0);
  private static final Map<String, KeySpec.ModelLimits> OF_MODEL =
      Map.of("m", new KeySpec.ModelLimits(9, 0));

  private final CountedLimits limits = new CountedLimits();
  private final KeyAccounts accounts =
      new KeyAccounts(limits, MINUTE, UsedTokens.NONE, sharing -> true, () -> 0);
  private long now = 1_000 * SECOND;

  private static KeySpec key(KeySpec.Limits limits, Map<String, KeySpec.ModelLimits> models) {
    return new KeySpec(
        "k",
        List.of(),
        new KeyTerms(
            limits,
            models,
            null,
            KeySpec.Scope.ALL,
            KeySpec.Rank.PLAIN,
            KeySpec.NEVER,
            KeySpec.LimitPolicy.PLAIN));
  }

  private List<Quota> quotas(KeySpec key) {
    return accounts.of(key).quotas("m", now);
  }

  /** Lets a request enter the account, and returns the quotas it faces. */
  private List<Quota> faced(KeySpec key) {
    accounts.of(key).enter();
    return quotas(key);
  }

  private void spend(KeySpec key) {
    Ticket ticket = new Ticket(0, Cost.ofInput(1), 0, now, Long.MAX_VALUE);
    assertThat(accounts.of(key).charge("m", ticket, now)).isInstanceOf(CallerAccount.Taken.class);
  }

  @Test
  void keyWithoutLimits_hasNoQuotas() {
    assertThat(quotas(key(NONE, Map.of()))).isEmpty();
    assertThat(accounts.open()).isZero();
  }

  @Test
  void limitsThatAreTakenAway_leaveTheirQuotasToThoseWhoFaceThem() {
    List<Quota> faced = faced(key(ONE, OF_MODEL));
    assertThat(faced).extracting(Quota::name).containsExactly("key k", "key k for m");
    KeySpec after = key(NONE, Map.of());
    accounts.follow(name -> after, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(faced).allSatisfy(quota -> assertThat(quota.limits()).isEmpty());
    assertThat(limits.live).isEmpty();
    assertThat(accounts.of(after).quotas(null, now)).containsExactly(faced.getFirst());
  }

  @Test
  void keyThatChanges_keepsItsQuotasForModels() {
    List<Quota> faced = faced(key(ONE, OF_MODEL));
    KeySpec after = key(new KeySpec.Limits(8, 0, 0, 0, 0, 0), OF_MODEL);
    accounts.follow(name -> after, gone -> Revocation.REFUSES_WAITING, now);
    assertThat(quotas(after)).containsExactlyElementsOf(faced);
  }

  @Test
  void keyThatEnds_hasItsLimitsForModelsForgottenToo_onceNothingOfThemCounts() {
    spend(key(ONE, OF_MODEL));
    assertThat(limits.live).hasSize(2);
    accounts.follow(name -> null, gone -> Revocation.REFUSES_WAITING, now);
    accounts.tidy(now);
    assertThat(limits.live).hasSize(2);
    now += 61 * SECOND;
    accounts.tidy(now);
    assertThat(limits.live).isEmpty();
  }

  @Test
  void limitsForModels_areForgottenWhenNothingOfThemCounts() {
    spend(key(NONE, OF_MODEL));
    now += 61 * SECOND - 1;
    accounts.tidy(now);
    assertThat(accounts.open()).isEqualTo(1);
    assertThat(limits.live).hasSize(1);
    now += 1;
    accounts.tidy(now);
    assertThat(accounts.open()).isZero();
    assertThat(limits.live).isEmpty();
  }

  @Test
  void keyUsedAsItIsNow_hasItsQuotasFollowWhenTheyAreAskedForNext() {
    KeyAccount account =
        new KeyAccount(accounts, limits, new ConfiguredLimits(MINUTE, () -> 0), key(ONE, Map.of()));
    account.account().enter();
    Quota own = account.account().quotas(null, now).getFirst();
    account.use(key(new KeySpec.Limits(9, 9, 0, 0, 0, 0), Map.of()));
    assertThat(own.limits()).hasSize(1);
    assertThat(account.account().quotas(null, now)).containsExactly(own);
    assertThat(own.limits()).hasSize(2);
  }

  @Test
  void twoWhoComeFirstAtOnce_faceOneQuota() throws Exception {
    CompletableFuture<Void> making = new CompletableFuture<>();
    CompletableFuture<Void> made = new CompletableFuture<>();
    limits.meanwhile =
        () -> {
          making.complete(null);
          made.join();
        };
    CallerAccount callerAccount = accounts.of(key(ONE, Map.of()));
    callerAccount.enter();
    List<Quota> faced = Collections.synchronizedList(new ArrayList<>());
    Thread first = Thread.ofPlatform().start(() -> faced.addAll(callerAccount.quotas(null, now)));
    making.join();
    Thread second = Thread.ofPlatform().start(() -> faced.addAll(callerAccount.quotas(null, now)));
    while (second.isAlive() && second.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    made.complete(null);
    first.join();
    second.join();
    assertThat(faced).hasSize(2).containsOnly(faced.getFirst());
    assertThat(limits.configured).isEqualTo(1);
  }
}
