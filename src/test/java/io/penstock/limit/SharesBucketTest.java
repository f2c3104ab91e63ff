package io.penstock.limit;

import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.out;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of a token bucket that members share: how it fills, and what it forgets. */
class SharesBucketTest {
  private static final LimitSpec ONE_A_SECOND = bucket(1, 1);

  private final Sharing sharing = new Sharing();
  private final long minute = sharing.minute();

  private static LimitSpec bucket(long releases, long seconds) {
    return new LimitSpec.TokenBucket(new Rate(releases, seconds), 50);
  }

  private static LimitSpec bucketOf(long burst, long releases, long seconds) {
    return new LimitSpec.TokenBucket(new Rate(releases, seconds), burst);
  }

  /** Returns the grants to a member that reports {@code amount} as spent in the first minute. */
  private Shares.Granted spent(LimitSpec spec, long amount) {
    return sharing.member("a", spec).spent(minute, amount).round();
  }

  private long left(LimitSpec spec, long amount) {
    return spent(spec, amount).left().amount();
  }

  @Test
  void fractionsOfATokenAddUp() {
    spent(ONE_A_SECOND, 50);
    for (int each = 0; each < 3; each++) {
      sharing.after(SECOND * 3 / 10);
      assertThat(left(ONE_A_SECOND, 50)).isZero();
    }
    sharing.after(SECOND / 10 - 1);
    assertThat(left(ONE_A_SECOND, 50)).isZero();
    sharing.after(1);
    assertThat(left(ONE_A_SECOND, 50)).isEqualTo(1);
  }

  @Test
  void bucketIsFull_noPartOfATokenIsPutBy() {
    spent(ONE_A_SECOND, 0);
    sharing.after(SECOND * 9 / 10);
    spent(ONE_A_SECOND, 50);
    sharing.after(SECOND - 1);
    assertThat(left(ONE_A_SECOND, 50)).isZero();
  }

  @Test
  void lastTokenThatWasMissingIsFilledIn_noPartOfAnotherIsPutBy() {
    spent(ONE_A_SECOND, 1);
    sharing.after(SECOND * 19 / 10);
    assertThat(left(ONE_A_SECOND, 1)).isEqualTo(50);
    spent(ONE_A_SECOND, 51);
    sharing.after(SECOND - 1);
    assertThat(left(ONE_A_SECOND, 51)).isZero();
  }

  @Test
  void askedTwiceAtAnInstant_isFilledOnce() {
    LimitSpec slow = bucket(1, 10);
    spent(slow, 50);
    sharing.after(9 * SECOND);
    spent(slow, 50);
    spent(slow, 0);
    assertThat(left(slow, 50)).isZero();
    sharing.after(SECOND);
    assertThat(left(slow, 50)).as("the part filled before").isEqualTo(1);
  }

  @Test
  void rateOfWhichATokenTakesLess_hasNoMoreThanTheNextOneFilled() {
    LimitSpec before = bucketOf(45, 3, 10);
    LimitSpec after = bucketOf(45, 1, 4);
    spent(before, 45);
    sharing.after(3 * SECOND);
    assertThat(left(before, 45)).as("nine tenths of one").isZero();
    sharing.after(4 * SECOND);
    assertThat(left(after, 45)).isEqualTo(1);
    sharing.after(1);
    assertThat(left(after, 45)).isEqualTo(2);
  }

  @Test
  void slowestOfThoseWhoLive_fillsTheBucket() {
    LimitSpec fast = bucketOf(5, 1, 1);
    LimitSpec slow = bucketOf(5, 1, 2);
    sharing.member("slow", slow).gets();
    sharing.member("b", fast).spent(minute, 5).gets();
    sharing.member("slower", bucketOf(5, 1, 10)).gets();
    sharing.member("c", fast).gets();
    sharing.after(2 * SECOND);
    assertThat(left(fast, 0)).as("none in 2 s of 10").isZero();
    sharing.after(1);
    sharing.member("slow", slow).gets();
    sharing.after(2 * SECOND);
    assertThat(left(fast, 0)).as("one, and the part that had filled").isEqualTo(2);
    sharing.after(TTL + 1);
    assertThat(left(fast, 0)).as("all that live are fast").isEqualTo(4);
  }

  /** A bucket with rates so large that a product of them is not exact in a double. */
  private static final LimitSpec LARGE = bucket(999_999_999, 1_000_000_000);

  @Test
  void soMuchTimePassesThatItIsNotExact_theRestOfItIsLost() {
    spent(LARGE, 50);
    sharing.after(20 * SECOND);
    assertThat(left(LARGE, 50)).isEqualTo(9);
  }

  @Test
  void soMuchTimePassesAfterAPart_itIsCutWithThat() {
    spent(LARGE, 50);
    sharing.after(SECOND * 9 / 10);
    spent(LARGE, 50);
    sharing.after(20 * SECOND);
    assertThat(left(LARGE, 50)).isEqualTo(9);
  }

  @Test
  void timeToFillPasses_isFullHoweverMuchIsExact() {
    long fill = Partition.of(LARGE).fillMicros();
    spent(LARGE, 50);
    sharing.after(fill - 1);
    assertThat(left(LARGE, 50)).isEqualTo(9);
    spent(LARGE, 59);
    sharing.after(fill);
    assertThat(left(LARGE, 59)).isEqualTo(50);
  }

  @Test
  void moreWasSpentThanItHolds_isNotFullAfterTheTimeToFill() {
    spent(LARGE, 51);
    sharing.after(Partition.of(LARGE).fillMicros());
    assertThat(left(LARGE, 51)).isEqualTo(8);
  }

  @Test
  void moreIsGivenBackThanIsMissing_bucketIsFullAndNoMore() {
    spent(ONE_A_SECOND, 50);
    sharing.after(40 * SECOND);
    assertThat(sharing.member("a", ONE_A_SECOND).wants(60).gets()).containsExactly(out(50));
  }

  @Test
  void moreIsGivenBackThanIsMissing_othersSpendOfAFullBucketAtThatInstant() {
    spent(ONE_A_SECOND, 50);
    sharing.after(40 * SECOND);
    spent(ONE_A_SECOND, 0);
    assertThat(sharing.member("b", ONE_A_SECOND).spent(minute + 1, 50).round().left().amount())
        .isZero();
  }

  @Test
  void minuteThatIsForgotten_isNotGivenBack() {
    spent(ONE_A_SECOND, 50);
    sharing.after(2 * MINUTE);
    long later = sharing.minute();
    sharing.member("a", ONE_A_SECOND).spent(part(minute, 50), part(later, 50)).gets();
    sharing.after(SECOND);
    assertThat(sharing.member("a", ONE_A_SECOND).spent(later, 50).lacks(2).gets()).isEmpty();
    assertThat(sharing.member("a", ONE_A_SECOND).spent(later, 50).lacks(1).gets())
        .containsExactly(out(1));
  }
}
