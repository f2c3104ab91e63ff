package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which requests are inside an account, and the refusal that is foreseen for new ones. */
class AccountInsideTest {
  private static final long WINDOW = 60_000_000_000L;

  private final List<String> ran = new ArrayList<>();
  private final Limit requests = new Limit(new LimitSpec.FixedWindow(1, WINDOW), 0);
  private final Quota quota =
      new Quota(
          "key k", Charge.TOTAL, List.of(new Metered(Measure.REQUESTS, requests, Reason.KEY_RPM)));
  private final Account account =
      new Account(
          "k",
          false,
          (model, now) -> {
            assertThat(model).isNull();
            ifEmpty("looked");
            return List.of(quota);
          });

  private void ifEmpty(String name) {
    account.ifEmpty(() -> ran.add(name));
  }

  @Test
  void somebodyIsInside_nothingRuns_untilAllHaveLeft() {
    account.enter();
    account.enter();
    ifEmpty("two inside");
    account.leave();
    ifEmpty("one inside");
    account.leave();
    ifEmpty("nobody inside");
    account.enter();
    ifEmpty("one inside again");
    assertThat(ran).containsExactly("nobody inside");
  }

  @Test
  void actionFails_othersMayComeInAgain() {
    assertThatThrownBy(
            () ->
                account.ifEmpty(
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    account.enter();
    account.leave();
    ifEmpty("again");
    assertThat(ran).containsExactly("again");
  }

  @Test
  void nothingIsLeft_refusalIsForeseen_andNothingIsTaken() {
    assertThat(account.foreseen(0)).isNull();
    assertThat(requests.balance(0).charged()).isZero();
    requests.take(Weight.exactly(1), 0);
    assertThat(account.foreseen(0))
        .isNotNull()
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(Reason.KEY_RPM);
              assertThat(refusal.retryAfterNanos()).isEqualTo(WINDOW);
            });
  }

  @Test
  void foreseen_isInsideWhileItLooks_andNotAfter() {
    account.foreseen(0);
    assertThat(ran).isEmpty();
    ifEmpty("after");
    assertThat(ran).containsExactly("after");
  }

  @Test
  void nobodyKnowsWhetherAnyIsLeft_orRequestsWait_noRefusalIsForeseen() {
    requests.share(new Demand(() -> {}), 0);
    assertThat(account.foreseen(0)).isNull();
    requests.unshare(0);
    requests.take(Weight.exactly(1), 0);
    assertThat(account.foreseen(0)).isNotNull();
    assertThat(account.waits()).isFalse();
    account.waits(true);
    assertThat(account.waits()).isTrue();
    assertThat(account.foreseen(0)).isNull();
  }

  @Test
  void accountOfTheSameName_isAnotherOne_atTheSamePlaceInEachOrder() {
    Account other = new Account("k", true, (model, now) -> List.of());
    assertThat(other.name()).isEqualTo("k");
    assertThat(List.of(account, other).indexOf(other)).isEqualTo(1);
    assertThat(other).isNotEqualTo(account).hasToString("Account[k]");
    assertThat(other.hashCode()).isEqualTo("k".hashCode()).isEqualTo(account.hashCode());
    Set<Account> both = new HashSet<>(List.of(account, other));
    assertThat(both).hasSize(2);
  }
}
