package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.out;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of the grants to one member while others want some of the same limit. */
class SliceLedgerGrantTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 60 * NANOS);

  /** Cells of this window are a second long. */
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, LimitSpec.TrailingWindow.UNPACED);

  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(100);
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(1, 1_000), 10);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long cell = ledgerFixture.minute();

  private long second() {
    return ledgerFixture.now / SECOND;
  }

  @Test
  void memberAlone_getsAllItWantsAndThereIs() {
    assertThat(ledgerFixture.member("a", FIXED).wants(20).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void othersWantNothing_oneGetsAllItWantsAndThereIs() {
    ledgerFixture.member("b", FIXED).gets();
    assertThat(ledgerFixture.member("a", FIXED).wants(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void twoWantAsMuchAsThereIs_eachGetsWhatItWants() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).wants(4).gets();
    assertThat(ledgerFixture.member("b", FIXED).wants(6).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", FIXED).wants(4).gets()).containsExactly(part(cell, 4));
    assertThat(ledgerFixture.member("b", FIXED).wants(6).gets()).containsExactly(part(cell, 1));
  }

  @Test
  void twoWantMoreThanThereIs_oneGetsHalfOfItsPart() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).wants(7).gets();
    ledgerFixture.member("b", FIXED).wants(4).gets();
    assertThat(ledgerFixture.member("a", FIXED).wants(7).gets()).containsExactly(part(cell, 2));
  }

  @Test
  void oneOfThoseWhoWantIsSilent_itsWishesCountNoMore() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).gets();
    ledgerFixture.member("b", FIXED).wants(50).gets();
    ledgerFixture.after(TTL + 1).member("c", FIXED).gets();
    assertThat(ledgerFixture.member("a", FIXED).wants(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void memberIsSilentForAsLongAsASliceLasts_itsCapacityBindsThatLong() {
    LimitSpec less = new LimitSpec.FixedWindow(6, 60 * NANOS);
    ledgerFixture.member("a", less).gets();
    ledgerFixture.after(TTL);
    assertThat(ledgerFixture.member("b", FIXED).round().capacity()).isEqualTo(6);
    ledgerFixture.after(1);
    assertThat(ledgerFixture.member("b", FIXED).wants(10).round().parts())
        .containsExactly(part(cell, 10));
  }

  @Test
  void lacksMoreThanThereIs_windowHasTheRestForWhatItWants() {
    ledgerFixture.member("b", FIXED).spent(cell, 5).gets();
    assertThat(ledgerFixture.member("a", FIXED).lacks(6).wants(3).gets())
        .containsExactly(part(cell, 3));
  }

  @Test
  void lacksMoreThanThereIs_bucketKeepsTheRestForIt() {
    ledgerFixture.member("b", BUCKET).spent(cell, 5).gets();
    assertThat(ledgerFixture.member("a", BUCKET).lacks(6).wants(3).gets()).isEmpty();
  }

  @Test
  void lacksAndWants_getsBoth() {
    assertThat(ledgerFixture.member("a", BUCKET).lacks(2).wants(3).gets()).containsExactly(out(5));
    assertThat(ledgerFixture.member("b", BUCKET).lacks(2).wants(9).gets()).containsExactly(out(3));
  }

  /** Makes one other member want much more than there is, and another give back all it had. */
  private void othersWantMore(LimitSpec spec) {
    long running = second();
    ledgerFixture.member("c", spec).spent(running, 60).gets();
    assertThat(ledgerFixture.member("b", spec).wants(200).gets()).as("all is spent").isEmpty();
    ledgerFixture.member("c", spec).gets();
  }

  @Test
  void othersWantMore_nothingIsPutByForCellsThatBeginLater() {
    LimitSpec trailing = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 1);
    ledgerFixture.after(SECOND / 2 - 1);
    othersWantMore(trailing);
    assertThat(ledgerFixture.member("a", trailing).wants(50).gets())
        .containsExactly(part(second(), 10));
  }

  @Test
  void othersWantMore_partIsPutByForACellThatBeginsSoon() {
    LimitSpec trailing = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 1);
    ledgerFixture.after(SECOND / 2);
    othersWantMore(trailing);
    assertThat(ledgerFixture.member("a", trailing).wants(50).gets())
        .containsExactly(part(second(), 10), part(second() + 1, 8));
  }

  @Test
  void othersWantMoreOfWindows_partOfEachOneToComeIsGranted() {
    LimitSpec seconds = new LimitSpec.FixedWindow(20, NANOS);
    long running = second();
    ledgerFixture
        .member("c", seconds)
        .spent(part(running, 20), part(running + 1, 20), part(running + 2, 20))
        .gets();
    assertThat(ledgerFixture.member("b", seconds).wants(200).gets()).isEmpty();
    ledgerFixture.member("c", seconds).gets();
    assertThat(ledgerFixture.member("a", seconds).wants(5).gets())
        .containsExactly(part(running, 3), part(running + 1, 2));
  }

  @Test
  void cellsThatBeginWhileASliceLasts_areGranted() {
    LimitSpec seconds = new LimitSpec.FixedWindow(10, NANOS);
    long running = second();
    assertThat(ledgerFixture.member("a", seconds).wants(100).gets())
        .containsExactly(part(running, 10), part(running + 1, 10), part(running + 2, 10));
  }

  @Test
  void atMostSixtyCellsToCome_areGranted() {
    LimitSpec hundredths = new LimitSpec.FixedWindow(1, NANOS / 100);
    long running = ledgerFixture.now / (SECOND / 100);
    assertThat(ledgerFixture.member("a", hundredths).wants(1_000).gets())
        .containsExactly(
            LongStream.rangeClosed(running, running + 60)
                .mapToObj(each -> part(each, 1))
                .toArray(CellAmount[]::new));
  }

  @Test
  void spentInACellToCome_countsInTheWindowOfOneBefore() {
    ledgerFixture.member("b", TRAILING).spent(second() + 3, 8).gets();
    assertThat(ledgerFixture.member("a", TRAILING).lacks(3).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", TRAILING).lacks(2).gets())
        .containsExactly(part(second(), 2));
  }

  @Test
  void clockSetBack_grantsNothingWhereAWindowIsForgottenInPart() {
    ledgerFixture.member("a", TRAILING).gets();
    long first = second();
    ledgerFixture.after(-SECOND);
    assertThat(ledgerFixture.member("a", TRAILING).lacks(1).gets()).containsExactly(part(first, 1));
  }

  @Test
  void permitsLacked_areKeptForWhoLacksThem() {
    ledgerFixture.member("a", PERMITS).spent(0, 95).gets();
    assertThat(ledgerFixture.member("b", PERMITS).lacks(40).gets()).isEmpty();
    ledgerFixture.member("a", PERMITS).spent(0, 40).gets();
    assertThat(ledgerFixture.member("c", PERMITS).lacks(21).gets()).isEmpty();
    assertThat(ledgerFixture.member("c", PERMITS).lacks(20).gets()).containsExactly(part(0, 20));
  }

  @Test
  void permitsOfWhoIsSilent_areOthers() {
    ledgerFixture.member("a", PERMITS).spent(0, 95).gets();
    assertThat(ledgerFixture.after(TTL).member("b", PERMITS).lacks(6).gets()).isEmpty();
    assertThat(ledgerFixture.after(1).member("b", PERMITS).lacks(100).gets())
        .containsExactly(part(0, 100));
  }

  @Test
  void whoLacksItLonger_isKeptRoomForFirst() {
    ledgerFixture.member("young", FIXED).gets();
    ledgerFixture.member("a", FIXED).spent(cell, 10).gets();
    assertThat(ledgerFixture.member("old", FIXED).lacks(6).gets()).isEmpty();
    assertThat(ledgerFixture.member("young", FIXED).lacks(5).gets()).isEmpty();
    ledgerFixture.member("a", FIXED).gets();
    assertThat(ledgerFixture.member("c", FIXED).lacks(5).gets()).isEmpty();
    assertThat(ledgerFixture.member("c", FIXED).lacks(4).gets()).containsExactly(part(cell, 4));
  }

  @Test
  void repeatedRound_isLateAndChangesNothing() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).gets();
    assertThat(ledgerFixture.member("a", FIXED).round(ledgerFixture.number()))
        .isEqualTo(SliceLedger.LATE);
    assertThat(ledgerFixture.member("b", FIXED).lacks(1).gets()).isEmpty();
  }

  @Test
  void silentMemberReturnsInTheSameWindow_whatItHadIsKnown() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).gets();
    ledgerFixture.after(2 * TTL).member("b", FIXED).gets();
    assertThat(ledgerFixture.member("a", FIXED).lacks(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void silentMemberOfWhomNothingCounts_isForgotten() {
    ledgerFixture.member("a", FIXED).spent(cell, 10).gets();
    long number = ledgerFixture.number();
    ledgerFixture.after(MINUTE).member("b", FIXED).gets();
    assertThat(ledgerFixture.member("a", FIXED).round(number)).isNotEqualTo(SliceLedger.LATE);
  }

  @Test
  void livingMemberOfWhomNothingCounts_isKnown() {
    ledgerFixture.member("a", FIXED).gets();
    assertThat(ledgerFixture.member("a", FIXED).round(ledgerFixture.number()))
        .isEqualTo(SliceLedger.LATE);
  }
}
