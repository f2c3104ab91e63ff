package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.FakeTicker;
import io.penstock.limit.LimitSpec;
import io.penstock.time.Midnight;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemorySupplyTest extends SupplyContract {
  private final FakeTicker ticker = new FakeTicker();

  private final MemorySupply supply = new MemorySupply(ticker, TTL, "first");

  @Override
  protected Supply supply() {
    ticker.set(START);
    return supply;
  }

  @Override
  protected void lose(LimitId id) {
    supply.lose(id);
  }

  @Override
  protected void clock(long nanos) {
    ticker.set(nanos);
  }

  private static Supply.Ask ask(long windowNanos, long wanted) {
    return new Supply.Ask(
        id("one", 0),
        new LimitSpec.FixedWindow(100, windowNanos),
        0,
        List.of(),
        0,
        wanted,
        Supply.Ask.NONE);
  }

  @Test
  void sameLimitWithAnotherWindow_isGrantedNoMoreThanTheFirstHasLeft() {
    Supply supply = supply();
    round(supply, "a", ask(10 * SECOND, 60));
    Supply.Grant grant = round(supply, "b", ask(5 * SECOND, 100)).grants().getFirst();
    assertThat(grant.slices()).extracting(Supply.Slice::amount).containsExactly(40L);
    assertThat(grant.left()).isZero();
  }

  @Test
  void anotherWindowOnceNothingCounts_isTaken() {
    Supply supply = supply();
    round(supply, "a", ask(10 * SECOND, 60));
    ticker.set(START + 20 * SECOND);
    assertThat(round(supply, "b", ask(5 * SECOND, 100)).grants()).hasSize(1);
  }

  private Supply.Answer told(String member, long number, Supply.@Nullable Seen seen) {
    return sent(supply, new Supply.Round(member, number, List.of(), true, List.of(), seen));
  }

  @Test
  void memberSawMoreRoundsThanAreKnown_isAnotherLifeForAll() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    Supply.Answer same = told("a", 2, seen(first, first.count()));
    assertThat(same.life()).isEqualTo(first.life());
    assertThat(same.run().kept()).isEqualTo(Long.MAX_VALUE);
    Supply.Answer other = told("b", 1, seen(first, same.count() + 1));
    assertThat(other.life()).isNotEqualTo(first.life());
    assertThat(other.run().kept()).as("nothing tells how far it was set back").isZero();
    Supply.Answer next = told("a", 3, seen(same, same.count()));
    assertThat(next.life()).isEqualTo(other.life());
    assertThat(next.run().kept()).isZero();
  }

  private static Supply.Seen seen(Supply.Answer answer, long count) {
    return new Supply.Seen(answer.life(), answer.run().name(), count);
  }

  @Test
  void anotherRunThatKnowsAll_isTheSameLife_andNobodyIsAwareOfItBeforeItWasTold() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    assertThat(first.run().gapNanos()).isEqualTo(Long.MAX_VALUE);
    supply.restart("second");
    ticker.set(START + SECOND);
    Supply.Answer after = told("a", 2, seen(first, first.count()));
    assertThat(after.life()).isEqualTo(first.life());
    assertThat(after.lostNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(after.run()).isEqualTo(new Supply.Run("second", 0, SECOND, Long.MAX_VALUE));
    assertThat(after.members()).extracting(Supply.Member::awareNanos).containsOnly(Long.MAX_VALUE);
    assertThat(told("a", 3, seen(after, after.count())).members())
        .extracting(Supply.Member::awareNanos)
        .containsOnly(0L);
  }

  @Test
  void anotherRunThatKnowsLess_isAnotherLife_howeverManyRoundsWereCountedSince() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    supply.restart("second");
    for (int number = 1; number < 9; number++) {
      told("b", number, null);
    }
    Supply.Answer after = told("a", 2, seen(first, first.count() + 1));
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.lostNanos()).isZero();
    assertThat(after.run().kept()).isEqualTo(first.count());
  }

  @Test
  void runThatNobodyKnowsHowItEnded_isAnotherLife() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    Supply.Seen other = new Supply.Seen(first.life(), "other", first.count());
    Supply.Answer after = told("a", 2, other);
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.run().kept()).isZero();
  }

  @Test
  void runThatEndedMoreThanTwoDaysAgo_isAnotherLifeToWhoWasToldItThen() {
    long days = 2 * 24 * 3_600 * SECOND;
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    supply.restart("second");
    told("b", 1, null);
    ticker.set(START + days);
    assertThat(told("a", 2, seen(first, 1)).run().kept()).isEqualTo(Long.MAX_VALUE);
    ticker.set(START + days + 1_000);
    assertThat(told("a", 3, seen(first, 1)).life())
        .as("what is old is forgotten after it was of use once more")
        .isEqualTo(first.life());
    Supply.Answer after = told("a", 4, seen(first, 1));
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.run().kept()).isZero();
  }

  @Test
  void storeThatBeginsWithNothing_isAnotherRun() {
    Supply.Answer first = round(supply(), "a");
    Supply other = new MemorySupply(ticker, TTL, "other data");
    assertThat(round(other, "a").run().name()).isNotEqualTo(first.run().name());
  }

  @Test
  void lifeOfWhichNobodySpokeForAnHour_isWordOfALossAgain() {
    supply();
    Supply.Seen before = new Supply.Seen("before", "run", 7);
    told("a", 1, before);
    ticker.set(START + 3_600 * SECOND);
    assertThat(told("b", 1, before).lostNanos()).isEqualTo(3_600 * SECOND);
    assertThat(told("b", 2, before).lostNanos()).isEqualTo(3_600 * SECOND);
    ticker.set(START + 3_600 * SECOND + 1_000);
    assertThat(told("c", 1, null).lostNanos()).isEqualTo(3_600 * SECOND + 1_000);
    assertThat(told("d", 1, before).lostNanos()).isZero();
  }

  @Test
  void whoLeaves_isKnownToHaveLeft() {
    supply();
    Supply.Round last =
        new Supply.Round("a", 1, List.of(), false, List.of(), null, List.of(), true);
    assertThat(sent(supply, last).members()).extracting(Supply.Member::left).containsOnly(true);
  }

  @Test
  void memberSawAnotherLife_hasNotSaidAll() {
    supply();
    Supply.Answer first = told("a", 1, new Supply.Seen("before", "run", 7));
    assertThat(first.members()).containsExactly(new Supply.Member("a", 0, Long.MAX_VALUE));
    assertThat(told("a", 2, seen(first, 1)).members())
        .containsExactly(new Supply.Member("a", 0, 0));
  }

  @Test
  void firstWhoSawAnotherLife_bringsWordOfALoss() {
    supply();
    assertThat(told("a", 1, new Supply.Seen("before", "run", 7)).lostNanos()).isZero();
    ticker.set(START + SECOND);
    assertThat(told("b", 1, new Supply.Seen("before", "run", 8)).lostNanos()).isEqualTo(SECOND);
    assertThat(told("c", 1, null).lostNanos()).isEqualTo(SECOND);
    assertThat(told("d", 1, new Supply.Seen("long before", "run", 2)).lostNanos()).isZero();
  }

  @Test
  void roundThatFails_changesNothing() {
    Supply supply = supply();
    Supply.Ask good = ask(10 * SECOND, 60);
    Supply.Ask bad = ask(id("bad", 0), new LimitSpec.Unlimited(), 0, 1);
    assertThatThrownBy(() -> round(supply, "a", good, bad))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
    Supply.Answer next = round(supply, "b", ask(10 * SECOND, 100));
    assertThat(next.count()).isEqualTo(1);
    assertThat(next.members()).extracting(Supply.Member::name).containsExactly("b");
    assertThat(next.grants().getFirst().slices())
        .extracting(Supply.Slice::amount)
        .containsExactly(100L);
  }

  @Test
  void limitIdleForMoreThanAnHour_isForgotten_andBornAnew() {
    Supply supply = supply();
    round(supply, "a", ask(10 * SECOND, 60));
    clock(START + 3_600 * SECOND);
    assertThat(round(supply, "b").losses()).isEmpty();
    clock(START + 3_600 * SECOND + 1_000);
    Supply.Grant grant = round(supply, "b", ask(10 * SECOND, 60)).grants().getFirst();
    assertThat(grant.born()).isEqualTo(START / 1_000 + 3_600_000_001L);
    assertThat(grant.slices()).extracting(Supply.Slice::amount).containsExactly(60L);
  }

  @Test
  void anotherLife_wasToldNothingByThoseItHeardBefore() {
    Supply.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    assertThat(told("b", 1, seen(first, 2)).members())
        .containsExactly(
            new Supply.Member("a", 0, Long.MAX_VALUE, Long.MAX_VALUE, false),
            new Supply.Member("b", 0, Long.MAX_VALUE, Long.MAX_VALUE, false));
  }

  @Test
  void roundOfTheVersionBefore_isCountedAndHeard_byWhoIsNotAware() {
    ticker.set(START);
    supply.roundOfVersionBefore("old", 1, true);
    supply.roundOfVersionBefore("part", 1, false);
    clock(START + SECOND);
    Supply.Answer answer = told("new", 1, null);
    assertThat(answer.count()).isEqualTo(3);
    assertThat(answer.members())
        .containsExactly(
            new Supply.Member("old", SECOND, SECOND, Long.MAX_VALUE, false),
            new Supply.Member("part", SECOND, Long.MAX_VALUE, Long.MAX_VALUE, false),
            new Supply.Member("new", 0, 0));
  }

  private static Supply.Ask day(@Nullable Midnight midnight, long wanted, Supply.Use... uses) {
    LimitSpec spec = new LimitSpec.Day(10, midnight, 0);
    return ask(id("day", LimitSpec.Day.NANOS), spec, 0, wanted, uses);
  }

  @Test
  void calendarDayThatEnded_countsNoMore_forWhoHasDaysFromTheFirstUse() {
    Supply supply = supply();
    Midnight utc = new Midnight(ZoneOffset.UTC, () -> 0);
    long begin = START / LimitSpec.Day.NANOS * LimitSpec.Day.NANOS;
    long end = begin + LimitSpec.Day.NANOS;
    clock(end - SECOND);
    round(supply, "a", day(utc, 10));
    round(supply, "a", day(utc, 0, new Supply.Use(begin / 1_000, 10)));
    assertThat(round(supply, "b", day(null, 4)).grants().getFirst().slices()).isEmpty();
    clock(end + 5 * SECOND);
    assertThat(round(supply, "b", day(null, 4)).grants().getFirst().slices())
        .extracting(Supply.Slice::amount)
        .containsExactly(4L);
  }
}
