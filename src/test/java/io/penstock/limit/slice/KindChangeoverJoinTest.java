package io.penstock.limit.slice;

import static io.penstock.limit.slice.LedgerFixture.MINUTE;
import static io.penstock.limit.slice.LedgerFixture.NANOS;
import static io.penstock.limit.slice.LedgerFixture.SECOND;
import static io.penstock.limit.slice.LedgerFixture.TTL;
import static io.penstock.limit.slice.LedgerFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests of members that change from the old kind of a limit to the new one, and back. */
class KindChangeoverJoinTest {
  private static final long STAYS = 1_000 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(10, 60 * NANOS);
  private static final LimitSpec HOUR = new LimitSpec.FixedWindow(10, 3_600 * NANOS);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(10);

  /** Cells of this window are a second long. */
  private static final LimitSpec TRAILING = new LimitSpec.TrailingWindow(10, 60 * NANOS, 0, 1);

  private final LedgerFixture ledgerFixture = new LedgerFixture();
  private final long minute = ledgerFixture.minute();
  private final long second = ledgerFixture.now / SECOND;

  private LedgerFixture.Says fixed(String name) {
    return ledgerFixture.member(name, FIXED);
  }

  private LedgerFixture.Says trailing(String name) {
    return ledgerFixture.member(name, TRAILING);
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
    long number = ledgerFixture.number();
    ledgerFixture.after(TTL + 1);
    trailing("b").gets();
    assertThat(trailing("a").round(number)).isNotEqualTo(SliceLedger.LATE);
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
    ledgerFixture.member("a", FIXED).spent(minute, 10).gets();
    ledgerFixture.after(41 * SECOND);
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
    ledgerFixture.after(41 * SECOND);
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
    ledgerFixture.after(61 * SECOND);
    trailing("b").gets();
    assertThat(fixed("a").from(minute + 5).lacks(10).gets()).hasSize(1);
  }

  @Test
  void permitsComeAlong_unlessTheirMemberWasSilent() {
    ledgerFixture.member("a", PERMITS).spent(0, 4).gets();
    ledgerFixture.after(TTL);
    assertThat(trailing("a").from(second + 9).lacks(7).gets()).isEmpty();
    assertThat(trailing("a").from(second + 9).lacks(6).gets()).hasSize(1);
    LedgerFixture other = new LedgerFixture();
    other.member("a", PERMITS).spent(0, 4).gets();
    other.after(TTL + 1);
    assertThat(other.member("a", TRAILING).from(second + 9).lacks(10).gets()).hasSize(1);
  }

  @Test
  void windowBecomesPermits_whatIsSpentComesAlongOfWhoChanges() {
    ledgerFixture.member("gone", HOUR).spent(ledgerFixture.now / (60 * MINUTE), 3).gets();
    ledgerFixture
        .after(STAYS - 1)
        .member("a", HOUR)
        .spent(ledgerFixture.now / (60 * MINUTE), 4)
        .gets();
    ledgerFixture.after(2);
    assertThat(ledgerFixture.member("a", PERMITS).from(1).round().left().amount()).isEqualTo(6);
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
    assertThat(ledgerFixture.member("a", PERMITS).lacks(1).gets()).containsExactly(part(0, 1));
  }

  @Test
  void clockIsSetBackWhenTheNewKindTakesOver_runningCellIsBarred() {
    trailing("a").gets();
    ledgerFixture.after(-SECOND);
    assertThat(fixed("a").lacks(1).round().barred()).isEqualTo(minute);
  }

  @Test
  void memberThatHadTheNewKindBeforeIsHeardNoMore_bothCount() {
    ledgerFixture.member("x", HOUR).gets();
    LimitSpec minutes = new LimitSpec.TrailingWindow(10, 3_600 * NANOS, 0, 1);
    ledgerFixture.member("b", minutes).lacks(2).gets();
    long number = ledgerFixture.number() + 1;
    ledgerFixture.member("b", HOUR).spent(ledgerFixture.now / (60 * MINUTE), 3).gets();
    ledgerFixture.after(STAYS + 1);
    assertThat(ledgerFixture.member("a", minutes).lacks(6).gets()).isEmpty();
    assertThat(ledgerFixture.member("a", minutes).lacks(5).gets()).hasSize(1);
    assertThat(ledgerFixture.member("b", minutes).round(number)).isNotEqualTo(SliceLedger.LATE);
  }

  @Test
  void nobodyNoticesThatSharesAreNoMore_anHourAfterTheLastRoundOfEitherKind() {
    assertThat(ledgerFixture.ends()).isTrue();
    fixed("old").gets();
    ledgerFixture.after(MINUTE);
    trailing("new").gets();
    ledgerFixture.after(60 * MINUTE);
    assertThat(ledgerFixture.ends()).isFalse();
    assertThat(ledgerFixture.after(1).ends()).isTrue();
    fixed("old").gets();
    trailing("new").gets();
    ledgerFixture.after(MINUTE);
    fixed("old").gets();
    ledgerFixture.after(60 * MINUTE);
    assertThat(ledgerFixture.ends()).isFalse();
    assertThat(ledgerFixture.after(1).ends()).isTrue();
  }
}
