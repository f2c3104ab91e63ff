package io.penstock.limit;

import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.NANOS;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.START;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests with some members that have the old kind of a limit while another has the new kind. */
class ChangeoverTest {
  /** A living member is heard within this time. */
  private static final long STAYS = 1_000 * SECOND;

  private static final LimitSpec FIXED = fixed(10);
  private static final LimitSpec TRAILING = trailing(10);
  private static final LimitSpec HOUR = new LimitSpec.FixedWindow(10, 3_600 * NANOS);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  private final Sharing sharing = new Sharing();
  private final long minute = sharing.minute();

  private static LimitSpec fixed(long capacity) {
    return new LimitSpec.FixedWindow(capacity, 60 * NANOS);
  }

  /** Returns a window with cells of a second. */
  private static LimitSpec trailing(long capacity) {
    return new LimitSpec.TrailingWindow(capacity, 60 * NANOS, 0, 1);
  }

  private long second() {
    return sharing.now / SECOND;
  }

  private Sharing.Says old() {
    return sharing.member("old", FIXED);
  }

  private Sharing.Says next() {
    return sharing.member("new", TRAILING);
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
    assertThat(next().round().left()).isEqualTo(new Remainder(6, START));
    assertThat(next().lacks(2).round().left()).isEqualTo(new Remainder(4, START + 61 * SECOND));
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
    sharing.after(MINUTE - 20 * SECOND);
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
    sharing.after(MINUTE - 20 * SECOND);
    assertThat(sharing.member("newer", TRAILING).lacks(5).gets()).isEmpty();
    assertThat(sharing.member("newer", TRAILING).lacks(4).gets())
        .containsExactly(part(second(), 4));
  }

  @Test
  void oldKindCountsCellsThatAreOver_newOneGetsWhatTheyLeave() {
    sharing.member("old", TRAILING).spent(second() - 50, 4).gets();
    assertThat(sharing.member("new", FIXED).lacks(7).gets()).isEmpty();
    assertThat(sharing.member("new", FIXED).lacks(6).gets()).containsExactly(part(minute, 6));
    sharing.after(11 * SECOND);
    assertThat(sharing.member("new", FIXED).spent(minute, 6).lacks(4).gets())
        .containsExactly(part(minute, 4));
  }

  @Test
  void oldOneLacksSomething_itIsKeptForItWhileItLives() {
    sharing.member("x", FIXED).spent(minute, 10).gets();
    assertThat(old().lacks(5).gets()).isEmpty();
    sharing.after(1).member("x", FIXED).spent(minute, 4).gets();
    assertThat(next().lacks(2).gets()).isEmpty();
    assertThat(next().lacks(1).gets()).containsExactly(part(second(), 1));
    long had = second();
    sharing.after(TTL - 1);
    assertThat(next().spent(had, 1).lacks(1).gets()).isEmpty();
    sharing.after(1);
    assertThat(next().spent(had, 1).lacks(5).gets()).containsExactly(part(second(), 5));
  }

  @Test
  void oldOnesHaveALowerCapacity_itBindsTheNewOne() {
    sharing.member("old", fixed(6)).spent(minute, 2).gets();
    assertThat(next().lacks(5).gets()).isEmpty();
    assertThat(next().lacks(4).gets()).hasSize(1);
  }

  @Test
  void newOneHasALowerCapacity_itBindsTheOldOnes() {
    old().spent(minute, 2).gets();
    assertThat(sharing.member("new", trailing(6)).lacks(4).gets()).hasSize(1);
    assertThat(old().round().capacity()).isEqualTo(6);
  }

  @Test
  void oldOneWasHeardLongAgo_itsCapacityBindsNoMore() {
    long hour = sharing.now / (60 * MINUTE);
    sharing.member("a", new LimitSpec.FixedWindow(3, 3_600 * NANOS)).spent(hour, 1).gets();
    sharing.after(STAYS).member("b", HOUR).gets();
    assertThat(next().lacks(3).gets()).isEmpty();
    sharing.after(1);
    assertThat(next().lacks(10).gets()).isEmpty();
    assertThat(next().lacks(9).gets()).hasSize(1);
  }

  @Test
  void oldOneIsHeardNoMore_newKindTakesOverWhatItHadSpent() {
    sharing
        .member("old", new LimitSpec.FixedWindow(5, 3_600 * NANOS))
        .spent(sharing.now / (60 * MINUTE), 3)
        .gets();
    long number = sharing.number();
    sharing.after(STAYS);
    assertThat(next().lacks(3).gets()).as("the lower capacity binds").isEmpty();
    sharing.after(1);
    assertThat(next().lacks(8).gets()).isEmpty();
    assertThat(next().lacks(7).gets()).hasSize(1);
    assertThat(sharing.member("old", TRAILING).round(number)).isEqualTo(Shares.LATE);
  }

  @Test
  void oldOneThatIsHeardNoMoreHadSpentNothing_itIsForgotten() {
    sharing.member("old", HOUR).gets();
    long number = sharing.number();
    sharing.after(STAYS + 1);
    next().gets();
    assertThat(sharing.member("old", TRAILING).round(number)).isNotEqualTo(Shares.LATE);
  }

  @Test
  void permitsOfWhoIsHeardNoMore_areNotTakenOver() {
    sharing.member("old", PERMITS).spent(0, 3).gets();
    sharing.after(STAYS + 1);
    assertThat(next().lacks(10).gets()).hasSize(1);
  }

  @Test
  void permitsThatOthersHave_areNotLeftForTheNewKind() {
    sharing.member("old", PERMITS).spent(0, 3).bars(9).gets();
    assertThat(next().lacks(8).gets()).isEmpty();
    Shares.Granted granted = next().lacks(7).round();
    assertThat(granted.parts()).containsExactly(part(second(), 7));
    assertThat(granted.barred()).isEqualTo(Shares.NONE);
    assertThat(sharing.member("old", PERMITS).spent(0, 3).lacks(1).gets()).isEmpty();
  }

  @Test
  void oldKindIsBarred_nothingIsGrantedOfTheNewOne_andItIsTold() {
    old().bars(minute).gets();
    Shares.Granted granted = next().lacks(1).round();
    assertThat(granted.parts()).isEmpty();
    assertThat(granted.barred()).isEqualTo(second());
    sharing.after(MINUTE - 20 * SECOND);
    assertThat(next().round().barred()).isEqualTo(Shares.NONE);
    assertThat(next().lacks(1).gets()).hasSize(1);
  }

  @Test
  void oldKindIsBarred_permitsAreNotTold() {
    old().bars(minute).gets();
    Shares.Granted granted = sharing.member("new", PERMITS).lacks(1).round();
    assertThat(granted.parts()).isEmpty();
    assertThat(granted.barred()).isEqualTo(Shares.NONE);
  }

  @Test
  void clockIsSetBack_newOneGetsNothing() {
    sharing.member("old", TRAILING).gets();
    sharing.after(-SECOND);
    assertThat(sharing.member("new", FIXED).lacks(1).gets()).isEmpty();
  }

  @Test
  void birthOfTheOldKind_isThatOfTheNewOne() {
    old().gets();
    sharing.after(SECOND);
    assertThat(next().round().born()).isEqualTo(START);
  }

  @Test
  void newOneKnowsAnotherBirth_nobodyIsGrantedAnythingWhileSlicesLast() {
    old().gets();
    assertThat(next().knows(START - 5).lacks(1).gets()).isEmpty();
    sharing.after(TTL - 1);
    assertThat(old().lacks(1).gets()).isEmpty();
    assertThat(next().gets()).isEmpty();
    sharing.after(1);
    assertThat(old().lacks(1).gets()).hasSize(1);
  }

  @Test
  void oldOneKnowsAnotherBirth_newOneIsGrantedNothingWhileSlicesLast() {
    old().knows(START - 5).gets();
    sharing.after(TTL - 1);
    assertThat(next().lacks(1).gets()).isEmpty();
    sharing.after(1);
    assertThat(next().lacks(1).gets()).hasSize(1);
  }

  @Test
  void laterRoundOfEitherKindWasHeard_nothingIsTakenNoticeOf() {
    old().gets();
    next().lacks(1).gets();
    long number = sharing.number();
    assertThat(next().round(number)).isEqualTo(Shares.LATE);
    assertThat(sharing.member("new", FIXED).round(number)).isEqualTo(Shares.LATE);
    assertThat(sharing.member("old", TRAILING).round(1)).isEqualTo(Shares.LATE);
    assertThat(old().lacks(9).gets()).hasSize(1);
  }

  @Test
  void newKindHasOtherCells_itBeginsAnew() {
    old().gets();
    next().lacks(1).gets();
    LimitSpec longer = new LimitSpec.TrailingWindow(10, 120 * NANOS, 0, 1);
    assertThat(sharing.member("newer", longer).lacks(1).gets())
        .containsExactly(part(second() / 2, 1));
  }
}
