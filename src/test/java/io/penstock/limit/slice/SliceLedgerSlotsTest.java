package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the slots of a strict rate that members share. */
class SliceLedgerSlotsTest {
  private static final LimitSpec SLOW = rate(1, 10);
  private static final LimitSpec TEN = rate(10, 1);
  private static final LimitSpec THREE = rate(3, 1);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long first = ledgerFixture.now + 2_000;

  private static LimitSpec rate(long releases, long seconds) {
    return new LimitSpec.Strict(new ExactRate(releases, seconds), 0);
  }

  private static long sum(List<CellAmount> parts) {
    return parts.stream().mapToLong(CellAmount::amount).sum();
  }

  @Test
  void memberAlone_getsAllThatBeginWhileASliceLasts() {
    assertThat(ledgerFixture.member("a", TEN).wants(50).gets()).hasSize(20);
  }

  @Test
  void othersWantNothing_oneGetsAllThatBeginWhileASliceLasts() {
    ledgerFixture.member("b", TEN).gets();
    assertThat(ledgerFixture.member("a", TEN).wants(20).gets()).hasSize(20);
  }

  @Test
  void twoWantMoreThanThereAre_oneGetsHalfOfItsPart() {
    ledgerFixture.member("b", TEN).gets();
    assertThat(ledgerFixture.member("a", TEN).wants(21).gets()).hasSize(5);
  }

  @Test
  void slotAtTheEndOfASlice_isHandedOut() {
    long last = ledgerFixture.now + TTL;
    assertThat(ledgerFixture.member("a", TEN).from(last).wants(5).gets())
        .containsExactly(part(last, 1));
    ledgerFixture.after(-1);
    assertThat(ledgerFixture.member("a", TEN).from(last).wants(5).gets()).isEmpty();
  }

  @Test
  void nextSlotWithinAMicrosecond_isHandedOutWhenItsWholeBeginsInTime() {
    LimitSpec uneven = rate(3, 10);
    assertThat(ledgerFixture.member("a", uneven).lacks(1).gets()).containsExactly(part(first, 1));
    ledgerFixture.after(2_000 + 3_333_333 - TTL);
    assertThat(ledgerFixture.member("a", uneven).lacks(1).gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(ledgerFixture.member("a", uneven).lacks(1).gets())
        .containsExactly(part(first + 3_333_334, 1));
  }

  @Test
  void askedFromTheNextSlotOn_itIsAnIntervalAfterTheLast() {
    assertThat(ledgerFixture.member("a", THREE).lacks(1).gets()).containsExactly(part(first, 1));
    assertThat(ledgerFixture.member("a", THREE).from(first + 333_333).lacks(1).gets())
        .containsExactly(part(first + 333_334, 1));
  }

  @Test
  void rateWithLargerPartsOfAMicrosecond_isNoLaterThanTheNextOne() {
    ledgerFixture.member("a", rate(7, 1)).wants(1).gets(); // the next is 1/7 µs after 142,857
    ledgerFixture.member("a", rate(7, 1)).wants(4).gets();
    long next = first + 5 * 142_857;
    assertThat(ledgerFixture.member("a", THREE).wants(2).gets())
        .containsExactly(part(next + 1, 1), part(next + 333_334, 1));
  }

  @Test
  void ratesThatAreNotExact_areCut() {
    LimitSpec large = rate(1_000_000_000, 1_000_000_000);
    ledgerFixture.ttl = 20 * SECOND;
    assertThat(sum(ledgerFixture.member("a", large).wants(50).gets())).isEqualTo(10);
  }

  @Test
  void whoGotWhatItLacked_keepsNothingFromOthers() {
    assertThat(ledgerFixture.member("a", TEN).lacks(1).gets()).containsExactly(part(first, 1));
    assertThat(sum(ledgerFixture.member("b", TEN).lacks(19).gets())).isEqualTo(19);
  }

  @Test
  void whoWasDenied_isFirstWhenThereIsOne() {
    ledgerFixture.member("b", SLOW).lacks(1).gets();
    assertThat(ledgerFixture.member("a", SLOW).lacks(1).gets()).isEmpty();
    ledgerFixture.after(10 * SECOND - TTL + 1_000);
    assertThat(ledgerFixture.member("a", SLOW).lacks(1).gets()).isEmpty();
    ledgerFixture.after(1_000);
    assertThat(ledgerFixture.member("b", SLOW).wants(1).gets()).as("wanted, not lacked").isEmpty();
    assertThat(ledgerFixture.member("b", SLOW).lacks(1).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", SLOW).lacks(1).gets()).hasSize(1);
  }

  @Test
  void whoWasGrantedBefore_doesNotCountAmongThoseWhoLack() {
    ledgerFixture.member("b", SLOW).lacks(1).gets();
    ledgerFixture.after(8 * SECOND + 2_000);
    ledgerFixture.member("b", SLOW).gets();
    assertThat(ledgerFixture.member("a", SLOW).lacks(1).gets()).hasSize(1);
  }

  @Test
  void left_isOneWhileASlotBeginsSoon_andFullWhenItBegins() {
    SliceLedger.Granted none = ledgerFixture.member("a", THREE).round();
    assertThat(none.left()).isEqualTo(new SharedRemainder(1, ledgerFixture.now));
    SliceLedger.Granted one = ledgerFixture.member("a", THREE).wants(1).round();
    assertThat(one.left()).isEqualTo(new SharedRemainder(0, first + 333_333));
    ledgerFixture.after(333_333);
    assertThat(ledgerFixture.member("a", THREE).round().left())
        .isEqualTo(new SharedRemainder(1, first + 333_333));
    assertThat(ledgerFixture.member("a", THREE).bars(ledgerFixture.now + 9_000).round().left())
        .isEqualTo(new SharedRemainder(0, ledgerFixture.now + 9_001));
  }
}
