package io.penstock.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.AttemptFailure;
import io.penstock.quota.Charge;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.quota.WaitObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicketChargesTest {
  private static final long NOW = 5_000_000_000L;
  private static final Cost COST = new Cost(10, 5, 0);

  private final List<String> woken = new ArrayList<>();
  private final Limit limitOfKey = limit();
  private final Limit limitOfGroup = limit();
  private final Quota key = quota("key", limitOfKey);
  private final Quota group = quota("group", limitOfGroup);

  private static Limit limit() {
    return new Limit(new LimitSpec.TrailingWindow(100, 60_000_000_000L, 0, 100), NOW);
  }

  private static Quota quota(String name, Limit limit) {
    return new Quota(name, ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)));
  }

  @BeforeEach
  void observe() {
    observe(key);
    observe(group);
  }

  private void observe(Quota quota) {
    quota
        .waitList()
        .join(
            new WaitObserver() {
              @Override
              public void wake() {
                woken.add(quota.name());
              }
            });
  }

  private TicketCharges charged(Quota quota) {
    List<Charge> kept = new ArrayList<>();
    assertThat(quota.take(COST, NOW, kept)).isTrue();
    return TicketCharges.charged(List.of(quota), kept);
  }

  private TicketCharges attempted(Quota quota) {
    TicketCharges charges = new TicketCharges(List.of());
    assertThat(quota.take(COST, NOW, charges.attempt())).isTrue();
    return charges;
  }

  @Test
  void chargesOfTwoSteps_areGivenBackTogether_andBothQuotasWakeTheirWaiters() {
    TicketCharges both = charged(group).with(charged(key));
    assertThat(both.keptCharges()).hasSize(2);
    both.end(COST, NOW);
    assertThat(woken).containsExactly("key", "group");
    assertThat(limitOfKey.room(NOW)).isEqualTo(Long.MAX_VALUE);
    assertThat(limitOfGroup.room(NOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void attemptWithoutChargesToKeep_keepsThoseOfBefore() {
    TicketCharges both = attempted(group).with(charged(key));
    assertThat(both.keptCharges()).hasSize(1);
    assertThat(both.attempt()).hasSize(1);
    both.end(COST, NOW);
    assertThat(woken).containsExactly("key");
    assertThat(limitOfGroup.room(NOW)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void outputOfOneAttempt_freesRoomWhicheverChargeReservedIt() {
    TicketCharges both = attempted(group).with(charged(key));
    assertThat(both.produce(2, NOW)).isTrue();
    assertThat(both.produce(2, NOW)).as("the same sub-cell").isFalse();
    assertThat(charged(key).produce(2, NOW)).isTrue();
    assertThat(attempted(group).produce(2, NOW)).isTrue();
  }

  @Test
  void settled_bothChargesFreeRoomOnce() {
    TicketCharges both = attempted(group).with(charged(key));
    both.produce(1, NOW);
    both.settle(CallEnd.answered(null, 2), COST, NOW);
    assertThat(both.roomFreed()).isTrue();
    assertThat(both.roomFreed()).isFalse();
  }

  /** Two calls for one request; the second is the last. */
  @ParameterizedTest
  @CsvSource({
    // first call, status of the second, requests, input and output that the key keeps
    "UNSENT, 200, 1, 10, 3",
    "REJECTED, 200, 1, 10, 3",
    "BROKEN, 200, 1, 10, 3",
    "UNSENT, 400, 1, 0, 0",
    "REJECTED, 400, 1, 0, 0",
    "REFUSED, 429, 1, 0, 0",
    "BROKEN, 400, 1, 10, 2",
    "BROKEN, 429, 1, 10, 2",
    "REJECTED, 500, 1, 10, 3",
  })
  void keyIsChargedOnce_byTheCostliestCall(
      AttemptFailure first, int status, int requests, long input, long output) {
    TicketCharges charges = charged(key);
    charges.produce(2, NOW);
    TicketCharges second =
        new TicketCharges(List.of()).with(charges.settleFailedAttempt(first, NOW));
    KeptUsage kept = second.settle(CallEnd.answered(status, null, 3), COST, NOW);
    assertThat(kept).isEqualTo(new KeptUsage(requests, input, output, 0));
    assertThat(limitOfKey.balance(NOW)).isEqualTo(new LimitBalance(input + output, 0, 0));
  }

  @Test
  void answerThatStatesItsCache_isKeptWithIt() {
    TokenUsage stated = new TokenUsage(9, 4, 3, 2, 5, 0);
    KeptUsage kept = charged(key).settle(CallEnd.answered(200, stated, 5), COST, NOW);
    assertThat(kept.used()).isEqualTo(stated);
  }

  @ParameterizedTest
  @CsvSource({"REJECTED, 1, 0, 0", "REFUSED, 1, 0, 0", "BROKEN, 1, 10, 2"})
  void nothingFollowsACall_keyKeepsWhatThatCost(
      AttemptFailure only, int requests, long input, long output) {
    TicketCharges charges = charged(key);
    charges.produce(2, NOW);
    KeptUsage kept = charges.settleFailedAttempt(only, NOW).end(COST, NOW);
    assertThat(kept).isEqualTo(new KeptUsage(requests, input, output, 0));
    assertThat(limitOfKey.balance(NOW)).isEqualTo(new LimitBalance(input + output, 0, 0));
  }
}
