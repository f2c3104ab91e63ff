package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.out;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests of a token bucket that members share: how it fills, and what it forgets. */
class SliceLedgerBucketTest {
  private static final LimitSpec ONE_A_SECOND = bucket(1, 1);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long minute = ledgerFixture.minute();

  private static LimitSpec bucket(long releases, long seconds) {
    return new LimitSpec.TokenBucket(new ExactRate(releases, seconds), 50);
  }

  private static LimitSpec bucketOf(long burst, long releases, long seconds) {
    return new LimitSpec.TokenBucket(new ExactRate(releases, seconds), burst);
  }

  /** Returns the grants to a member that reports {@code amount} as spent in the first minute. */
  private SliceLedger.Granted spent(LimitSpec spec, long amount) {
    return ledgerFixture.member("a", spec).spent(minute, amount).round();
  }

  private long left(LimitSpec spec, long amount) {
    return spent(spec, amount).left().amount();
  }

  @Test
  void fractionsOfATokenAddUp() {
    spent(ONE_A_SECOND, 50);
    for (int each = 0; each < 3; each++) {
      ledgerFixture.after(SECOND * 3 / 10);
      assertThat(left(ONE_A_SECOND, 50)).isZero();
    }
    ledgerFixture.after(SECOND / 10 - 1);
    assertThat(left(ONE_A_SECOND, 50)).isZero();
    ledgerFixture.after(1);
    assertThat(left(ONE_A_SECOND, 50)).isEqualTo(1);
  }

  @Test
  void bucketIsFull_noPartOfATokenIsPutBy() {
    spent(ONE_A_SECOND, 0);
    ledgerFixture.after(SECOND * 9 / 10);
    spent(ONE_A_SECOND, 50);
    ledgerFixture.after(SECOND - 1);
    assertThat(left(ONE_A_SECOND, 50)).isZero();
  }

  @Test
  void lastTokenThatWasMissingIsFilledIn_noPartOfAnotherIsPutBy() {
    spent(ONE_A_SECOND, 1);
    ledgerFixture.after(SECOND * 19 / 10);
    assertThat(left(ONE_A_SECOND, 1)).isEqualTo(50);
    spent(ONE_A_SECOND, 51);
    ledgerFixture.after(SECOND - 1);
    assertThat(left(ONE_A_SECOND, 51)).isZero();
  }

  @Test
  void askedTwiceAtAnInstant_isFilledOnce() {
    LimitSpec slow = bucket(1, 10);
    spent(slow, 50);
    ledgerFixture.after(9 * SECOND);
    spent(slow, 50);
    spent(slow, 0);
    assertThat(left(slow, 50)).isZero();
    ledgerFixture.after(SECOND);
    assertThat(left(slow, 50)).as("the part filled before").isEqualTo(1);
  }

  @Test
  void rateOfWhichATokenTakesLess_hasNoMoreThanTheNextOneFilled() {
    LimitSpec before = bucketOf(45, 3, 10);
    LimitSpec after = bucketOf(45, 1, 4);
    spent(before, 45);
    ledgerFixture.after(3 * SECOND);
    assertThat(left(before, 45)).as("nine tenths of one").isZero();
    ledgerFixture.after(4 * SECOND);
    assertThat(left(after, 45)).isEqualTo(1);
    ledgerFixture.after(1);
    assertThat(left(after, 45)).isEqualTo(2);
  }

  @Test
  void slowestOfThoseWhoLive_fillsTheBucket() {
    LimitSpec fast = bucketOf(5, 1, 1);
    LimitSpec slow = bucketOf(5, 1, 2);
    ledgerFixture.member("slow", slow).gets();
    ledgerFixture.member("b", fast).spent(minute, 5).gets();
    ledgerFixture.member("slower", bucketOf(5, 1, 10)).gets();
    ledgerFixture.member("c", fast).gets();
    ledgerFixture.after(2 * SECOND);
    assertThat(left(fast, 0)).as("none in 2 s of 10").isZero();
    ledgerFixture.after(1);
    ledgerFixture.member("slow", slow).gets();
    ledgerFixture.after(2 * SECOND);
    assertThat(left(fast, 0)).as("one, and the part that had filled").isEqualTo(2);
    ledgerFixture.after(TTL + 1);
    assertThat(left(fast, 0)).as("all that live are fast").isEqualTo(4);
  }

  /** A bucket with rates so large that a product of them is not exact in a double. */
  private static final LimitSpec LARGE = bucket(999_999_999, 1_000_000_000);

  @Test
  void soMuchTimePassesThatItIsNotExact_theRestOfItIsLost() {
    spent(LARGE, 50);
    ledgerFixture.after(20 * SECOND);
    assertThat(left(LARGE, 50)).isEqualTo(9);
  }

  @Test
  void soMuchTimePassesAfterAPart_itIsCutWithThat() {
    spent(LARGE, 50);
    ledgerFixture.after(SECOND * 9 / 10);
    spent(LARGE, 50);
    ledgerFixture.after(20 * SECOND);
    assertThat(left(LARGE, 50)).isEqualTo(9);
  }

  @Test
  void timeToFillPasses_isFullHoweverMuchIsExact() {
    long fill = CellPartition.of(LARGE).fillMicros();
    spent(LARGE, 50);
    ledgerFixture.after(fill - 1);
    assertThat(left(LARGE, 50)).isEqualTo(9);
    spent(LARGE, 59);
    ledgerFixture.after(fill);
    assertThat(left(LARGE, 59)).isEqualTo(50);
  }

  @Test
  void moreWasSpentThanItHolds_isNotFullAfterTheTimeToFill() {
    spent(LARGE, 51);
    ledgerFixture.after(CellPartition.of(LARGE).fillMicros());
    assertThat(left(LARGE, 51)).isEqualTo(8);
  }

  @Test
  void moreIsGivenBackThanIsMissing_bucketIsFullAndNoMore() {
    spent(ONE_A_SECOND, 50);
    ledgerFixture.after(40 * SECOND);
    assertThat(ledgerFixture.member("a", ONE_A_SECOND).wants(60).gets()).containsExactly(out(50));
  }

  @Test
  void moreIsGivenBackThanIsMissing_othersSpendOfAFullBucketAtThatInstant() {
    spent(ONE_A_SECOND, 50);
    ledgerFixture.after(40 * SECOND);
    spent(ONE_A_SECOND, 0);
    assertThat(
            ledgerFixture.member("b", ONE_A_SECOND).spent(minute + 1, 50).round().left().amount())
        .isZero();
  }

  @Test
  void minuteThatIsForgotten_isNotGivenBack() {
    spent(ONE_A_SECOND, 50);
    ledgerFixture.after(2 * MINUTE);
    long later = ledgerFixture.minute();
    ledgerFixture.member("a", ONE_A_SECOND).spent(part(minute, 50), part(later, 50)).gets();
    ledgerFixture.after(SECOND);
    assertThat(ledgerFixture.member("a", ONE_A_SECOND).spent(later, 50).lacks(2).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", ONE_A_SECOND).spent(later, 50).lacks(1).gets())
        .containsExactly(out(1));
  }
}
