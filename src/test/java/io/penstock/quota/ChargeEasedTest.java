package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests whether an attempt reports that others may go sooner, and whether it wakes waiters with
 * claims.
 */
class ChargeEasedTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(1_000, 60 * SECOND, 0, 1_000), NOW);
  private final List<MeteredLimit> metered = List.of(new MeteredLimit(LimitMeasure.TOKENS, limit));
  private final Quota key = Quota.ofKey("key k", metered);

  /** Waiter that may have a claim, in the wait list of a quota. */
  private static final class Keeper extends WokenWaiters {
    Keeper(Quota quota) {
      quota.waitList().join(this);
    }

    @Override
    public boolean mayHaveClaim() {
      return true;
    }

    /** Returns how often it was woken since the last call. */
    int woken() {
      int before = times;
      times = 0;
      return before;
    }
  }

  private static Charge take(Quota quota, Cost cost) {
    List<Charge> charges = new ArrayList<>();
    assertThat(quota.take(cost, NOW, charges)).isTrue();
    return charges.getFirst();
  }

  @Test
  void takenFromAKey_whoLacksItLooksAgain_andAgainWhenOutputRunsOver() {
    Keeper keeper = new Keeper(key);
    Charge charge = take(key, new Cost(100, 50, 0));
    assertThat(keeper.woken()).isEqualTo(1);
    charge.produce(20, NOW);
    charge.produce(50, NOW + SECOND);
    assertThat(keeper.woken()).as("all that was held is used").isZero();
    charge.produce(51, NOW + 2 * SECOND);
    assertThat(keeper.woken()).isEqualTo(1);
    charge.settle(new TokenUsage(100, 0, 51), 51, NOW + 2 * SECOND);
    assertThat(keeper.woken()).isZero();
  }

  @Test
  void inputOfAKeyIsMoreThanTaken_whoCountsOnTheRestLooksAgain() {
    Keeper keeper = new Keeper(key);
    Charge charge = take(key, new Cost(100, 50, 0));
    assertThat(keeper.woken()).isEqualTo(1);
    assertThat(charge.settle(new TokenUsage(101, 0, 50), 50, NOW)).isEqualTo(1);
    assertThat(keeper.woken()).isEqualTo(1);
  }

  @Test
  void sharedByMany_nobodyIsWokenByWhatIsTakenOrRunsOver() {
    Quota many = new Quota("endpoint /", ChargeRule.TOTAL, metered);
    Keeper keeper = new Keeper(many);
    Charge charge = take(many, new Cost(100, 50, 0));
    charge.produce(60, NOW);
    charge.settle(new TokenUsage(120, 0, 70), 70, NOW + SECOND);
    assertThat(limit.balance(NOW + SECOND)).isEqualTo(new LimitBalance(190, 0, 0));
    assertThat(keeper.woken()).isZero();
    assertThat(many.ofKey()).isFalse();
    assertThat(key.ofKey()).isTrue();
  }

  @Test
  void usedExactlyAsExpected_nothingIsEased() {
    Charge charge = take(key, new Cost(100, 50, 0));
    charge.produce(50, NOW);
    assertThat(charge.roomFreed()).isTrue();
    assertThat(charge.settle(new TokenUsage(100, 0, 50), 50, NOW)).isZero();
    assertThat(charge.roomFreed()).isFalse();
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(150, 0, 0));
  }

  @Test
  void nothingWasHeld_outputEasesNothing() {
    Charge charge = take(key, Cost.ofInput(100));
    charge.produce(5, NOW);
    assertThat(charge.roomFreed()).isFalse();
    assertThat(limit.balance(NOW)).isEqualTo(new LimitBalance(105, 0, 0));
  }

  @Test
  void noMoreOutputInALaterCell_whatWasCountedTooMuchIsGivenBackAllTheSame() {
    Charge charge = take(key, new Cost(100, 50, 0));
    charge.produce(40, NOW);
    charge.produce(40, NOW + SECOND);
    charge.settle(new TokenUsage(100, 0, 30), 30, NOW + SECOND);
    assertThat(limit.balance(NOW + SECOND)).isEqualTo(new LimitBalance(130, 0, 0));
  }
}
