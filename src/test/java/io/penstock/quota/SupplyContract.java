package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Rate;
import io.penstock.quota.Supply.Ask;
import io.penstock.quota.Supply.Slice;
import io.penstock.quota.Supply.Use;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of all slice stores. */
public abstract class SupplyContract extends LeftContract {
  /** Makes the store created last lose the data of one limit. */
  protected abstract void lose(LimitId id);

  private static Ask lacking(long head) {
    return ask(FIXED_ID, FIXED, head, 0);
  }

  private static List<Slice> slices(Supply.Answer answer) {
    return answer.grants().stream().flatMap(grant -> grant.slices().stream()).toList();
  }

  private static long sum(Supply.Answer answer) {
    return slices(answer).stream().mapToLong(Slice::amount).sum();
  }

  @Test
  void aloneAndWantingMoreThanThereIs_isGrantedAllAndThenNothing() {
    Supply supply = supply();
    assertThat(slices(round(supply, "a", fixed(150)))).containsExactly(new Slice(NUMBERED, 100));
    assertThat(slices(round(supply, "a", fixed(1, new Use(NUMBERED, 100))))).isEmpty();
  }

  @Test
  void nothingWanted_grantsNothingAndTellsTheClock() {
    Supply.Answer answer = round(supply(), "a", fixed(0));
    assertThat(answer.grants())
        .containsExactly(new Supply.Grant(FIXED_ID, 100, START / 1_000, List.of(), 100, START));
    assertThat(answer.clockNanos()).isEqualTo(START);
    assertThat(answer.members()).extracting(Supply.Member::name).containsExactly("a");
  }

  @Test
  void everyRound_isCountedAndTellsWhoLives() {
    Supply supply = supply();
    long first = round(supply, "a").count();
    clock(START + SECOND);
    Supply.Answer second = round(supply, "b");
    assertThat(second.count()).isGreaterThan(first);
    assertThat(second.members())
        .containsExactlyInAnyOrder(new Supply.Member("a", SECOND), new Supply.Member("b", 0));
  }

  @Test
  void nextWindow_isGrantedAnew() {
    Supply supply = supply();
    round(supply, "a", fixed(100));
    clock(START + 10 * SECOND);
    assertThat(slices(round(supply, "b", fixed(100))))
        .containsExactly(new Slice(NUMBERED + 1, 100));
  }

  @Test
  void edgeWithinLifeOfASlice_grantsOfTheNextWindowToo() {
    Supply supply = supply();
    clock(START + 9 * SECOND);
    assertThat(slices(round(supply, "a", fixed(150))))
        .containsExactly(new Slice(NUMBERED, 100), new Slice(NUMBERED + 1, 50));
  }

  @Test
  void reportedAsUnspent_goesToOthers() {
    Supply supply = supply();
    round(supply, "a", fixed(100));
    round(supply, "a", fixed(0, new Use(NUMBERED, 30)));
    assertThat(sum(round(supply, "b", lacking(71)))).isZero();
    assertThat(sum(round(supply, "b", lacking(70)))).isEqualTo(70);
  }

  @Test
  void notReportedBecauseItIsBefore_staysAsItWas() {
    Supply supply = supply();
    round(supply, "a", fixed(100));
    Ask later = new Ask(FIXED_ID, FIXED, NUMBERED + 1, List.of(), 0, 0, Ask.NONE);
    round(supply, "a", later);
    assertThat(sum(round(supply, "b", fixed(100)))).isZero();
  }

  @Test
  void roundThatIsLateOrRepeated_changesNothingAndIsGrantedNothing() {
    Supply supply = supply();
    Supply.Round late = new Supply.Round("a", 1, List.of(fixed(50)));
    Supply.Round next = new Supply.Round("a", 2, List.of(fixed(60)));
    assertThat(sum(sent(supply, next))).isEqualTo(60);
    assertThat(sent(supply, late).grants()).isEmpty();
    assertThat(sent(supply, next).grants()).isEmpty();
    number = 10;
    assertThat(sum(round(supply, "b", lacking(40)))).isEqualTo(40);
  }

  @Test
  void spentMoreThanGranted_countsAgainstOthers() {
    Supply supply = supply();
    round(supply, "a", fixed(10));
    round(supply, "a", fixed(0, new Use(NUMBERED, 45)));
    assertThat(sum(round(supply, "b", lacking(56)))).isZero();
    assertThat(sum(round(supply, "b", lacking(55)))).isEqualTo(55);
  }

  @Test
  void trailingWindow_countsUntilTheEndOfItsCellPlusWindowPlusGuard() {
    Supply supply = supply();
    round(supply, "a", trailing(100));
    clock(START + 59 * SECOND);
    assertThat(sum(round(supply, "b", trailing(1)))).isZero();
    clock(START + 61 * SECOND); // cells are whole seconds; 61.05 s falls inside one
    assertThat(slices(round(supply, "b", trailing(100))))
        .containsExactly(new Slice(START / SECOND + 62, 100));
  }

  @Test
  void membersDisagree_lowestOfTheLivingBinds() {
    Supply supply = supply();
    round(supply, "low", ask(FIXED_ID, new LimitSpec.FixedWindow(40, 10 * SECOND), 0, 0));
    Supply.Answer answer = round(supply, "a", lacking(40));
    assertThat(answer.grants()).extracting(Supply.Grant::capacity).containsExactly(40L);
    clock(START + TTL + 1_000);
    assertThat(sum(round(supply, "a", fixed(100, new Use(NUMBERED, 40))))).isEqualTo(60);
  }

  @Test
  void scarce_isNotAllGivenToTheFirstWhoAsks() {
    Supply supply = supply();
    round(supply, "a", fixed(0));
    round(supply, "b", fixed(0));
    assertThat(sum(round(supply, "a", fixed(500)))).isEqualTo(25);
    assertThat(sum(round(supply, "b", fixed(500)))).isEqualTo(18);
  }

  @Test
  void whoLackedFirst_isGrantedFirstAndWhole() {
    Supply supply = supply();
    round(supply, "a", fixed(90));
    assertThat(sum(round(supply, "b", lacking(20)))).isZero();
    assertThat(sum(round(supply, "c", lacking(20)))).isZero();
    clock(START + SECOND);
    round(supply, "a", fixed(0, new Use(NUMBERED, 70)));
    assertThat(sum(round(supply, "c", lacking(20)))).as("kept for b").isZero();
    assertThat(sum(round(supply, "b", lacking(20)))).isEqualTo(20);
  }

  @Test
  void whoLackedFirstIsSilent_othersAreGranted() {
    Supply supply = supply();
    round(supply, "a", fixed(90));
    round(supply, "b", lacking(20));
    clock(START + SECOND + TTL);
    round(supply, "a", fixed(0, new Use(NUMBERED, 70)));
    assertThat(sum(round(supply, "c", lacking(30)))).isEqualTo(30);
  }

  @Test
  void barredCells_grantNothing() {
    Supply supply = supply();
    clock(START + 9 * SECOND);
    round(supply, "a", new Ask(FIXED_ID, FIXED, 0, List.of(), 0, 0, NUMBERED));
    assertThat(slices(round(supply, "b", lacking(10))))
        .containsExactly(new Slice(NUMBERED + 1, 10));
  }

  @Test
  void barredCell_isToldToAllWhileItRuns() {
    Supply supply = supply();
    round(supply, "a", new Ask(FIXED_ID, FIXED, 0, List.of(), 0, 0, NUMBERED));
    round(supply, "a", new Ask(TRAILING_ID, TRAILING, 0, List.of(), 0, 0, START / SECOND));
    assertThat(barred(round(supply, "b", fixed(1)))).isEqualTo(NUMBERED);
    assertThat(barred(round(supply, "b", trailing(1)))).isEqualTo(START / SECOND);
    clock(START + 10 * SECOND);
    Supply.Answer next = round(supply, "b", fixed(1));
    assertThat(barred(next)).isEqualTo(Ask.NONE);
    assertThat(sum(next)).isEqualTo(1);
  }

  private static long barred(Supply.Answer answer) {
    return answer.grants().getFirst().barred();
  }

  @Test
  void permitsOfASilentMember_areFree() {
    LimitSpec spec = new LimitSpec.Concurrency(5);
    LimitId id = id("permits", 0);
    Supply supply = supply();
    assertThat(slices(round(supply, "a", ask(id, spec, 0, 9)))).containsExactly(new Slice(0, 5));
    clock(START + TTL);
    assertThat(sum(round(supply, "b", ask(id, spec, 1, 0)))).isZero();
    clock(START + TTL + 1_000);
    assertThat(sum(round(supply, "b", ask(id, spec, 1, 0)))).isEqualTo(1);
  }

  @Test
  void dayWithoutCalendar_beginsWithItsFirstGrant() {
    LimitSpec spec = new LimitSpec.Day(10, null, 0);
    LimitId id = id("day", LimitSpec.Day.NANOS);
    Supply supply = supply();
    long first = START / 1_000;
    assertThat(slices(round(supply, "a", ask(id, spec, 0, 4))))
        .containsExactly(new Slice(first, 4));
    clock(START + LimitSpec.Day.NANOS - 1_000);
    assertThat(slices(round(supply, "b", ask(id, spec, 6, 0))))
        .containsExactly(new Slice(first, 6));
    clock(START + LimitSpec.Day.NANOS + SECOND);
    assertThat(slices(round(supply, "b", ask(id, spec, 10, 0))))
        .containsExactly(new Slice(first + 86_401_000_000L, 10));
  }

  private static Ask knowing(long born, long wanted, Use... uses) {
    return new Ask(FIXED_ID, FIXED, 0, List.of(uses), 0, wanted, Ask.NONE, born);
  }

  private static long born(Supply.Answer answer) {
    return answer.grants().getFirst().born();
  }

  @Test
  void limitLostAlone_isBornAgainAndGrantsNothingWhileOldSlicesLast() {
    Supply supply = supply();
    long first = born(round(supply, "a", fixed(60)));
    clock(START + SECOND / 2);
    assertThat(born(round(supply, "b", knowing(first, 0)))).isEqualTo(first);
    lose(FIXED_ID);
    clock(START + SECOND);
    Supply.Answer after = round(supply, "a", knowing(first, 10, new Use(NUMBERED, 60)));
    assertThat(born(after)).isNotEqualTo(first);
    assertThat(sum(after)).isZero();
    assertThat(sum(round(supply, "new", fixed(10)))).isZero();
    clock(START + SECOND + TTL);
    Use spent = new Use(NUMBERED, 60);
    assertThat(sum(round(supply, "a", knowing(born(after), 100, spent)))).isBetween(1L, 40L);
  }

  @Test
  void idleLimit_isTheSameForAnHour() {
    Supply supply = supply();
    long first = born(round(supply, "a", fixed(60)));
    clock(START + 3_500 * SECOND);
    Supply.Answer after = round(supply, "b", knowing(first, 10));
    assertThat(born(after)).isEqualTo(first);
    assertThat(sum(after)).isEqualTo(10);
  }

  @Test
  void whatAMemberFoundLost_isToldToAll() {
    Supply supply = supply();
    LimitId id = new LimitId(LimitId.Kind.KEY, "a b|c", "m", Measure.TOKENS, SECOND);
    Supply.Loss loss = new Supply.Loss(id, 7);
    Supply.Round finds = new Supply.Round("a", 1, List.of(), true, List.of(loss));
    assertThat(sent(supply, finds).losses()).containsExactly(loss);
    assertThat(sent(supply, new Supply.Round("b", 1, List.of())).losses()).containsExactly(loss);
  }

  @Test
  void limitFoundLost_isToldForAMinute() {
    Supply supply = supply();
    Supply.Loss loss = new Supply.Loss(FIXED_ID, 7);
    sent(supply, new Supply.Round("a", 1, List.of(), true, List.of(loss)));
    clock(START + 60 * SECOND);
    assertThat(round(supply, "b").losses()).containsExactly(loss);
    clock(START + 60 * SECOND + 1_000);
    assertThat(round(supply, "b").losses()).isEmpty();
  }

  @Test
  void memberThatIsSilentForAnHour_isForgotten_andItsRoundsAreNotLateThen() {
    Supply supply = supply();
    sent(supply, new Supply.Round("gone", 7, List.of()));
    clock(START + 3_600 * SECOND);
    assertThat(round(supply, "a").members())
        .contains(new Supply.Member("gone", 3_600 * SECOND))
        .hasSize(2);
    clock(START + 3_600 * SECOND + 1_000);
    assertThat(round(supply, "a").members()).containsExactly(new Supply.Member("a", 0));
    assertThat(sent(supply, new Supply.Round("gone", 1, List.of())).members())
        .contains(new Supply.Member("gone", 0));
  }

  @Test
  void roundThatDoesNotSayAll_isTold() {
    Supply supply = supply();
    Supply.Round part = new Supply.Round("a", 1, List.of(), false, List.of());
    assertThat(sent(supply, part).members())
        .containsExactly(new Supply.Member("a", 0, Long.MAX_VALUE, 0, false));
    sent(supply, new Supply.Round("a", 2, List.of()));
    clock(START + SECOND);
    Supply.Round next = new Supply.Round("a", 3, List.of(), false, List.of());
    assertThat(sent(supply, next).members())
        .containsExactly(new Supply.Member("a", 0, SECOND, 0, false));
  }

  @Test
  void strictRate_isSlotsApartThatAreHandedOutOnce() {
    LimitSpec spec = new LimitSpec.Strict(new Rate(4, 1));
    LimitId id = id("strict", 0);
    Supply supply = supply();
    long first = START / 1_000 + 2_000;
    assertThat(slices(round(supply, "a", ask(id, spec, 1, 1))))
        .containsExactly(new Slice(first, 1), new Slice(first + 250_000, 1));
    assertThat(slices(round(supply, "b", ask(id, spec, 1, 0))))
        .containsExactly(new Slice(first + 500_000, 1));
  }

  @Test
  void limitsOfOneRound_areApart() {
    Supply.Answer answer = round(supply(), "a", fixed(100), trailing(100));
    assertThat(answer.grants())
        .extracting(Supply.Grant::id)
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
    Supply supply = supply();
    List<Supply.Missed> missed = List.of(new Supply.Missed("gone", START - 3 * SECOND));
    Supply.Round misses = new Supply.Round("a", 1, List.of(), true, List.of(), null, missed);
    Supply.Member gone = new Supply.Member("gone", 3 * SECOND, Long.MAX_VALUE);
    assertThat(sent(supply, misses).members())
        .containsExactlyInAnyOrder(new Supply.Member("a", 0), gone);
    List<Supply.Missed> before = List.of(new Supply.Missed("gone", START - 4 * SECOND));
    Supply.Round older = new Supply.Round("b", 1, List.of(), true, List.of(), null, before);
    assertThat(sent(supply, older).members()).contains(gone);
  }

  @Test
  void nobodySawAnotherLife_isNoLoss() {
    assertThat(round(supply(), "a").lostNanos()).isEqualTo(Long.MAX_VALUE);
  }
}
