package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.DAY;
import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.START;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Tests of what is left of a shared limit, when it is whole again, and until when it is barred. */
class SliceLedgerLeftTest {
  private static final long HOUR = 3_600 * SECOND;
  private static final long MIDNIGHT = START - START % DAY;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 60 * NANOS);
  private static final LimitSpec TRAILING = new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, 1);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long minute = ledgerFixture.minute();
  private final long second = ledgerFixture.now / SECOND;

  private static LimitSpec day(long guardSeconds) {
    ZoneMidnights zoneMidnights = new ZoneMidnights(ZoneOffset.UTC, () -> 0);
    return new LimitSpec.Day(10, zoneMidnights, guardSeconds * NANOS);
  }

  private static LimitSpec span(long guardSeconds) {
    return new LimitSpec.Day(10, null, guardSeconds * NANOS);
  }

  private SharedRemainder left(LimitSpec spec, long cell, long amount) {
    return ledgerFixture.member("a", spec).spent(cell, amount).round().left();
  }

  @Test
  void nothingIsSpent_allIsLeftNow() {
    assertThat(ledgerFixture.member("a", FIXED).round().left())
        .isEqualTo(new SharedRemainder(10, ledgerFixture.now));
  }

  @Test
  void windowIsSpentInPart_isWholeWhenItEnds() {
    assertThat(left(FIXED, minute, 4)).isEqualTo(new SharedRemainder(6, (minute + 1) * MINUTE));
    assertThat(ledgerFixture.member("a", FIXED).bars(minute + 1).round().left())
        .isEqualTo(new SharedRemainder(0, (minute + 2) * MINUTE));
  }

  @Test
  void trailingWindowIsSpentInPart_isWholeWhenTheLastCellCountsNoMore() {
    assertThat(left(TRAILING, second - 5, 4))
        .isEqualTo(new SharedRemainder(6, (second + 56) * SECOND));
    assertThat(ledgerFixture.member("a", TRAILING).bars(second).round().left())
        .isEqualTo(new SharedRemainder(0, (second + 61) * SECOND));
  }

  @Test
  void clockIsSetBack_nothingIsLeft() {
    left(TRAILING, second, 4);
    ledgerFixture.after(-SECOND);
    assertThat(left(TRAILING, second, 4)).isEqualTo(new SharedRemainder(0, (second + 61) * SECOND));
  }

  @Test
  void permits_areLeftWhateverIsBarred_andNobodyKnowsWhenAllAre() {
    SliceLedger.Granted granted = ledgerFixture.member("a", PERMITS).spent(0, 4).bars(7).round();
    assertThat(granted.left()).isEqualTo(new SharedRemainder(6, ledgerFixture.now));
    assertThat(granted.barred()).isEqualTo(SliceLedger.NONE);
  }

  @Test
  void dayIsSpentInPart_isWholeWhenItEndsWithItsGuard() {
    assertThat(left(day(3_600), MIDNIGHT, 4))
        .isEqualTo(new SharedRemainder(6, MIDNIGHT + DAY + HOUR));
  }

  @Test
  void dayOfFirstUseIsSpentInPart_isWholeWhenItEndsWithItsGuard() {
    assertThat(left(span(3_600), START - 5, 4))
        .isEqualTo(new SharedRemainder(6, START - 5 + DAY + HOUR));
  }

  @Test
  void bucketIsSpentInPart_isWholeWhenItIsFilled() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(3, 10), 10);
    assertThat(left(bucket, minute, 4)).isEqualTo(new SharedRemainder(6, START + 13_333_334));
    assertThat(ledgerFixture.member("a", bucket).spent(minute, 4).bars(minute).round().left())
        .isEqualTo(new SharedRemainder(0, (minute + 2) * MINUTE));
  }

  @Test
  void bucketFillsBeyondWhatIsExact_isWholeAtTheEndOfThat() {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(1, 1_000_000_000), 1);
    assertThat(left(bucket, minute, 100)).isEqualTo(new SharedRemainder(0, (1L << 53) - 1));
  }

  @Test
  void runningCellIsTheLastBarredOne_isToldUntilItEnds() {
    assertThat(ledgerFixture.member("a", FIXED).bars(minute - 1).round().barred())
        .isEqualTo(SliceLedger.NONE);
    assertThat(ledgerFixture.member("a", FIXED).bars(minute).round().barred()).isEqualTo(minute);
    ledgerFixture.after(MINUTE);
    assertThat(ledgerFixture.member("a", FIXED).round().barred()).isEqualTo(SliceLedger.NONE);
  }

  @Test
  void cellToComeIsBarred_isToldAlready() {
    assertThat(ledgerFixture.member("a", FIXED).bars(minute + 5).round().barred())
        .isEqualTo(minute + 5);
  }

  @Test
  void nextDayBeginsWhileASliceLasts_isGrantedToo() {
    LimitSpec late = day(1);
    ledgerFixture.now = MIDNIGHT + DAY + SECOND - TTL - 1;
    assertThat(ledgerFixture.member("a", late).wants(15).gets())
        .containsExactly(part(MIDNIGHT, 10));
    ledgerFixture.after(1);
    assertThat(ledgerFixture.member("a", late).wants(15).gets())
        .containsExactly(part(MIDNIGHT, 10), part(MIDNIGHT + DAY, 5));
  }

  @Test
  void nothingIsGranted_noDayOfFirstUseBegins() {
    ledgerFixture.member("a", span(0)).gets();
    ledgerFixture.after(5 * SECOND);
    assertThat(ledgerFixture.member("a", span(0)).lacks(3).gets())
        .containsExactly(part(START + 5 * SECOND, 3));
  }

  @Test
  void spentInADayThatIsOver_countsNoMoreAtOnce() {
    LimitSpec span = span(0);
    assertThat(ledgerFixture.member("a", span).spent(START - 2 * DAY, 5).lacks(10).gets())
        .containsExactly(part(START, 10));
  }
}
