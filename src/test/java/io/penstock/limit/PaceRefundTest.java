package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a refund moves the pace of a trailing window back only as far as it still counts. */
class PaceRefundTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_000 * SECOND;

  /** Ten at once, and then one a second. */
  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(60, 60 * SECOND, 0, 10), START);

  private LimitAnswer.Receipt take(long amount, long now) {
    return (LimitAnswer.Receipt) limit.take(Weight.exactly(amount), now);
  }

  private void giveBack(LimitAnswer.Receipt receipt, long now) {
    limit.giveBack(receipt, receipt.taken(), receipt.reserved(), now);
  }

  @Test
  void burstsGivenBackLate_onlyOneGoesAtAnInstant() {
    List<LimitAnswer.Receipt> earlier = new ArrayList<>();
    for (int each = 0; each < 5; each++) {
      earlier.add(take(10, START + each * 10L * SECOND));
    }
    long now = START + 50 * SECOND;
    int bursts = 0;
    for (LimitAnswer.Receipt each : earlier) {
      while (limit.take(Weight.exactly(10), now) instanceof LimitAnswer.Receipt) {
        bursts++;
      }
      giveBack(each, now);
    }
    while (limit.take(Weight.exactly(10), now) instanceof LimitAnswer.Receipt) {
      bursts++;
    }
    assertThat(bursts).isEqualTo(1);
  }

  @Test
  void givenBackAtOnce_paceIsAsBefore() {
    take(4, START);
    LimitAnswer.Receipt receipt = take(6, START);
    giveBack(receipt, START);
    assertThat(limit.paceAllowsAt(6, START)).isEqualTo(START);
    assertThat(limit.paceAllowsAt(7, START)).isEqualTo(START + SECOND);
  }

  @Test
  void givenBackWhileThePaceWasNeverIdle_restOfTheAmountComesBack() {
    LimitAnswer.Receipt receipt = take(8, START);
    take(5, START + 3 * SECOND); // five of the eight are still to be paced
    long now = START + 4 * SECOND;
    assertThat(limit.paceAllowsAt(10, now)).isEqualTo(START + 13 * SECOND);
    giveBack(receipt, now);
    assertThat(limit.paceAllowsAt(10, now)).isEqualTo(START + 8 * SECOND);
  }

  @Test
  void reservedOutputReleasedLate_paceStays() {
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(1, 9, 1), START);
    long now = START + 30 * SECOND;
    take(10, now);
    limit.giveBack(receipt, 0, 9, now);
    assertThat(limit.paceAllowsAt(10, now)).isEqualTo(now + 10 * SECOND);
  }

  @Test
  void heldToAShare_burstGivenBackLateDoesNotMoveThePace() {
    LimitAnswer.Receipt before = take(10, START);
    long now = START + 30 * SECOND;
    limit.charge(10, 0, now);
    HeldShares.none(limit, () -> {}, now);
    HeldShares.give(limit, limit.capacity(), now);
    giveBack(before, now);
    assertThat(limit.paceAllowsAt(10, now)).isEqualTo(now + 10 * SECOND);
  }
}
