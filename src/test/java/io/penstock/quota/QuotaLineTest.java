package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which waiters of a quota are woken, and when. */
class QuotaLineTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);

  private final Demand demand = new Demand(() -> {});
  private final Woken waiter = new Woken();
  private final List<Spend> spends = new ArrayList<>();

  private static Limit window(long capacity) {
    return new Limit(new LimitSpec.FixedWindow(capacity, WINDOW), NOW);
  }

  private List<Metered> shared() {
    Limit limit = window(10);
    limit.share(demand, NOW);
    return List.of(new Metered(Measure.TOKENS, limit));
  }

  private Quota joined(Quota quota) {
    quota.line().join(waiter);
    return quota;
  }

  private Quota of(Measure measure, Limit limit) {
    return joined(
        new Quota("q", Charge.TOTAL, List.of(new Metered(measure, limit, Reason.GROUP_RPM))));
  }

  @Test
  void slicesOfASharedLimitCome_wakesWhoWait() {
    joined(new Quota("q", Charge.TOTAL, shared()));
    demand.wake();
    assertThat(waiter.times).isEqualTo(1);
  }

  @Test
  void limitsChange_slicesOfTheNewOnesWake_andThoseOfTheOldDoNot() {
    Quota quota = joined(new Quota("q", Charge.TOTAL, List.of()));
    quota.change(Charge.TOTAL, shared());
    assertThat(waiter.times).isEqualTo(1);
    demand.wake();
    assertThat(waiter.times).isEqualTo(2);
    quota.change(Charge.TOTAL, List.of());
    assertThat(waiter.times).isEqualTo(3);
    demand.wake();
    assertThat(waiter.times).isEqualTo(3);
  }

  @Test
  void chargeAtArrivalDoesNotFit_wakesWhoWait_andOneThatFitsWakesNobody() {
    Quota quota = of(Measure.REQUESTS, window(1));
    assertThat(quota.charge(Cost.NO_TOKENS, NOW, spends)).isNull();
    assertThat(waiter.times).isZero();
    assertThat(quota.charge(Cost.NO_TOKENS, NOW, spends)).isNotNull();
    assertThat(waiter.times).isEqualTo(1);
    assertThat(spends).hasSize(1);
  }

  @Test
  void widened_whatIsUsedCountsForLonger_andWhoWaitLookAgain() {
    Quota quota = of(Measure.TOKENS, new Limit(TRAILING, NOW));
    assertThat(quota.take(Cost.ofInput(100), NOW, spends)).isTrue();
    Sizes one = new Sizes();
    one.set(new Ticket(1, Cost.ofInput(1), 0, NOW, Ticker.NEVER));
    long before = quota.opens(one, NOW);
    quota.widen(200_000_000);
    assertThat(quota.opens(one, NOW)).isEqualTo(before + 200_000_000);
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
                Charge.TOTAL,
                List.of(
                    new Metered(Measure.TOKENS, tokens), new Metered(Measure.REQUESTS, requests))));
    assertThat(quota.take(Cost.ofInput(40), NOW, spends)).isTrue();
    quota.learn(List.of(standing(Measure.TOKENS, 50), standing(Measure.REQUESTS, 7)), spends, NOW);
    assertThat(tokens.capacity(NOW)).isEqualTo(50);
    assertThat(requests.capacity(NOW)).isEqualTo(7);
    assertThat(waiter.times).isZero();
    quota.learn(
        List.of(standing(Measure.REQUESTS, 90), standing(Measure.INPUT_TOKENS, 9)), spends, NOW);
    assertThat(requests.capacity(NOW)).isEqualTo(90);
    assertThat(tokens.capacity(NOW)).isEqualTo(50);
    assertThat(waiter.times).isEqualTo(1);
  }

  private static Standing standing(Measure measure, long limit) {
    return new Standing(measure, limit, Standing.UNSAID, Standing.UNSAID);
  }

  @Test
  void keptForOneWhoWaits_theRefusalSaysSo() {
    assertThat(of(Measure.REQUESTS, window(1)).kept())
        .isEqualTo(
            new Refusal(
                Reason.GROUP_RPM,
                "q is kept for a request that has waited for long",
                Refusal.UNKNOWN));
  }
}
