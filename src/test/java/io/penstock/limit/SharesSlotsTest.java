package io.penstock.limit;

import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Shares.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the slots of a strict rate that members share. */
class SharesSlotsTest {
  private static final LimitSpec SLOW = rate(1, 10);
  private static final LimitSpec TEN = rate(10, 1);
  private static final LimitSpec THREE = rate(3, 1);

  private final Sharing sharing = new Sharing();
  private final long first = sharing.now + 2_000;

  private static LimitSpec rate(long releases, long seconds) {
    return new LimitSpec.Strict(new Rate(releases, seconds));
  }

  private static long sum(List<Part> parts) {
    return parts.stream().mapToLong(Part::amount).sum();
  }

  @Test
  void memberAlone_getsAllThatBeginWhileASliceLasts() {
    assertThat(sharing.member("a", TEN).wants(50).gets()).hasSize(20);
  }

  @Test
  void othersWantNothing_oneGetsAllThatBeginWhileASliceLasts() {
    sharing.member("b", TEN).gets();
    assertThat(sharing.member("a", TEN).wants(20).gets()).hasSize(20);
  }

  @Test
  void twoWantMoreThanThereAre_oneGetsHalfOfItsPart() {
    sharing.member("b", TEN).gets();
    assertThat(sharing.member("a", TEN).wants(21).gets()).hasSize(5);
  }

  @Test
  void slotAtTheEndOfASlice_isHandedOut() {
    long last = sharing.now + TTL;
    assertThat(sharing.member("a", TEN).from(last).wants(5).gets()).containsExactly(part(last, 1));
    sharing.after(-1);
    assertThat(sharing.member("a", TEN).from(last).wants(5).gets()).isEmpty();
  }

  @Test
  void nextSlotWithinAMicrosecond_isHandedOutWhenItsWholeBeginsInTime() {
    LimitSpec uneven = rate(3, 10);
    assertThat(sharing.member("a", uneven).lacks(1).gets()).containsExactly(part(first, 1));
    sharing.after(2_000 + 3_333_333 - TTL);
    assertThat(sharing.member("a", uneven).lacks(1).gets()).isEmpty();
    sharing.after(1);
    assertThat(sharing.member("a", uneven).lacks(1).gets())
        .containsExactly(part(first + 3_333_334, 1));
  }

  @Test
  void askedFromTheNextSlotOn_itIsAnIntervalAfterTheLast() {
    assertThat(sharing.member("a", THREE).lacks(1).gets()).containsExactly(part(first, 1));
    assertThat(sharing.member("a", THREE).from(first + 333_333).lacks(1).gets())
        .containsExactly(part(first + 333_334, 1));
  }

  @Test
  void rateWithLargerPartsOfAMicrosecond_isNoLaterThanTheNextOne() {
    sharing.member("a", rate(7, 1)).wants(1).gets(); // the next is 1/7 µs after 142,857
    sharing.member("a", rate(7, 1)).wants(4).gets();
    long next = first + 5 * 142_857;
    assertThat(sharing.member("a", THREE).wants(2).gets())
        .containsExactly(part(next + 1, 1), part(next + 333_334, 1));
  }

  @Test
  void ratesThatAreNotExact_areCut() {
    LimitSpec large = rate(1_000_000_000, 1_000_000_000);
    sharing.ttl = 20 * SECOND;
    assertThat(sum(sharing.member("a", large).wants(50).gets())).isEqualTo(10);
  }

  @Test
  void whoGotWhatItLacked_keepsNothingFromOthers() {
    assertThat(sharing.member("a", TEN).lacks(1).gets()).containsExactly(part(first, 1));
    assertThat(sum(sharing.member("b", TEN).lacks(19).gets())).isEqualTo(19);
  }

  @Test
  void whoWasDenied_isFirstWhenThereIsOne() {
    sharing.member("b", SLOW).lacks(1).gets();
    assertThat(sharing.member("a", SLOW).lacks(1).gets()).isEmpty();
    sharing.after(10 * SECOND - TTL + 1_000);
    assertThat(sharing.member("a", SLOW).lacks(1).gets()).isEmpty();
    sharing.after(1_000);
    assertThat(sharing.member("b", SLOW).wants(1).gets()).as("wanted, not lacked").isEmpty();
    assertThat(sharing.member("b", SLOW).lacks(1).gets()).isEmpty();
    assertThat(sharing.member("a", SLOW).lacks(1).gets()).hasSize(1);
  }

  @Test
  void whoWasGrantedBefore_doesNotCountAmongThoseWhoLack() {
    sharing.member("b", SLOW).lacks(1).gets();
    sharing.after(8 * SECOND + 2_000);
    sharing.member("b", SLOW).gets();
    assertThat(sharing.member("a", SLOW).lacks(1).gets()).hasSize(1);
  }

  @Test
  void left_isOneWhileASlotBeginsSoon_andFullWhenItBegins() {
    Shares.Granted none = sharing.member("a", THREE).round();
    assertThat(none.left()).isEqualTo(new Remainder(1, sharing.now));
    Shares.Granted one = sharing.member("a", THREE).wants(1).round();
    assertThat(one.left()).isEqualTo(new Remainder(0, first + 333_333));
    sharing.after(333_333);
    assertThat(sharing.member("a", THREE).round().left())
        .isEqualTo(new Remainder(1, first + 333_333));
    assertThat(sharing.member("a", THREE).bars(sharing.now + 9_000).round().left())
        .isEqualTo(new Remainder(0, sharing.now + 9_001));
  }
}
