package io.penstock.limit;

import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.NANOS;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.out;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Shares.Part;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of the grants to one member while others want some of the same limit. */
class SharesGrantTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 60 * NANOS);

  /** Cells of this window are a second long. */
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, LimitSpec.TrailingWindow.UNPACED);

  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(100);
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new Rate(1, 1_000), 10);

  private final Sharing sharing = new Sharing();
  private final long cell = sharing.minute();

  private long second() {
    return sharing.now / SECOND;
  }

  @Test
  void memberAlone_getsAllItWantsAndThereIs() {
    assertThat(sharing.member("a", FIXED).wants(20).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void othersWantNothing_oneGetsAllItWantsAndThereIs() {
    sharing.member("b", FIXED).gets();
    assertThat(sharing.member("a", FIXED).wants(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void twoWantAsMuchAsThereIs_eachGetsWhatItWants() {
    sharing.member("a", FIXED).spent(cell, 10).wants(4).gets();
    assertThat(sharing.member("b", FIXED).wants(6).gets()).isEmpty();
    assertThat(sharing.member("a", FIXED).wants(4).gets()).containsExactly(part(cell, 4));
    assertThat(sharing.member("b", FIXED).wants(6).gets()).containsExactly(part(cell, 1));
  }

  @Test
  void twoWantMoreThanThereIs_oneGetsHalfOfItsPart() {
    sharing.member("a", FIXED).spent(cell, 10).wants(7).gets();
    sharing.member("b", FIXED).wants(4).gets();
    assertThat(sharing.member("a", FIXED).wants(7).gets()).containsExactly(part(cell, 2));
  }

  @Test
  void oneOfThoseWhoWantIsSilent_itsWishesCountNoMore() {
    sharing.member("a", FIXED).spent(cell, 10).gets();
    sharing.member("b", FIXED).wants(50).gets();
    sharing.after(TTL + 1).member("c", FIXED).gets();
    assertThat(sharing.member("a", FIXED).wants(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void memberIsSilentForAsLongAsASliceLasts_itsCapacityBindsThatLong() {
    LimitSpec less = new LimitSpec.FixedWindow(6, 60 * NANOS);
    sharing.member("a", less).gets();
    sharing.after(TTL);
    assertThat(sharing.member("b", FIXED).round().capacity()).isEqualTo(6);
    sharing.after(1);
    assertThat(sharing.member("b", FIXED).wants(10).round().parts())
        .containsExactly(part(cell, 10));
  }

  @Test
  void lacksMoreThanThereIs_windowHasTheRestForWhatItWants() {
    sharing.member("b", FIXED).spent(cell, 5).gets();
    assertThat(sharing.member("a", FIXED).lacks(6).wants(3).gets()).containsExactly(part(cell, 3));
  }

  @Test
  void lacksMoreThanThereIs_bucketKeepsTheRestForIt() {
    sharing.member("b", BUCKET).spent(cell, 5).gets();
    assertThat(sharing.member("a", BUCKET).lacks(6).wants(3).gets()).isEmpty();
  }

  @Test
  void lacksAndWants_getsBoth() {
    assertThat(sharing.member("a", BUCKET).lacks(2).wants(3).gets()).containsExactly(out(5));
    assertThat(sharing.member("b", BUCKET).lacks(2).wants(9).gets()).containsExactly(out(3));
  }

  /** Makes one other member want much more than there is, and another give back all it had. */
  private void othersWantMore(LimitSpec spec) {
    long running = second();
    sharing.member("c", spec).spent(running, 60).gets();
    assertThat(sharing.member("b", spec).wants(200).gets()).as("all is spent").isEmpty();
    sharing.member("c", spec).gets();
  }

  @Test
  void othersWantMore_nothingIsPutByForCellsThatBeginLater() {
    LimitSpec trailing = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 1);
    sharing.after(SECOND / 2 - 1);
    othersWantMore(trailing);
    assertThat(sharing.member("a", trailing).wants(50).gets()).containsExactly(part(second(), 10));
  }

  @Test
  void othersWantMore_partIsPutByForACellThatBeginsSoon() {
    LimitSpec trailing = new LimitSpec.TrailingWindow(60, 60 * NANOS, 0, 1);
    sharing.after(SECOND / 2);
    othersWantMore(trailing);
    assertThat(sharing.member("a", trailing).wants(50).gets())
        .containsExactly(part(second(), 10), part(second() + 1, 8));
  }

  @Test
  void othersWantMoreOfWindows_partOfEachOneToComeIsGranted() {
    LimitSpec seconds = new LimitSpec.FixedWindow(20, NANOS);
    long running = second();
    sharing
        .member("c", seconds)
        .spent(part(running, 20), part(running + 1, 20), part(running + 2, 20))
        .gets();
    assertThat(sharing.member("b", seconds).wants(200).gets()).isEmpty();
    sharing.member("c", seconds).gets();
    assertThat(sharing.member("a", seconds).wants(5).gets())
        .containsExactly(part(running, 3), part(running + 1, 2));
  }

  @Test
  void cellsThatBeginWhileASliceLasts_areGranted() {
    LimitSpec seconds = new LimitSpec.FixedWindow(10, NANOS);
    long running = second();
    assertThat(sharing.member("a", seconds).wants(100).gets())
        .containsExactly(part(running, 10), part(running + 1, 10), part(running + 2, 10));
  }

  @Test
  void atMostSixtyCellsToCome_areGranted() {
    LimitSpec hundredths = new LimitSpec.FixedWindow(1, NANOS / 100);
    long running = sharing.now / (SECOND / 100);
    assertThat(sharing.member("a", hundredths).wants(1_000).gets())
        .containsExactly(
            LongStream.rangeClosed(running, running + 60)
                .mapToObj(each -> part(each, 1))
                .toArray(Part[]::new));
  }

  @Test
  void spentInACellToCome_countsInTheWindowOfOneBefore() {
    sharing.member("b", TRAILING).spent(second() + 3, 8).gets();
    assertThat(sharing.member("a", TRAILING).lacks(3).gets()).isEmpty();
    assertThat(sharing.member("a", TRAILING).lacks(2).gets()).containsExactly(part(second(), 2));
  }

  @Test
  void clockSetBack_grantsNothingWhereAWindowIsForgottenInPart() {
    sharing.member("a", TRAILING).gets();
    long first = second();
    sharing.after(-SECOND);
    assertThat(sharing.member("a", TRAILING).lacks(1).gets()).containsExactly(part(first, 1));
  }

  @Test
  void permitsLacked_areKeptForWhoLacksThem() {
    sharing.member("a", PERMITS).spent(0, 95).gets();
    assertThat(sharing.member("b", PERMITS).lacks(40).gets()).isEmpty();
    sharing.member("a", PERMITS).spent(0, 40).gets();
    assertThat(sharing.member("c", PERMITS).lacks(21).gets()).isEmpty();
    assertThat(sharing.member("c", PERMITS).lacks(20).gets()).containsExactly(part(0, 20));
  }

  @Test
  void permitsOfWhoIsSilent_areOthers() {
    sharing.member("a", PERMITS).spent(0, 95).gets();
    assertThat(sharing.after(TTL).member("b", PERMITS).lacks(6).gets()).isEmpty();
    assertThat(sharing.after(1).member("b", PERMITS).lacks(100).gets())
        .containsExactly(part(0, 100));
  }

  @Test
  void whoLacksItLonger_isKeptRoomForFirst() {
    sharing.member("young", FIXED).gets();
    sharing.member("a", FIXED).spent(cell, 10).gets();
    assertThat(sharing.member("old", FIXED).lacks(6).gets()).isEmpty();
    assertThat(sharing.member("young", FIXED).lacks(5).gets()).isEmpty();
    sharing.member("a", FIXED).gets();
    assertThat(sharing.member("c", FIXED).lacks(5).gets()).isEmpty();
    assertThat(sharing.member("c", FIXED).lacks(4).gets()).containsExactly(part(cell, 4));
  }

  @Test
  void repeatedRound_isLateAndChangesNothing() {
    sharing.member("a", FIXED).spent(cell, 10).gets();
    assertThat(sharing.member("a", FIXED).round(sharing.number())).isEqualTo(Shares.LATE);
    assertThat(sharing.member("b", FIXED).lacks(1).gets()).isEmpty();
  }

  @Test
  void silentMemberReturnsInTheSameWindow_whatItHadIsKnown() {
    sharing.member("a", FIXED).spent(cell, 10).gets();
    sharing.after(2 * TTL).member("b", FIXED).gets();
    assertThat(sharing.member("a", FIXED).lacks(10).gets()).containsExactly(part(cell, 10));
  }

  @Test
  void silentMemberOfWhomNothingCounts_isForgotten() {
    sharing.member("a", FIXED).spent(cell, 10).gets();
    long number = sharing.number();
    sharing.after(MINUTE).member("b", FIXED).gets();
    assertThat(sharing.member("a", FIXED).round(number)).isNotEqualTo(Shares.LATE);
  }

  @Test
  void livingMemberOfWhomNothingCounts_isKnown() {
    sharing.member("a", FIXED).gets();
    assertThat(sharing.member("a", FIXED).round(sharing.number())).isEqualTo(Shares.LATE);
  }
}
