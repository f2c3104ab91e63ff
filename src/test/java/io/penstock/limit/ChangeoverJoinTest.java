package io.penstock.limit;

import static io.penstock.limit.Sharing.MINUTE;
import static io.penstock.limit.Sharing.NANOS;
import static io.penstock.limit.Sharing.SECOND;
import static io.penstock.limit.Sharing.TTL;
import static io.penstock.limit.Sharing.part;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of members that change from the old kind of a limit to the new one, and back. */
class ChangeoverJoinTest {
  private static final long STAYS = 1_000 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 60 * NANOS);
  private static final LimitSpec HOUR = new LimitSpec.FixedWindow(10, 3_600 * NANOS);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  /** Cells of this window are a second long. */
  private static final LimitSpec TRAILING = new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, 1);

  private final Sharing sharing = new Sharing();
  private final long minute = sharing.minute();
  private final long second = sharing.now / SECOND;

  private Sharing.Says fixed(String name) {
    return sharing.member(name, FIXED);
  }

  private Sharing.Says trailing(String name) {
    return sharing.member(name, TRAILING);
  }

  @Test
  void onlyMemberChanges_whatItHadSpentCountsUntilItSaysWhenThatWas() {
    fixed("a").spent(minute, 4).gets();
    assertThat(trailing("a").from(second + 1).lacks(7).gets()).isEmpty();
    assertThat(trailing("a").from(second + 1).lacks(6).gets()).containsExactly(part(second, 6));
    assertThat(trailing("a").lacks(10).gets()).containsExactly(part(second, 10));
  }

  @Test
  void onlyMemberHadSpentNothing_nothingCounts() {
    fixed("a").gets();
    assertThat(trailing("a").from(second + 1).lacks(10).gets()).hasSize(1);
  }

  @Test
  void memberThatHadSpentNothingChanges_isForgottenOnceSilent() {
    fixed("a").gets();
    trailing("a").from(second + 1).gets();
    long number = sharing.number();
    sharing.after(TTL + 1);
    trailing("b").gets();
    assertThat(trailing("a").round(number)).isNotEqualTo(Shares.LATE);
  }

  @Test
  void oneOfTwoChanges_whatItSaysOfBothKindsCountsOnce() {
    fixed("a").spent(minute, 4).gets();
    fixed("b").gets();
    assertThat(trailing("a").spent(second, 4).lacks(6).gets()).containsExactly(part(second, 6));
    assertThat(fixed("b").lacks(1).gets()).isEmpty();
    trailing("a").spent(second, 4).gets();
    assertThat(fixed("b").lacks(7).gets()).isEmpty();
    assertThat(fixed("b").lacks(6).gets()).containsExactly(part(minute, 6));
  }

  @Test
  void allHaveChanged_onlyTheNewKindBinds() {
    trailing("a").spent(second, 10).gets();
    trailing("b").gets();
    sharing.member("a", FIXED).spent(minute, 10).gets();
    sharing.after(41 * SECOND);
    assertThat(fixed("a").lacks(1).gets()).as("b has the old kind").isEmpty();
    fixed("a").gets();
    assertThat(fixed("b").lacks(10).gets()).containsExactly(part(minute + 1, 10));
  }

  @Test
  void oneChangesBack_theOldKindBindsAgain() {
    trailing("a").spent(second, 10).gets();
    trailing("b").gets();
    fixed("a").spent(minute, 10).gets();
    trailing("a").spent(second, 10).gets();
    sharing.after(41 * SECOND);
    assertThat(fixed("b").lacks(1).gets()).as("a has the old kind").isEmpty();
  }

  @Test
  void oneChangesBackAndForth_whatCountedOfTheNewKindIsReplaced() {
    fixed("old").gets();
    trailing("a").lacks(6).gets();
    fixed("a").spent(minute, 2).gets();
    assertThat(trailing("a").from(second + 1).round().left().amount()).isEqualTo(8);
    assertThat(fixed("old").lacks(9).gets()).isEmpty();
    assertThat(fixed("old").lacks(8).gets()).hasSize(1);
  }

  @Test
  void oldCells_areNotBroughtAlong() {
    trailing("a").spent(second, 4).gets();
    trailing("b").gets();
    sharing.after(61 * SECOND);
    trailing("b").gets();
    assertThat(fixed("a").from(minute + 5).lacks(10).gets()).hasSize(1);
  }

  @Test
  void permitsComeAlong_unlessTheirMemberWasSilent() {
    sharing.member("a", PERMITS).spent(0, 4).gets();
    sharing.after(TTL);
    assertThat(trailing("a").from(second + 9).lacks(7).gets()).isEmpty();
    assertThat(trailing("a").from(second + 9).lacks(6).gets()).hasSize(1);
    Sharing other = new Sharing();
    other.member("a", PERMITS).spent(0, 4).gets();
    other.after(TTL + 1);
    assertThat(other.member("a", TRAILING).from(second + 9).lacks(10).gets()).hasSize(1);
  }

  @Test
  void windowBecomesPermits_whatIsSpentComesAlongOfWhoChanges() {
    sharing.member("gone", HOUR).spent(sharing.now / (60 * MINUTE), 3).gets();
    sharing.after(STAYS - 1).member("a", HOUR).spent(sharing.now / (60 * MINUTE), 4).gets();
    sharing.after(2);
    assertThat(sharing.member("a", PERMITS).from(1).round().left().amount()).isEqualTo(6);
  }

  @Test
  void oldKindIsBarredWhenTheNewOneTakesOver_runningCellIsBarred() {
    fixed("a").bars(minute).gets();
    assertThat(trailing("a").lacks(1).round())
        .satisfies(granted -> assertThat(granted.barred()).isEqualTo(second))
        .satisfies(granted -> assertThat(granted.parts()).containsExactly(part(second + 1, 1)));
  }

  @Test
  void oldKindIsBarredWhenPermitsTakeOver_theyAreGranted() {
    fixed("a").bars(minute).gets();
    assertThat(sharing.member("a", PERMITS).lacks(1).gets()).containsExactly(part(0, 1));
  }

  @Test
  void clockIsSetBackWhenTheNewKindTakesOver_runningCellIsBarred() {
    trailing("a").gets();
    sharing.after(-SECOND);
    assertThat(fixed("a").lacks(1).round().barred()).isEqualTo(minute);
  }

  @Test
  void memberThatHadTheNewKindBeforeIsHeardNoMore_bothCount() {
    sharing.member("x", HOUR).gets();
    LimitSpec minutes = new LimitSpec.TrailingWindow(10, 3_600 * NANOS, 0, 1);
    sharing.member("b", minutes).lacks(2).gets();
    long number = sharing.number() + 1;
    sharing.member("b", HOUR).spent(sharing.now / (60 * MINUTE), 3).gets();
    sharing.after(STAYS + 1);
    assertThat(sharing.member("a", minutes).lacks(6).gets()).isEmpty();
    assertThat(sharing.member("a", minutes).lacks(5).gets()).hasSize(1);
    assertThat(sharing.member("b", minutes).round(number)).isNotEqualTo(Shares.LATE);
  }

  @Test
  void nobodyNoticesThatSharesAreNoMore_anHourAfterTheLastRoundOfEitherKind() {
    assertThat(sharing.ends()).isTrue();
    fixed("old").gets();
    sharing.after(MINUTE);
    trailing("new").gets();
    sharing.after(60 * MINUTE);
    assertThat(sharing.ends()).isFalse();
    assertThat(sharing.after(1).ends()).isTrue();
    fixed("old").gets();
    trailing("new").gets();
    sharing.after(MINUTE);
    fixed("old").gets();
    sharing.after(60 * MINUTE);
    assertThat(sharing.ends()).isFalse();
    assertThat(sharing.after(1).ends()).isTrue();
  }
}
