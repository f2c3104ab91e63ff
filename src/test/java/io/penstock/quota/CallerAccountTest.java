package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.Ticket;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallerAccountTest {
  /** Waiter with a ticket that has a valid claim. */
  private static final class Waiting extends WokenWaiters {
    @Override
    public boolean hasWaiting(Ticket ticket) {
      return true;
    }
  }

  private static Ticket ticket(long order) {
    return new Ticket(order, Cost.ofInput(1), 0, 0, Long.MAX_VALUE);
  }

  @Test
  void limitsOfAGroupAreGone_whileItIsKeptForOneWhoWaits_letsOthersIn() {
    Quota group = new Quota("group g", ChargeRule.TOTAL, List.of());
    WokenWaiters waits = new Waiting();
    group.waitList().join(waits);
    assertThat(group.waitList().claim(waits, ticket(0))).isTrue();
    assertThat(group.waitList().isClaimed()).isTrue();
    CallerAccount account = new CallerAccount("k", false, (model, now) -> List.of(group));
    assertThat(account.charge(null, ticket(1), 0)).isInstanceOf(CallerAccount.Taken.class);
  }

  private static long charged(Limit limit) {
    return limit.balance(0).charged();
  }

  @Test
  void anotherTakesTheLastOfTheGroupMeanwhile_keyIsChargedNothing_andWhoLookedIsWoken() {
    Limit ofKey = new Limit(new LimitSpec.FixedWindow(5, 1_000_000_000), 0);
    Limit ofGroup = new Limit(new LimitSpec.FixedWindow(1, 1_000_000_000), 0);
    Quota key =
        Quota.ofKey(
            "key k",
            List.of(new MeteredLimit(LimitMeasure.REQUESTS, ofKey, RefusalReason.KEY_RPM)));
    Quota group =
        new Quota(
            "group g",
            ChargeRule.TOTAL,
            List.of(new MeteredLimit(LimitMeasure.REQUESTS, ofGroup, RefusalReason.GROUP_RPM)));
    // The wait list of the key calls keeps() after something was taken from the key.
    WokenWaiters meanwhile =
        new WokenWaiters() {
          @Override
          public boolean mayHaveClaim() {
            assertThat(charged(ofKey)).isEqualTo(1);
            assertThat(group.take(Cost.ofInput(1), 0, new ArrayList<>())).isTrue();
            return false;
          }
        };
    key.waitList().join(meanwhile);
    CallerAccount account = new CallerAccount("k", false, (model, now) -> List.of(key, group));

    assertThat(account.charge(null, ticket(1), 0)).isInstanceOf(CallerAccount.Denied.class);

    assertThat(charged(ofKey)).isZero();
    assertThat(charged(ofGroup)).isEqualTo(1);
    assertThat(meanwhile.times).isPositive();
  }
}
