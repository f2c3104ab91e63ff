package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.START;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests with some members that have the old kind of a limit while another has the new kind. */
class KindChangeoverTest {
  /** A living member is heard within this time. */
  private static final long STAYS = 1_000 * SECOND;

  private static final LimitSpec FIXED = fixed(10);
  private static final LimitSpec TRAILING = trailing(10);
  private static final LimitSpec HOUR = new LimitSpec.FixedWindow(10, 3_600 * NANOS);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long minute = ledgerFixture.minute();

  private static LimitSpec fixed(long capacity) {
    return new LimitSpec.FixedWindow(capacity, 60 * NANOS);
  }

  /** Returns a window with cells of a second. */
  private static LimitSpec trailing(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, 60 * NANOS, 0, 1);
  }

  private long second() {
    return ledgerFixture.now / SECOND;
  }

  private LedgerFixture.Says old() {
    return ledgerFixture.member("old", FIXED);
  }

  private LedgerFixture.Says next() {
    return ledgerFixture.member("new", TRAILING);
  }

  @Test
  void othersHaveTheOldKind_newOneGetsWhatThatLeaves() {
    old().spent(minute, 4).gets();
    assertThat(next().lacks(7).gets()).isEmpty();
    assertThat(next().lacks(6).gets()).containsExactly(part(second(), 6));
    assertThat(old().spent(minute, 4).lacks(1).gets()).isEmpty();
  }

  @Test
  void lacksAndWantsMoreThanTheOldKindLeaves_getsAllThatItLeaves() {
    old().spent(minute, 4).gets();
    assertThat(next().lacks(3).wants(50).gets()).containsExactly(part(second(), 6));
  }

  @Test
  void leftOfTheNewKind_isWhatTheOldOneLeaves() {
    old().spent(minute, 4).gets();
    assertThat(next().round().left()).isEqualTo(new SharedRemainder(6, START));
    assertThat(next().lacks(2).round().left())
        .isEqualTo(new SharedRemainder(4, START + 61 * SECOND));
  }

  @Test
  void newOneGivesBack_oldOnesHaveIt() {
    old().spent(minute, 4).gets();
    next().lacks(6).gets();
    next().spent(second(), 4).gets();
    assertThat(old().spent(minute, 4).lacks(3).gets()).isEmpty();
    assertThat(old().spent(minute, 4).lacks(2).gets()).containsExactly(part(minute, 2));
  }

  @Test
  void newOneGivesBackMoreThanItHadOfTheRunningWindow_theRestIsOver() {
    old().gets();
    next().lacks(6).gets();
    ledgerFixture.after(MINUTE - 20 * SECOND);
    old().gets();
    long first = START / SECOND;
    next().spent(first, 6).lacks(2).gets();
    next().gets();
    assertThat(old().lacks(10).gets()).containsExactly(part(minute + 1, 10));
  }

  @Test
  void windowOfTheOldKindEnds_newOneGetsWhatItsOwnLeaves() {
    old().spent(minute, 4).gets();
    next().lacks(6).gets();
    ledgerFixture.after(MINUTE - 20 * SECOND);
    assertThat(ledgerFixture.member("newer", TRAILING).lacks(5).gets()).isEmpty();
    assertThat(ledgerFixture.member("newer", TRAILING).lacks(4).gets())
        .containsExactly(part(second(), 4));
  }

  @Test
  void oldKindCountsCellsThatAreOver_newOneGetsWhatTheyLeave() {
    ledgerFixture.member("old", TRAILING).spent(second() - 50, 4).gets();
    assertThat(ledgerFixture.member("new", FIXED).lacks(7).gets()).isEmpty();
    assertThat(ledgerFixture.member("new", FIXED).lacks(6).gets()).containsExactly(part(minute, 6));
    ledgerFixture.after(11 * SECOND);
    assertThat(ledgerFixture.member("new", FIXED).spent(minute, 6).lacks(4).gets())
        .containsExactly(part(minute, 4));
  }

  @Test
  void oldOneLacksSomething_itIsKeptForItWhileItLives() {
    ledgerFixture.member("x", FIXED).spent(minute, 10).gets();
    assertThat(old().lacks(5).gets()).isEmpty();
    ledgerFixture.after(1).member("x", FIXED).spent(minute, 4).gets();
    assertThat(next().lacks(2).gets()).isEmpty();
    assertThat(next().lacks(1).gets()).containsExactly(part(second(), 1));
    long had = second();
    ledgerFixture.after(TTL - 1);
    assertThat(next().spent(had, 1).lacks(1).gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(next().spent(had, 1).lacks(5).gets()).containsExactly(part(second(), 5));
  }

  @Test
  void oldOnesHaveALowerCapacity_itBindsTheNewOne() {
    ledgerFixture.member("old", fixed(6)).spent(minute, 2).gets();
    assertThat(next().lacks(5).gets()).isEmpty();
    assertThat(next().lacks(4).gets()).hasSize(1);
  }

  @Test
  void newOneHasALowerCapacity_itBindsTheOldOnes() {
    old().spent(minute, 2).gets();
    assertThat(ledgerFixture.member("new", trailing(6)).lacks(4).gets()).hasSize(1);
    assertThat(old().round().capacity()).isEqualTo(6);
  }

  @Test
  void oldOneWasHeardLongAgo_itsCapacityBindsNoMore() {
    long hour = ledgerFixture.now / (60 * MINUTE);
    ledgerFixture.member("a", new LimitSpec.FixedWindow(3, 3_600 * NANOS)).spent(hour, 1).gets();
    ledgerFixture.after(STAYS).member("b", HOUR).gets();
    assertThat(next().lacks(3).gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(next().lacks(10).gets()).isEmpty();
    assertThat(next().lacks(9).gets()).hasSize(1);
  }

  @Test
  void oldOneIsHeardNoMore_newKindTakesOverWhatItHadSpent() {
    ledgerFixture
        .member("old", new LimitSpec.FixedWindow(5, 3_600 * NANOS))
        .spent(ledgerFixture.now / (60 * MINUTE), 3)
        .gets();
    long number = ledgerFixture.number();
    ledgerFixture.after(STAYS);
    assertThat(next().lacks(3).gets()).as("the lower capacity binds").isEmpty();
    ledgerFixture.after(1);
    assertThat(next().lacks(8).gets()).isEmpty();
    assertThat(next().lacks(7).gets()).hasSize(1);
    assertThat(ledgerFixture.member("old", TRAILING).round(number)).isEqualTo(SliceLedger.LATE);
  }

  @Test
  void oldOneThatIsHeardNoMoreHadSpentNothing_itIsForgotten() {
    ledgerFixture.member("old", HOUR).gets();
    long number = ledgerFixture.number();
    ledgerFixture.after(STAYS + 1);
    next().gets();
    assertThat(ledgerFixture.member("old", TRAILING).round(number)).isNotEqualTo(SliceLedger.LATE);
  }

  @Test
  void permitsOfWhoIsHeardNoMore_areNotTakenOver() {
    ledgerFixture.member("old", PERMITS).spent(0, 3).gets();
    ledgerFixture.after(STAYS + 1);
    assertThat(next().lacks(10).gets()).hasSize(1);
  }

  @Test
  void permitsThatOthersHave_areNotLeftForTheNewKind() {
    ledgerFixture.member("old", PERMITS).spent(0, 3).bars(9).gets();
    assertThat(next().lacks(8).gets()).isEmpty();
    SliceLedger.Granted granted = next().lacks(7).round();
    assertThat(granted.parts()).containsExactly(part(second(), 7));
    assertThat(granted.barred()).isEqualTo(SliceLedger.NONE);
    assertThat(ledgerFixture.member("old", PERMITS).spent(0, 3).lacks(1).gets()).isEmpty();
  }

  @Test
  void oldKindIsBarred_nothingIsGrantedOfTheNewOne_andItIsTold() {
    old().bars(minute).gets();
    SliceLedger.Granted granted = next().lacks(1).round();
    assertThat(granted.parts()).isEmpty();
    assertThat(granted.barred()).isEqualTo(second());
    ledgerFixture.after(MINUTE - 20 * SECOND);
    assertThat(next().round().barred()).isEqualTo(SliceLedger.NONE);
    assertThat(next().lacks(1).gets()).hasSize(1);
  }

  @Test
  void oldKindIsBarred_permitsAreNotTold() {
    old().bars(minute).gets();
    SliceLedger.Granted granted = ledgerFixture.member("new", PERMITS).lacks(1).round();
    assertThat(granted.parts()).isEmpty();
    assertThat(granted.barred()).isEqualTo(SliceLedger.NONE);
  }

  @Test
  void clockIsSetBack_newOneGetsNothing() {
    ledgerFixture.member("old", TRAILING).gets();
    ledgerFixture.after(-SECOND);
    assertThat(ledgerFixture.member("new", FIXED).lacks(1).gets()).isEmpty();
  }

  @Test
  void birthOfTheOldKind_isThatOfTheNewOne() {
    old().gets();
    ledgerFixture.after(SECOND);
    assertThat(next().round().born()).isEqualTo(START);
  }

  @Test
  void newOneKnowsAnotherBirth_nobodyIsGrantedAnythingWhileSlicesLast() {
    old().gets();
    assertThat(next().knows(START - 5).lacks(1).gets()).isEmpty();
    ledgerFixture.after(TTL - 1);
    assertThat(old().lacks(1).gets()).isEmpty();
    assertThat(next().gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(old().lacks(1).gets()).hasSize(1);
  }

  @Test
  void oldOneKnowsAnotherBirth_newOneIsGrantedNothingWhileSlicesLast() {
    old().knows(START - 5).gets();
    ledgerFixture.after(TTL - 1);
    assertThat(next().lacks(1).gets()).isEmpty();
    ledgerFixture.after(1);
    assertThat(next().lacks(1).gets()).hasSize(1);
  }

  @Test
  void laterRoundOfEitherKindWasHeard_nothingIsTakenNoticeOf() {
    old().gets();
    next().lacks(1).gets();
    long number = ledgerFixture.number();
    assertThat(next().round(number)).isEqualTo(SliceLedger.LATE);
    assertThat(ledgerFixture.member("new", FIXED).round(number)).isEqualTo(SliceLedger.LATE);
    assertThat(ledgerFixture.member("old", TRAILING).round(1)).isEqualTo(SliceLedger.LATE);
    assertThat(old().lacks(9).gets()).hasSize(1);
  }

  @Test
  void newKindHasOtherCells_itBeginsAnew() {
    old().gets();
    next().lacks(1).gets();
    LimitSpec longer = new LimitSpec.TrailingWindow(10, 120 * NANOS, 0, 1);
    assertThat(ledgerFixture.member("newer", longer).lacks(1).gets())
        .containsExactly(part(second() / 2, 1));
  }
}
