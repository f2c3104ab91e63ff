package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore.Ask;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of all slice stores. */
public abstract class SliceStoreContract extends LeftContract {
  /** Makes the store created last lose the data of one limit. */
  protected abstract void lose(LimitId id);

  private static Ask lacking(long head) {
    return ask(FIXED_ID, FIXED, head, 0);
  }

  private static List<CellAmount> slices(SliceStore.Answer answer) {
    return answer.grants().stream().flatMap(grant -> grant.slices().stream()).toList();
  }

  private static long sum(SliceStore.Answer answer) {
    return slices(answer).stream().mapToLong(CellAmount::amount).sum();
  }

  @Test
  void aloneAndWantingMoreThanThereIs_isGrantedAllAndThenNothing() {
    SliceStore sliceStore = supply();
    assertThat(slices(round(sliceStore, "a", fixed(150))))
        .containsExactly(new CellAmount(NUMBERED, 100));
    assertThat(slices(round(sliceStore, "a", fixed(1, new CellAmount(NUMBERED, 100))))).isEmpty();
  }

  @Test
  void nothingWanted_grantsNothingAndTellsTheClock() {
    SliceStore.Answer answer = round(supply(), "a", fixed(0));
    assertThat(answer.grants())
        .containsExactly(
            new SliceStore.Grant(FIXED_ID, 100, START / 1_000, List.of(), Ask.NONE, 100, START));
    assertThat(answer.clockNanos()).isEqualTo(START);
    assertThat(answer.members()).extracting(SliceStore.Member::name).containsExactly("a");
  }

  @Test
  void everyRound_isCountedAndTellsWhoLives() {
    SliceStore sliceStore = supply();
    long first = round(sliceStore, "a").count();
    clock(START + SECOND);
    SliceStore.Answer second = round(sliceStore, "b");
    assertThat(second.count()).isGreaterThan(first);
    assertThat(second.members())
        .containsExactlyInAnyOrder(SliceFixture.member("a", SECOND), SliceFixture.member("b", 0));
  }

  @Test
  void nextWindow_isGrantedAnew() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(100));
    clock(START + 10 * SECOND);
    assertThat(slices(round(sliceStore, "b", fixed(100))))
        .containsExactly(new CellAmount(NUMBERED + 1, 100));
  }

  @Test
  void edgeWithinLifeOfASlice_grantsOfTheNextWindowToo() {
    SliceStore sliceStore = supply();
    clock(START + 9 * SECOND);
    assertThat(slices(round(sliceStore, "a", fixed(150))))
        .containsExactly(new CellAmount(NUMBERED, 100), new CellAmount(NUMBERED + 1, 50));
  }

  @Test
  void reportedAsUnspent_goesToOthers() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(100));
    round(sliceStore, "a", fixed(0, new CellAmount(NUMBERED, 30)));
    assertThat(sum(round(sliceStore, "b", lacking(71)))).isZero();
    assertThat(sum(round(sliceStore, "b", lacking(70)))).isEqualTo(70);
  }

  @Test
  void notReportedBecauseItIsBefore_staysAsItWas() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(100));
    Ask later = new Ask(FIXED_ID, FIXED, NUMBERED + 1, List.of(), 0, 0, Ask.NONE, Ask.NONE);
    round(sliceStore, "a", later);
    assertThat(sum(round(sliceStore, "b", fixed(100)))).isZero();
  }

  @Test
  void roundThatIsLateOrRepeated_changesNothingAndIsGrantedNothing() {
    SliceStore sliceStore = supply();
    SliceStore.Round late = SliceFixture.round("a", 1, List.of(fixed(50)));
    SliceStore.Round next = SliceFixture.round("a", 2, List.of(fixed(60)));
    assertThat(sum(sent(sliceStore, next))).isEqualTo(60);
    assertThat(sent(sliceStore, late).grants()).isEmpty();
    assertThat(sent(sliceStore, next).grants()).isEmpty();
    number = 10;
    assertThat(sum(round(sliceStore, "b", lacking(40)))).isEqualTo(40);
  }

  @Test
  void spentMoreThanGranted_countsAgainstOthers() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(10));
    round(sliceStore, "a", fixed(0, new CellAmount(NUMBERED, 45)));
    assertThat(sum(round(sliceStore, "b", lacking(56)))).isZero();
    assertThat(sum(round(sliceStore, "b", lacking(55)))).isEqualTo(55);
  }

  @Test
  void trailingWindow_countsUntilTheEndOfItsCellPlusWindowPlusGuard() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", trailing(100));
    clock(START + 59 * SECOND);
    assertThat(sum(round(sliceStore, "b", trailing(1)))).isZero();
    clock(START + 61 * SECOND); // cells are whole seconds; 61.05 s falls inside one
    assertThat(slices(round(sliceStore, "b", trailing(100))))
        .containsExactly(new CellAmount(START / SECOND + 62, 100));
  }

  @Test
  void membersDisagree_lowestOfTheLivingBinds() {
    SliceStore sliceStore = supply();
    round(sliceStore, "low", ask(FIXED_ID, new LimitSpec.FixedWindow(40, 10 * SECOND), 0, 0));
    SliceStore.Answer answer = round(sliceStore, "a", lacking(40));
    assertThat(answer.grants()).extracting(SliceStore.Grant::capacity).containsExactly(40L);
    clock(START + TTL + 1_000);
    assertThat(sum(round(sliceStore, "a", fixed(100, new CellAmount(NUMBERED, 40))))).isEqualTo(60);
  }

  @Test
  void scarce_isNotAllGivenToTheFirstWhoAsks() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(0));
    round(sliceStore, "b", fixed(0));
    assertThat(sum(round(sliceStore, "a", fixed(500)))).isEqualTo(25);
    assertThat(sum(round(sliceStore, "b", fixed(500)))).isEqualTo(18);
  }

  @Test
  void whoLackedFirst_isGrantedFirstAndWhole() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(90));
    assertThat(sum(round(sliceStore, "b", lacking(20)))).isZero();
    assertThat(sum(round(sliceStore, "c", lacking(20)))).isZero();
    clock(START + SECOND);
    round(sliceStore, "a", fixed(0, new CellAmount(NUMBERED, 70)));
    assertThat(sum(round(sliceStore, "c", lacking(20)))).as("kept for b").isZero();
    assertThat(sum(round(sliceStore, "b", lacking(20)))).isEqualTo(20);
  }

  @Test
  void whoLackedFirstIsSilent_othersAreGranted() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", fixed(90));
    round(sliceStore, "b", lacking(20));
    clock(START + SECOND + TTL);
    round(sliceStore, "a", fixed(0, new CellAmount(NUMBERED, 70)));
    assertThat(sum(round(sliceStore, "c", lacking(30)))).isEqualTo(30);
  }

  @Test
  void barredCells_grantNothing() {
    SliceStore sliceStore = supply();
    clock(START + 9 * SECOND);
    round(sliceStore, "a", new Ask(FIXED_ID, FIXED, 0, List.of(), 0, 0, NUMBERED, Ask.NONE));
    assertThat(slices(round(sliceStore, "b", lacking(10))))
        .containsExactly(new CellAmount(NUMBERED + 1, 10));
  }

  @Test
  void barredCell_isToldToAllWhileItRuns() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", new Ask(FIXED_ID, FIXED, 0, List.of(), 0, 0, NUMBERED, Ask.NONE));
    round(
        sliceStore,
        "a",
        new Ask(TRAILING_ID, TRAILING, 0, List.of(), 0, 0, START / SECOND, Ask.NONE));
    assertThat(barred(round(sliceStore, "b", fixed(1)))).isEqualTo(NUMBERED);
    assertThat(barred(round(sliceStore, "b", trailing(1)))).isEqualTo(START / SECOND);
    clock(START + 10 * SECOND);
    SliceStore.Answer next = round(sliceStore, "b", fixed(1));
    assertThat(barred(next)).isEqualTo(Ask.NONE);
    assertThat(sum(next)).isEqualTo(1);
  }

  private static long barred(SliceStore.Answer answer) {
    return answer.grants().getFirst().barred();
  }

  @Test
  void permitsOfASilentMember_areFree() {
    LimitSpec spec = new LimitSpec.Concurrency(5);
    LimitId id = id("permits", 0);
    SliceStore sliceStore = supply();
    assertThat(slices(round(sliceStore, "a", ask(id, spec, 0, 9))))
        .containsExactly(new CellAmount(0, 5));
    clock(START + TTL);
    assertThat(sum(round(sliceStore, "b", ask(id, spec, 1, 0)))).isZero();
    clock(START + TTL + 1_000);
    assertThat(sum(round(sliceStore, "b", ask(id, spec, 1, 0)))).isEqualTo(1);
  }

  @Test
  void dayWithoutCalendar_beginsWithItsFirstGrant() {
    LimitSpec spec = new LimitSpec.Day(10, null, 0);
    LimitId id = id("day", LimitSpec.Day.NANOS);
    SliceStore sliceStore = supply();
    long first = START / 1_000;
    assertThat(slices(round(sliceStore, "a", ask(id, spec, 0, 4))))
        .containsExactly(new CellAmount(first, 4));
    clock(START + LimitSpec.Day.NANOS - 1_000);
    assertThat(slices(round(sliceStore, "b", ask(id, spec, 6, 0))))
        .containsExactly(new CellAmount(first, 6));
    clock(START + LimitSpec.Day.NANOS + SECOND);
    assertThat(slices(round(sliceStore, "b", ask(id, spec, 10, 0))))
        .containsExactly(new CellAmount(first + 86_401_000_000L, 10));
  }

  private static Ask knowing(long born, long wanted, CellAmount... uses) {
    return new Ask(FIXED_ID, FIXED, 0, List.of(uses), 0, wanted, Ask.NONE, born);
  }

  private static long born(SliceStore.Answer answer) {
    return answer.grants().getFirst().born();
  }

  @Test
  void limitLostAlone_isBornAgainAndGrantsNothingWhileOldSlicesLast() {
    SliceStore sliceStore = supply();
    long first = born(round(sliceStore, "a", fixed(60)));
    clock(START + SECOND / 2);
    assertThat(born(round(sliceStore, "b", knowing(first, 0)))).isEqualTo(first);
    lose(FIXED_ID);
    clock(START + SECOND);
    SliceStore.Answer after =
        round(sliceStore, "a", knowing(first, 10, new CellAmount(NUMBERED, 60)));
    assertThat(born(after)).isNotEqualTo(first);
    assertThat(sum(after)).isZero();
    assertThat(sum(round(sliceStore, "new", fixed(10)))).isZero();
    clock(START + SECOND + TTL);
    CellAmount spent = new CellAmount(NUMBERED, 60);
    assertThat(sum(round(sliceStore, "a", knowing(born(after), 100, spent)))).isBetween(1L, 40L);
  }

  @Test
  void idleLimit_isTheSameForAnHour() {
    SliceStore sliceStore = supply();
    long first = born(round(sliceStore, "a", fixed(60)));
    clock(START + 3_500 * SECOND);
    SliceStore.Answer after = round(sliceStore, "b", knowing(first, 10));
    assertThat(born(after)).isEqualTo(first);
    assertThat(sum(after)).isEqualTo(10);
  }

  @Test
  void whatAMemberFoundLost_isToldToAll() {
    SliceStore sliceStore = supply();
    LimitId id = new LimitId(LimitId.Kind.KEY, "a b|c", "m", LimitMeasure.TOKENS, SECOND);
    SliceStore.Loss loss = new SliceStore.Loss(id, 7);
    SliceStore.Round finds =
        new SliceStore.Round("a", 1, List.of(), true, List.of(loss), null, List.of(), false);
    assertThat(sent(sliceStore, finds).losses()).containsExactly(loss);
    assertThat(sent(sliceStore, SliceFixture.round("b", 1, List.of())).losses())
        .containsExactly(loss);
  }

  @Test
  void limitFoundLost_isToldForAMinute() {
    SliceStore sliceStore = supply();
    SliceStore.Loss loss = new SliceStore.Loss(FIXED_ID, 7);
    sent(
        sliceStore,
        new SliceStore.Round("a", 1, List.of(), true, List.of(loss), null, List.of(), false));
    clock(START + 60 * SECOND);
    assertThat(round(sliceStore, "b").losses()).containsExactly(loss);
    clock(START + 60 * SECOND + 1_000);
    assertThat(round(sliceStore, "b").losses()).isEmpty();
  }

  @Test
  void memberThatIsSilentForAnHour_isForgotten_andItsRoundsAreNotLateThen() {
    SliceStore sliceStore = supply();
    sent(sliceStore, SliceFixture.round("gone", 7, List.of()));
    clock(START + 3_600 * SECOND);
    assertThat(round(sliceStore, "a").members())
        .contains(SliceFixture.member("gone", 3_600 * SECOND))
        .hasSize(2);
    clock(START + 3_600 * SECOND + 1_000);
    assertThat(round(sliceStore, "a").members()).containsExactly(SliceFixture.member("a", 0));
    assertThat(sent(sliceStore, SliceFixture.round("gone", 1, List.of())).members())
        .contains(SliceFixture.member("gone", 0));
  }

  @Test
  void roundThatDoesNotSayAll_isTold() {
    SliceStore sliceStore = supply();
    SliceStore.Round part =
        new SliceStore.Round("a", 1, List.of(), false, List.of(), null, List.of(), false);
    assertThat(sent(sliceStore, part).members())
        .containsExactly(new SliceStore.Member("a", 0, Long.MAX_VALUE, 0, false));
    sent(sliceStore, SliceFixture.round("a", 2, List.of()));
    clock(START + SECOND);
    SliceStore.Round next =
        new SliceStore.Round("a", 3, List.of(), false, List.of(), null, List.of(), false);
    assertThat(sent(sliceStore, next).members())
        .containsExactly(new SliceStore.Member("a", 0, SECOND, 0, false));
  }

  @Test
  void strictRate_isSlotsApartThatAreHandedOutOnce() {
    LimitSpec spec = new LimitSpec.Strict(new ExactRate(4, 1), 0);
    LimitId id = id("strict", 0);
    SliceStore sliceStore = supply();
    long first = START / 1_000 + 2_000;
    assertThat(slices(round(sliceStore, "a", ask(id, spec, 1, 1))))
        .containsExactly(new CellAmount(first, 1), new CellAmount(first + 250_000, 1));
    assertThat(slices(round(sliceStore, "b", ask(id, spec, 1, 0))))
        .containsExactly(new CellAmount(first + 500_000, 1));
  }

  @Test
  void limitsOfOneRound_areApart() {
    SliceStore.Answer answer = round(supply(), "a", fixed(100), trailing(100));
    assertThat(answer.grants())
        .extracting(SliceStore.Grant::id)
        .containsExactlyInAnyOrder(FIXED_ID, TRAILING_ID);
    assertThat(sum(answer)).isEqualTo(200);
  }

  @Test
  void limitThatIsNotCut_failsTheStage() {
    Ask ask = ask(FIXED_ID, new LimitSpec.Unlimited(), 0, 1);
    assertThatThrownBy(() -> round(supply(), "a", ask))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void memberThatOthersMiss_isKnownAsTheyHeardIt() {
    SliceStore sliceStore = supply();
    List<SliceStore.Missed> missed = List.of(new SliceStore.Missed("gone", START - 3 * SECOND));
    SliceStore.Round misses =
        new SliceStore.Round("a", 1, List.of(), true, List.of(), null, missed, false);
    SliceStore.Member gone =
        new SliceStore.Member("gone", 3 * SECOND, Long.MAX_VALUE, Long.MAX_VALUE, false);
    assertThat(sent(sliceStore, misses).members())
        .containsExactlyInAnyOrder(SliceFixture.member("a", 0), gone);
    List<SliceStore.Missed> before = List.of(new SliceStore.Missed("gone", START - 4 * SECOND));
    SliceStore.Round older =
        new SliceStore.Round("b", 1, List.of(), true, List.of(), null, before, false);
    assertThat(sent(sliceStore, older).members()).contains(gone);
  }

  @Test
  void nobodySawAnotherLife_isNoLoss() {
    assertThat(round(supply(), "a").sinceLossNanos()).isEqualTo(Long.MAX_VALUE);
  }
}
