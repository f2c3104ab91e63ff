package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.refusal.RefusalReason;
import io.penstock.tenant.PromiseHolder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which requests are inside an account, and the refusal that is foreseen for new ones. */
class CallerAccountInsideTest {
  private static final long WINDOW = 60_000_000_000L;

  private final List<String> ran = new ArrayList<>();
  private final Limit requests = new Limit(new LimitSpec.FixedWindow(1, WINDOW), 0);
  private final Quota quota =
      new Quota(
          "key k",
          ChargeRule.TOTAL,
          List.of(new MeteredLimit(LimitMeasure.REQUESTS, requests, RefusalReason.KEY_RPM)));
  private final CallerAccount callerAccount =
      new CallerAccount(
          "k",
          false,
          (model, now) -> {
            assertThat(model).isNull();
            ifEmpty("looked");
            return List.of(quota);
          });

  private void ifEmpty(String name) {
    callerAccount.ifEmpty(() -> ran.add(name));
  }

  @Test
  void somebodyIsInside_nothingRuns_untilAllHaveLeft() {
    callerAccount.enter();
    callerAccount.enter();
    ifEmpty("two inside");
    callerAccount.leave();
    ifEmpty("one inside");
    callerAccount.leave();
    ifEmpty("nobody inside");
    callerAccount.enter();
    ifEmpty("one inside again");
    assertThat(ran).containsExactly("nobody inside");
  }

  @Test
  void actionFails_othersMayComeInAgain() {
    assertThatThrownBy(
            () ->
                callerAccount.ifEmpty(
                    () -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    callerAccount.enter();
    callerAccount.leave();
    ifEmpty("again");
    assertThat(ran).containsExactly("again");
  }

  @Test
  void nothingIsLeft_refusalIsForeseen_andNothingIsTaken() {
    assertThat(callerAccount.certainRefusal(new PromiseHolder("a", ""), 0)).isNull();
    assertThat(requests.balance(0).charged()).isZero();
    requests.take(Weight.exactly(1), 0);
    assertThat(callerAccount.certainRefusal(new PromiseHolder("a", ""), 0))
        .isNotNull()
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(RefusalReason.KEY_RPM);
              assertThat(refusal.retryAfterNanos()).isEqualTo(WINDOW);
            });
  }

  @Test
  void foreseen_isInsideWhileItLooks_andNotAfter() {
    callerAccount.certainRefusal(new PromiseHolder("a", ""), 0);
    assertThat(ran).isEmpty();
    ifEmpty("after");
    assertThat(ran).containsExactly("after");
  }

  @Test
  void nobodyKnowsWhetherAnyIsLeft_orRequestsWait_noRefusalIsForeseen() {
    requests.sharing().holdShares(at -> true, new ShareDemand(() -> {}), 0);
    assertThat(callerAccount.certainRefusal(new PromiseHolder("a", ""), 0)).isNull();
    requests.sharing().unshare(0);
    requests.take(Weight.exactly(1), 0);
    assertThat(callerAccount.certainRefusal(new PromiseHolder("a", ""), 0)).isNotNull();
    assertThat(callerAccount.waits()).isFalse();
    callerAccount.waits(true);
    assertThat(callerAccount.waits()).isTrue();
    assertThat(callerAccount.certainRefusal(new PromiseHolder("a", ""), 0)).isNull();
  }

  @Test
  void accountOfTheSameName_isAnotherOne_atTheSamePlaceInEachOrder() {
    CallerAccount other = new CallerAccount("k", true, (model, now) -> List.of());
    assertThat(other.name()).isEqualTo("k");
    assertThat(List.of(callerAccount, other).indexOf(other)).isEqualTo(1);
    assertThat(other).isNotEqualTo(callerAccount).hasToString("Account[k]");
    assertThat(other.hashCode()).isEqualTo("k".hashCode()).isEqualTo(callerAccount.hashCode());
    Set<CallerAccount> both = new HashSet<>(List.of(callerAccount, other));
    assertThat(both).hasSize(2);
  }
}
