package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

class TokenBucketTest extends LimitContract {
  private static final long TENTH = SECOND / 10;

  /** Ten tokens at ten a second. */
  private final Limit limit = of(10, 1, 10);

  private static Limit of(long releases, long seconds, long burst) {
    return new Limit(new LimitSpec.TokenBucket(new ExactRate(releases, seconds), burst), START);
  }

  @Override
  Limit limit() {
    return of(7, 3, 20);
  }

  @Override
  long largest() {
    return 20;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.TokenBucket(new ExactRate(70, 3), 200);
  }

  private LimitAnswer take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now);
  }

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) take(amount, now);
  }

  @Test
  void started_isFullAndGivesItsBurstAtOnceAndThenOneATime() {
    for (int burst = 0; burst < 10; burst++) {
      taken(1, START);
    }
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + TENTH));
    taken(1, START + TENTH);
    assertThat(take(1, START + TENTH)).isEqualTo(new LimitAnswer.Wait(START + 2 * TENTH));
  }

  @Test
  void idleForLong_holdsItsBurstAndNoMore() {
    taken(10, START);
    long later = START + 3_600 * SECOND;
    taken(10, later);
    assertThat(take(1, later)).isEqualTo(new LimitAnswer.Wait(later + TENTH));
  }

  @Test
  void oneTokenThreeTimesASecond_comesAtTheFirstNanosecondItIsThere() {
    Limit thirds = of(3, 1, 2);
    thirds.take(Weight.exactly(2), START);
    assertThat(thirds.admittedAt(1, START)).isEqualTo(START + 333_333_334);
    thirds.take(Weight.exactly(1), START + 333_333_334);
    // The two thirds of a nanosecond that were filled in too much are not lost.
    assertThat(thirds.admittedAt(1, START + 333_333_334)).isEqualTo(START + 666_666_667);
    thirds.take(Weight.exactly(1), START + 666_666_667);
    assertThat(thirds.admittedAt(1, START + 666_666_667)).isEqualTo(START + SECOND);
  }

  @Test
  void givenBack_neverMoreThanTheBurst() {
    LimitAnswer.Receipt receipt = taken(4, START);
    limit.giveBack(receipt, 4, 0, START + TENTH);
    assertThat(limit.balance(START + TENTH)).isEqualTo(LimitBalance.ZERO);
    taken(10, START + TENTH);
    assertThat(take(1, START + TENTH)).isEqualTo(new LimitAnswer.Wait(START + 2 * TENTH));
  }

  @Test
  void givenBackAfterTheBucketWasFull_isLost() {
    LimitAnswer.Receipt early = taken(4, START);
    taken(10, START + SECOND);
    limit.giveBack(early, 4, 0, START + SECOND);
    assertThat(limit.balance(START + SECOND)).isEqualTo(new LimitBalance(10, 0, 0));
    LimitAnswer.Receipt late =
        (LimitAnswer.Receipt) limit.take(Weight.exactly(2), START + 2 * SECOND);
    limit.giveBack(late, 2, 0, START + 2 * SECOND);
    assertThat(limit.balance(START + 2 * SECOND)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void chargedBeyondWhatIsThere_isDebtThatTheRatePays() {
    limit.charge(25, 0, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(10, 15, 0));
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + 16 * TENTH));
    assertThat(limit.balance(START + 15 * TENTH)).isEqualTo(new LimitBalance(10, 0, 0));
    assertThat(limit.balance(START + 25 * TENTH)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void held_isKeptFreeUntilItIsLetGo() {
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(2, 5, 2), START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(2, 0, 5));
    assertThat(take(4, START)).isEqualTo(new LimitAnswer.Wait(START + TENTH));
    assertThat(take(6, START)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    limit.charge(3, 3, START);
    limit.giveBack(receipt, 0, 2, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(5, 0, 0));
  }

  @Test
  void resized_whatIsSpentStaysSpentAndThePartOfATokenStaysThere() {
    taken(8, START);
    long now = START + TENTH / 2;
    limit.resize(new LimitSpec.TokenBucket(new ExactRate(1, 1), 20), now);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(8, 0, 0));
    assertThat(limit.admittedAt(13, now)).isEqualTo(now + SECOND / 2);
    limit.resize(new LimitSpec.TokenBucket(new ExactRate(1, 1), 5), now);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(5, 3, 0));
    limit.resize(new LimitSpec.TokenBucket(new ExactRate(10, 1), 10), now);
    assertThat(limit.balance(now)).isEqualTo(new LimitBalance(8, 0, 0));
    assertThat(limit.admittedAt(3, now)).isEqualTo(START + TENTH);
  }

  @Test
  void otherAlgorithm_startsWithWhatIsOwed() {
    limit.charge(12, 0, START);
    limit.resize(new LimitSpec.FixedWindow(10, SECOND), START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(10, 2, 0));
    limit.resize(limit().spec(), START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(12, 0, 0));
  }

  @Test
  void onceInAThousandMillionSeconds_neitherOverflowsNorComesEarly() {
    Limit rare = of(1, 1_000_000_000, 2);
    rare.take(Weight.exactly(2), START);
    long next = START + 1_000_000_000 * SECOND;
    assertThat(rare.admittedAt(1, START)).isEqualTo(next);
    assertThat(rare.admittedAt(2, START)).isEqualTo(next + 1_000_000_000 * SECOND);
    rare.charge(1_000_000, 0, START);
    assertThat(rare.admittedAt(1, START)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void oneTokenANanosecond_isTheFastest() {
    Limit fast = of(1_000_000_000, 1, 1_000);
    fast.take(Weight.exactly(1_000), START);
    assertThat(fast.room(START + 999)).isEqualTo(999);
    assertThat(fast.admittedAt(7, START)).isEqualTo(START + 7);
    assertThat(fast.room(START + 1_000)).isEqualTo(Long.MAX_VALUE);
  }
}
