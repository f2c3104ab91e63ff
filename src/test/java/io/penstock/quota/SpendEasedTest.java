package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests whether an attempt reports that others may go sooner, and whether it wakes waiters with
 * claims.
 */
class SpendEasedTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(1_000, 60 * SECOND, 0, 1_000), NOW);
  private final List<Metered> metered = List.of(new Metered(Measure.TOKENS, limit));
  private final Quota key = Quota.personal("key k", metered);

  /** Waiter that may have a claim, in the wait list of a quota. */
  private static final class Keeper extends Woken {
    Keeper(Quota quota) {
      quota.line().join(this);
    }

    @Override
    public boolean keeps() {
      return true;
    }

    /** Returns how often it was woken since the last call. */
    int woken() {
      int before = times;
      times = 0;
      return before;
    }
  }

  private static Spend take(Quota quota, Cost cost) {
    List<Spend> spends = new ArrayList<>();
    assertThat(quota.take(cost, NOW, spends)).isTrue();
    return spends.getFirst();
  }

  @Test
  void takenFromAKey_whoLacksItLooksAgain_andAgainWhenOutputRunsOver() {
    Keeper keeper = new Keeper(key);
    Spend spend = take(key, new Cost(100, 50, 0));
    assertThat(keeper.woken()).isEqualTo(1);
    spend.produce(20, NOW);
    spend.produce(50, NOW + SECOND);
    assertThat(keeper.woken()).as("all that was held is used").isZero();
    spend.produce(51, NOW + 2 * SECOND);
    assertThat(keeper.woken()).isEqualTo(1);
    spend.settle(new Usage(100, 0, 51), 51, NOW + 2 * SECOND);
    assertThat(keeper.woken()).isZero();
  }

  @Test
  void inputOfAKeyIsMoreThanTaken_whoCountsOnTheRestLooksAgain() {
    Keeper keeper = new Keeper(key);
    Spend spend = take(key, new Cost(100, 50, 0));
    assertThat(keeper.woken()).isEqualTo(1);
    assertThat(spend.settle(new Usage(101, 0, 50), 50, NOW)).isEqualTo(1);
    assertThat(keeper.woken()).isEqualTo(1);
  }

  @Test
  void sharedByMany_nobodyIsWokenByWhatIsTakenOrRunsOver() {
    Quota many = new Quota("endpoint /", Charge.TOTAL, metered);
    Keeper keeper = new Keeper(many);
    Spend spend = take(many, new Cost(100, 50, 0));
    spend.produce(60, NOW);
    spend.settle(new Usage(120, 0, 70), 70, NOW + SECOND);
    assertThat(limit.balance(NOW + SECOND)).isEqualTo(new Balance(190, 0, 0));
    assertThat(keeper.woken()).isZero();
    assertThat(many.personal()).isFalse();
    assertThat(key.personal()).isTrue();
  }

  @Test
  void usedExactlyAsExpected_nothingIsEased() {
    Spend spend = take(key, new Cost(100, 50, 0));
    spend.produce(50, NOW);
    assertThat(spend.eased()).isTrue();
    assertThat(spend.settle(new Usage(100, 0, 50), 50, NOW)).isZero();
    assertThat(spend.eased()).isFalse();
    assertThat(limit.balance(NOW)).isEqualTo(new Balance(150, 0, 0));
  }

  @Test
  void nothingWasHeld_outputEasesNothing() {
    Spend spend = take(key, Cost.ofInput(100));
    spend.produce(5, NOW);
    assertThat(spend.eased()).isFalse();
    assertThat(limit.balance(NOW)).isEqualTo(new Balance(105, 0, 0));
  }

  @Test
  void noMoreOutputInALaterCell_whatWasCountedTooMuchIsGivenBackAllTheSame() {
    Spend spend = take(key, new Cost(100, 50, 0));
    spend.produce(40, NOW);
    spend.produce(40, NOW + SECOND);
    spend.settle(new Usage(100, 0, 30), 30, NOW + SECOND);
    assertThat(limit.balance(NOW + SECOND)).isEqualTo(new Balance(130, 0, 0));
  }
}
