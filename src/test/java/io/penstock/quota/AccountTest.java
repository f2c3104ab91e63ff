package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.queue.Ticket;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccountTest {
  private static Ticket ticket(long order) {
    return new Ticket(order, Cost.ofInput(1), 0, 0, Long.MAX_VALUE);
  }

  @Test
  void limitsOfAGroupAreGone_whileItIsKeptForOneWhoWaits_letsOthersIn() {
    Quota group = new Quota("group g", Charge.TOTAL, List.of());
    Woken waits = new Woken();
    group.line().join(waits);
    assertThat(group.line().claim(waits, ticket(0))).isTrue();
    Account account = new Account("k", false, (model, now) -> List.of(group));
    assertThat(account.charge(null, ticket(1), 0)).isInstanceOf(Account.Taken.class);
  }
}
