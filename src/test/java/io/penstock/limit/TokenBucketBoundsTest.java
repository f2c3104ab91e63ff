package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

/** Tests of a token bucket at the limits of its numbers. */
class TokenBucketBoundsTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long START = LimitContract.START;
  private static final long TENTH = SECOND / 10;
  private static final LimitSpec.TokenBucket TEN =
      new LimitSpec.TokenBucket(new ExactRate(10, 1), 10);

  private final Limit limit = new Limit(TEN, START);

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) limit.take(Weight.exactly(amount), now);
  }

  @Test
  void tokenAtTheLastInstantOfAll_isNamedAndTheOneAfterItNever() {
    LimitSpec spec = new LimitSpec.TokenBucket(new ExactRate(1, 1_000_000_000), 1);
    long period = 1_000_000_000 * SECOND;
    for (long late = 0; late < 2; late++) {
      long now = AmountBound.MOST - period + late;
      Limit rare = new Limit(spec, now);
      rare.take(Weight.exactly(1), now);
      assertThat(rare.roomFreeAt(1, now)).isEqualTo(late == 0 ? AmountBound.MOST : Ticker.NEVER);
    }
  }

  /** At 512 a second a token comes every 1,953,125 ns. */
  @Test
  void moreThanNanosecondsCanCount_neverOpens() {
    long burst = 10_000_000_000_000L;
    Limit huge = new Limit(new LimitSpec.TokenBucket(new ExactRate(512, 1), burst), START);
    huge.charge(burst, 0, START);
    assertThat(huge.roomFreeAt(512, START)).isEqualTo(START + SECOND);
    assertThat(huge.roomFreeAt(burst, START)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void forgiven_owesNothingAndIsEmptyAllTheSame() {
    LimitAnswer.Receipt early = taken(4, START);
    limit.charge(25, 0, START);
    LocalState forgiven = limit.state().local().withoutDebt();
    assertThat(forgiven.balance(START)).isEqualTo(new LimitBalance(10, 0, 0));
    assertThat(forgiven.room(START)).isZero();
    assertThat(forgiven.roomFreeAt(1, START)).isEqualTo(START + TENTH);
    assertThat(forgiven.giveBack(early, 4, 0, START).balance(START))
        .isEqualTo(new LimitBalance(6, 0, 0));
  }

  @Test
  void nothingIsOwed_nothingIsForgiven() {
    taken(10, START);
    LocalState empty = limit.state().local();
    assertThat(empty.withoutDebt()).isSameAs(empty);
    limit.giveBack(new LimitAnswer.Receipt(START, 10, 0), 10, 0, START);
    LocalState full = limit.state().local();
    assertThat(full.withoutDebt()).isSameAs(full);
  }
}
