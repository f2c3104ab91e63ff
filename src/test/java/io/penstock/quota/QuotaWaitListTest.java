package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which waiters of a quota are woken, and when. */
class QuotaWaitListTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);

  private final ShareDemand demand = new ShareDemand(() -> {});
  private final WokenWaiters waiter = new WokenWaiters();
  private final List<Charge> charges = new ArrayList<>();

  private static Limit window(long capacity) {
    return new Limit(new LimitSpec.FixedWindow(capacity, WINDOW), NOW);
  }

  private List<MeteredLimit> shared() {
    Limit limit = window(10);
    limit.sharing().holdShares(at -> true, demand, NOW);
    return List.of(new MeteredLimit(LimitMeasure.TOKENS, limit));
  }

  private Quota joined(Quota quota) {
    quota.waitList().join(waiter);
    return quota;
  }

  private Quota of(LimitMeasure measure, Limit limit) {
    return joined(
        new Quota(
            "q",
            ChargeRule.TOTAL,
            List.of(new MeteredLimit(measure, limit, RefusalReason.GROUP_RPM))));
  }

  @Test
  void shareOfALimitGrows_wakesWhoWait() {
    joined(new Quota("q", ChargeRule.TOTAL, shared()));
    demand.wake();
    assertThat(waiter.times).isEqualTo(1);
  }

  @Test
  void limitsChange_sharesOfTheNewOnesWake_andThoseOfTheOldDoNot() {
    Quota quota = joined(new Quota("q", ChargeRule.TOTAL, List.of()));
    quota.change(ChargeRule.TOTAL, shared());
    assertThat(waiter.times).isEqualTo(1);
    demand.wake();
    assertThat(waiter.times).isEqualTo(2);
    quota.change(ChargeRule.TOTAL, List.of());
    assertThat(waiter.times).isEqualTo(3);
    demand.wake();
    assertThat(waiter.times).isEqualTo(3);
  }

  @Test
  void chargeAtArrivalDoesNotFit_wakesWhoWait_andOneThatFitsWakesNobody() {
    Quota quota = of(LimitMeasure.REQUESTS, window(1));
    assertThat(quota.charge(Cost.NO_TOKENS, NOW, charges)).isNull();
    assertThat(waiter.times).isZero();
    assertThat(quota.charge(Cost.NO_TOKENS, NOW, charges)).isNotNull();
    assertThat(waiter.times).isEqualTo(1);
    assertThat(charges).hasSize(1);
  }

  @Test
  void widened_whatIsUsedCountsForLonger_andWhoWaitLookAgain() {
    Quota quota = of(LimitMeasure.TOKENS, new Limit(TRAILING, NOW));
    assertThat(quota.take(Cost.ofInput(100), NOW, charges)).isTrue();
    DimensionSizes one = new DimensionSizes();
    new Ticket(1, Cost.ofInput(1), 0, NOW, Ticker.NEVER).sizesInto(one);
    long before = quota.roomFreeAt(one, NOW);
    quota.widen(200_000_000);
    assertThat(quota.roomFreeAt(one, NOW)).isEqualTo(before + 200_000_000);
    assertThat(waiter.times).isEqualTo(1);
  }

  @Test
  void providerLowersALimit_nobodyIsWoken_andOnceItAllowsMoreWhoWaitAre() {
    Limit tokens = new Limit(TRAILING, NOW);
    Limit requests = new Limit(TRAILING, NOW);
    Quota quota =
        joined(
            new Quota(
                "q",
                ChargeRule.TOTAL,
                List.of(
                    new MeteredLimit(LimitMeasure.TOKENS, tokens),
                    new MeteredLimit(LimitMeasure.REQUESTS, requests))));
    assertThat(quota.take(Cost.ofInput(40), NOW, charges)).isTrue();
    quota.learn(
        List.of(standing(LimitMeasure.TOKENS, 50), standing(LimitMeasure.REQUESTS, 7)),
        charges,
        NOW);
    assertThat(tokens.capacity(NOW)).isEqualTo(50);
    assertThat(requests.capacity(NOW)).isEqualTo(7);
    assertThat(waiter.times).isZero();
    quota.learn(
        List.of(standing(LimitMeasure.REQUESTS, 90), standing(LimitMeasure.INPUT_TOKENS, 9)),
        charges,
        NOW);
    assertThat(requests.capacity(NOW)).isEqualTo(90);
    assertThat(tokens.capacity(NOW)).isEqualTo(50);
    assertThat(waiter.times).isEqualTo(1);
  }

  private static ProviderStatus standing(LimitMeasure measure, long limit) {
    return new ProviderStatus(measure, limit, ProviderStatus.UNSTATED, ProviderStatus.UNSTATED);
  }

  @Test
  void keptForOneWhoWaits_theRefusalSaysSo() {
    assertThat(of(LimitMeasure.REQUESTS, window(1)).claimRefusal())
        .isEqualTo(
            new Refusal(
                RefusalReason.GROUP_RPM,
                "q is kept for a request that has waited for long",
                Refusal.UNKNOWN));
  }
}
