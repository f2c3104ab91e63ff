package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.START;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.out;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of limits with a kind that changes from or to a bucket or a strict rate. */
class KindChangeoverRatesTest {
  private static final long STAYS = 1_000 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, 60 * NANOS);
  private static final LimitSpec HOUR = new LimitSpec.FixedWindow(100, 3_600 * NANOS);
  private static final LimitSpec TEN = slots(10, 1);
  private static final LimitSpec THREE = slots(3, 1);
  private static final LimitSpec SLOW = slots(1, 10);

  /** A bucket that fills slowly enough to be ignored. */
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(1, 1_000), 100);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long minute = ledgerFixture.minute();
  private final long first = START + 2_000;

  private static LimitSpec slots(long releases, long seconds) {
    return new LimitSpec.Strict(new ExactRate(releases, seconds), 0);
  }

  private static long sum(List<CellAmount> parts) {
    return parts.stream().mapToLong(CellAmount::amount).sum();
  }

  private LedgerFixture.Says old(LimitSpec spec) {
    return ledgerFixture.member("old", spec);
  }

  private LedgerFixture.Says next(LimitSpec spec) {
    return ledgerFixture.member("new", spec);
  }

  private long left(LimitSpec spec) {
    return next(spec).round().left().amount();
  }

  @Test
  void slotsBecomeABucket_newOneGetsHalfOfItsPartOfThem() {
    old(TEN).gets();
    assertThat(next(BUCKET).wants(50).gets()).containsExactly(out(10));
    assertThat(old(TEN).lacks(1).gets()).containsExactly(part(START + SECOND, 1));
    assertThat(next(BUCKET).spent(out(10)).wants(50).gets()).containsExactly(out(2));
    assertThat(old(TEN).lacks(1).gets()).containsExactly(part(START + SECOND * 13 / 10, 1));
  }

  @Test
  void slotsBecomeABucketAndTheOldOnesAreSilent_newOneGetsAllOfThem() {
    old(TEN).gets();
    ledgerFixture.after(TTL);
    assertThat(left(BUCKET)).isEqualTo(10);
    LedgerFixture other = new LedgerFixture();
    other.member("old", TEN).gets();
    other.after(TTL + 1);
    assertThat(other.member("new", BUCKET).wants(50).gets()).containsExactly(out(21));
  }

  @Test
  void slotsBecomeABucket_oneIsGrantedOnceItBeginsWhileASliceLasts() {
    old(SLOW).lacks(1).gets();
    ledgerFixture.after(10 * SECOND + 2_000 - TTL - 1);
    assertThat(next(BUCKET).lacks(1).gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(next(BUCKET).lacks(1).gets()).containsExactly(out(1));
  }

  @Test
  void slotsThatBecomeABucketAreBarred_oneIsGrantedOnceTheyAreNot() {
    old(SLOW).bars(START + 5 * SECOND - 1).gets();
    ledgerFixture.after(5 * SECOND - TTL - 1);
    assertThat(next(BUCKET).lacks(1).gets()).isEmpty();
    ledgerFixture.after(1);
    SliceLedger.Granted granted = next(BUCKET).lacks(1).round();
    assertThat(granted.parts()).containsExactly(out(1));
    assertThat(granted.barred()).isEqualTo(SliceLedger.NONE);
  }

  @Test
  void slotsHaveRatesThatDiffer_theLowestOneBindsTheBucket() {
    ledgerFixture.member("slow", slots(1, 1)).gets();
    ledgerFixture.member("fast", TEN).gets();
    ledgerFixture.after(TTL + 1);
    assertThat(next(BUCKET).wants(50).gets()).containsExactly(out(3));
    LedgerFixture other = new LedgerFixture();
    other.member("fast", TEN).gets();
    other.member("slow", slots(1, 1)).gets();
    other.after(TTL + 1);
    assertThat(other.member("new", BUCKET).wants(50).gets()).containsExactly(out(3));
  }

  @Test
  void bucketUsesSlotsOneByOne_theyAreAnIntervalApart() {
    old(THREE).gets();
    assertThat(next(BUCKET).lacks(1).gets()).containsExactly(out(1));
    assertThat(next(BUCKET).spent(out(1)).lacks(1).gets()).containsExactly(out(1));
    assertThat(old(THREE).lacks(1).gets()).containsExactly(part(START + 666_667, 1));
  }

  @Test
  void bucketUsesASlotWhenItBegins_whatItIsLaterInPartsOfAMicrosecondStays() {
    old(THREE).gets();
    next(BUCKET).lacks(1).gets();
    ledgerFixture.after(333_333);
    next(BUCKET).spent(out(1)).lacks(1).gets();
    assertThat(old(THREE).wants(3).gets())
        .containsExactly(
            part(START + 666_667, 1), part(START + 1_000_000, 1), part(START + 1_333_334, 1));
  }

  @Test
  void bucketUsesASlotAfterTheNextOneBegan_itIsOfThatInstant() {
    old(THREE).gets();
    next(BUCKET).lacks(1).gets();
    ledgerFixture.after(333_334);
    next(BUCKET).spent(out(1)).lacks(1).gets();
    assertThat(old(THREE).wants(2).gets())
        .containsExactly(part(START + 666_668, 1), part(START + 1_000_001, 1));
  }

  @Test
  void bucketSpendsNothing_noSlotIsUsed() {
    old(TEN).gets();
    next(BUCKET).gets();
    ledgerFixture.after(-SECOND / 2);
    assertThat(old(TEN).lacks(1).gets()).containsExactly(part(ledgerFixture.now + 2_000, 1));
  }

  @Test
  void rateWithLargerPartsOfAMicrosecond_bucketUsesItNoLaterThanTheNextOne() {
    old(slots(7, 1)).wants(1).gets();
    old(slots(7, 1)).wants(4).gets();
    old(THREE).gets();
    next(BUCKET).lacks(1).gets();
    assertThat(old(THREE).wants(1).gets()).containsExactly(part(first + 5 * 142_857 + 333_334, 1));
  }

  @Test
  void bucketSpentMoreThanIsExact_slotsAreUsedAsFarAsItIs() {
    old(TEN).gets();
    next(BUCKET).spent(minute, CellPartition.MOST).gets();
    assertThat(old(TEN).round().left())
        .isEqualTo(new SharedRemainder(0, START + 9_007_199_254L * 100_000));
  }

  @Test
  void bucketSpentMoreThanIsExactBesideAPart_bothAreExact() {
    LimitSpec large = slots(1_000_000_000, 1);
    assertThat(sum(old(large).wants(999).gets())).isEqualTo(999);
    next(BUCKET).spent(minute, CellPartition.MOST).gets();
    assertThat(old(large).round().left()).isEqualTo(new SharedRemainder(0, first + 9_007_199));
  }

  @Test
  void onlyMemberChangesFromSlotsToABucket_slotsAheadAreSpent() {
    assertThat(old(TEN).wants(10).gets()).hasSize(10);
    assertThat(old(BUCKET).round().left().amount()).isEqualTo(89);
  }

  @Test
  void onlyMemberChangesFromSlotsThatAreOver_bucketIsFull() {
    old(TEN).wants(10).gets();
    ledgerFixture.after(SECOND + 2_000);
    assertThat(old(BUCKET).round().left().amount()).isEqualTo(100);
  }

  @Test
  void slotsBecomeAWindow_noneOfThemCountsInIt() {
    old(TEN).wants(10).gets();
    assertThat(old(FIXED).round().left().amount()).isEqualTo(100);
  }

  @Test
  void windowBecomesSlots_newOneGetsAsManyAsThatLeaves() {
    old(FIXED).spent(minute, 94).gets();
    assertThat(sum(next(TEN).wants(50).gets())).isEqualTo(6);
    assertThat(old(FIXED).spent(minute, 94).lacks(1).gets()).isEmpty();
    assertThat(old(FIXED).spent(minute, 94).round().capacity()).isEqualTo(100);
    assertThat(old(FIXED).spent(minute, 90).lacks(4).gets()).hasSize(1);
  }

  @Test
  void windowThatIsBarredBecomesSlots_nothingIsGrantedNorTold() {
    old(FIXED).bars(minute).gets();
    SliceLedger.Granted granted = next(TEN).lacks(1).round();
    assertThat(granted.parts()).isEmpty();
    assertThat(granted.barred()).isEqualTo(SliceLedger.NONE);
  }

  @Test
  void slotsTakeOver_whoIsHeardNoMoreIsForgotten() {
    old(HOUR).spent(ledgerFixture.now / (60 * MINUTE), 3).gets();
    long number = ledgerFixture.number();
    ledgerFixture.after(STAYS + 1);
    assertThat(next(TEN).lacks(1).gets()).hasSize(1);
    assertThat(old(TEN).round(number)).isNotEqualTo(SliceLedger.LATE);
  }

  @Test
  void bucketBecomesSlots_newOneGetsAsManyAsItHolds() {
    old(BUCKET).spent(minute, 96).gets();
    assertThat(sum(next(TEN).wants(50).gets())).isEqualTo(4);
    assertThat(old(BUCKET).spent(minute, 96).lacks(1).gets()).isEmpty();
    assertThat(old(BUCKET).spent(minute, 96).round().capacity()).isEqualTo(100);
  }

  @Test
  void bucketBecomesAWindow_newOneGetsWhatIsInIt() {
    LimitSpec fills = new LimitSpec.TokenBucket(new ExactRate(1, 1), 100);
    old(fills).spent(part(minute, 70), out(10)).gets();
    assertThat(left(FIXED)).isEqualTo(20);
    ledgerFixture.after(5 * SECOND);
    assertThat(left(FIXED)).isEqualTo(25);
  }

  @Test
  void windowGivesBack_bucketHasItNotAgain() {
    old(BUCKET).spent(minute, 70).gets();
    next(FIXED).lacks(20).gets();
    next(FIXED).gets();
    assertThat(old(BUCKET).spent(minute, 70).round().left().amount()).isEqualTo(10);
  }

  @Test
  void memberChangesThatHadTokensOut_theyAreSpent() {
    old(BUCKET).gets();
    assertThat(next(BUCKET).lacks(20).gets()).containsExactly(out(20));
    assertThat(next(FIXED).spent(minute, 20).lacks(5).gets()).containsExactly(part(minute, 5));
    assertThat(old(BUCKET).round().left().amount()).isEqualTo(75);
    ledgerFixture.after(2 * TTL);
    assertThat(old(BUCKET).round().left().amount()).as("they were not out").isEqualTo(75);
  }

  @Test
  void memberChangesToABucketAgain_tokensItHadOutAreSpent() {
    old(FIXED).gets();
    assertThat(next(BUCKET).lacks(20).gets()).containsExactly(out(20));
    next(FIXED).gets();
    assertThat(next(BUCKET).from(CellPartition.OUT).round().left().amount()).isEqualTo(80);
    assertThat(next(BUCKET).round().left().amount()).isEqualTo(80);
  }

  @Test
  void memberChangesToABucketAgain_whatItSpentOfThatIsNotGivenBack() {
    old(FIXED).gets();
    next(BUCKET).spent(minute, 20).gets();
    next(FIXED).gets();
    assertThat(next(BUCKET).round().left().amount()).isEqualTo(80);
  }
}
