package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.FakeTicker;
import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemorySliceStoreTest extends SliceStoreContract {
  private final FakeTicker ticker = new FakeTicker();

  private final MemorySliceStore supply = new MemorySliceStore(ticker, TTL, "first");

  @Override
  protected SliceStore supply() {
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

  private static SliceStore.Ask ask(long windowNanos, long wanted) {
    return new SliceStore.Ask(
        id("one", 0),
        new LimitSpec.FixedWindow(100, windowNanos),
        0,
        List.of(),
        0,
        wanted,
        SliceStore.Ask.NONE,
        SliceStore.Ask.NONE);
  }

  @Test
  void sameLimitWithAnotherWindow_isGrantedNoMoreThanTheFirstHasLeft() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", ask(10 * SECOND, 60));
    SliceStore.Grant grant = round(sliceStore, "b", ask(5 * SECOND, 100)).grants().getFirst();
    assertThat(grant.slices()).extracting(CellAmount::amount).containsExactly(40L);
    assertThat(grant.remaining()).isZero();
  }

  @Test
  void anotherWindowOnceNothingCounts_isTaken() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", ask(10 * SECOND, 60));
    ticker.set(START + 20 * SECOND);
    assertThat(round(sliceStore, "b", ask(5 * SECOND, 100)).grants()).hasSize(1);
  }

  private SliceStore.Answer told(String member, long number, SliceStore.@Nullable Seen seen) {
    return sent(
        supply,
        new SliceStore.Round(member, number, List.of(), true, List.of(), seen, List.of(), false));
  }

  @Test
  void memberSawMoreRoundsThanAreKnown_isAnotherLifeForAll() {
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    SliceStore.Answer same = told("a", 2, seen(first, first.count()));
    assertThat(same.life()).isEqualTo(first.life());
    assertThat(same.run().kept()).isEqualTo(Long.MAX_VALUE);
    SliceStore.Answer other = told("b", 1, seen(first, same.count() + 1));
    assertThat(other.life()).isNotEqualTo(first.life());
    assertThat(other.run().kept()).as("nothing tells how far it was set back").isZero();
    SliceStore.Answer next = told("a", 3, seen(same, same.count()));
    assertThat(next.life()).isEqualTo(other.life());
    assertThat(next.run().kept()).isZero();
  }

  private static SliceStore.Seen seen(SliceStore.Answer answer, long count) {
    return new SliceStore.Seen(answer.life(), answer.run().name(), count);
  }

  @Test
  void anotherRunThatKnowsAll_isTheSameLife_andNobodyIsAwareOfItBeforeItWasTold() {
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    assertThat(first.run().gapNanos()).isEqualTo(Long.MAX_VALUE);
    supply.restart("second");
    ticker.set(START + SECOND);
    SliceStore.Answer after = told("a", 2, seen(first, first.count()));
    assertThat(after.life()).isEqualTo(first.life());
    assertThat(after.sinceLossNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(after.run()).isEqualTo(new SliceStore.Run("second", 0, SECOND, Long.MAX_VALUE));
    assertThat(after.members())
        .extracting(SliceStore.Member::sinceAwareNanos)
        .containsOnly(Long.MAX_VALUE);
    assertThat(told("a", 3, seen(after, after.count())).members())
        .extracting(SliceStore.Member::sinceAwareNanos)
        .containsOnly(0L);
  }

  @Test
  void anotherRunThatKnowsLess_isAnotherLife_howeverManyRoundsWereCountedSince() {
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    supply.restart("second");
    for (int number = 1; number < 9; number++) {
      told("b", number, null);
    }
    SliceStore.Answer after = told("a", 2, seen(first, first.count() + 1));
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.sinceLossNanos()).isZero();
    assertThat(after.run().kept()).isEqualTo(first.count());
  }

  @Test
  void runThatNobodyKnowsHowItEnded_isAnotherLife() {
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    SliceStore.Seen other = new SliceStore.Seen(first.life(), "other", first.count());
    SliceStore.Answer after = told("a", 2, other);
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.run().kept()).isZero();
  }

  @Test
  void runThatEndedMoreThanTwoDaysAgo_isAnotherLifeToWhoWasToldItThen() {
    long days = 2 * 24 * 3_600 * SECOND;
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    supply.restart("second");
    told("b", 1, null);
    ticker.set(START + days);
    assertThat(told("a", 2, seen(first, 1)).run().kept()).isEqualTo(Long.MAX_VALUE);
    ticker.set(START + days + 1_000);
    assertThat(told("a", 3, seen(first, 1)).life())
        .as("what is old is forgotten after it was of use once more")
        .isEqualTo(first.life());
    SliceStore.Answer after = told("a", 4, seen(first, 1));
    assertThat(after.life()).isNotEqualTo(first.life());
    assertThat(after.run().kept()).isZero();
  }

  @Test
  void storeThatBeginsWithNothing_isAnotherRun() {
    SliceStore.Answer first = round(supply(), "a");
    SliceStore other = new MemorySliceStore(ticker, TTL, "other data");
    assertThat(round(other, "a").run().name()).isNotEqualTo(first.run().name());
  }

  @Test
  void lifeOfWhichNobodySpokeForAnHour_isWordOfALossAgain() {
    supply();
    SliceStore.Seen before = new SliceStore.Seen("before", "run", 7);
    told("a", 1, before);
    ticker.set(START + 3_600 * SECOND);
    assertThat(told("b", 1, before).sinceLossNanos()).isEqualTo(3_600 * SECOND);
    assertThat(told("b", 2, before).sinceLossNanos()).isEqualTo(3_600 * SECOND);
    ticker.set(START + 3_600 * SECOND + 1_000);
    assertThat(told("c", 1, null).sinceLossNanos()).isEqualTo(3_600 * SECOND + 1_000);
    assertThat(told("d", 1, before).sinceLossNanos()).isZero();
  }

  @Test
  void whoLeaves_isKnownToHaveLeft() {
    supply();
    SliceStore.Round last =
        new SliceStore.Round("a", 1, List.of(), false, List.of(), null, List.of(), true);
    assertThat(sent(supply, last).members()).extracting(SliceStore.Member::left).containsOnly(true);
  }

  @Test
  void memberSawAnotherLife_hasNotSaidAll() {
    supply();
    SliceStore.Answer first = told("a", 1, new SliceStore.Seen("before", "run", 7));
    assertThat(first.members())
        .containsExactly(new SliceStore.Member("a", 0, Long.MAX_VALUE, Long.MAX_VALUE, false));
    assertThat(told("a", 2, seen(first, 1)).members())
        .containsExactly(new SliceStore.Member("a", 0, 0, 0, false));
  }

  @Test
  void firstWhoSawAnotherLife_bringsWordOfALoss() {
    supply();
    assertThat(told("a", 1, new SliceStore.Seen("before", "run", 7)).sinceLossNanos()).isZero();
    ticker.set(START + SECOND);
    assertThat(told("b", 1, new SliceStore.Seen("before", "run", 8)).sinceLossNanos())
        .isEqualTo(SECOND);
    assertThat(told("c", 1, null).sinceLossNanos()).isEqualTo(SECOND);
    assertThat(told("d", 1, new SliceStore.Seen("long before", "run", 2)).sinceLossNanos())
        .isZero();
  }

  @Test
  void roundThatFails_changesNothing() {
    SliceStore sliceStore = supply();
    SliceStore.Ask good = ask(10 * SECOND, 60);
    SliceStore.Ask bad = ask(id("bad", 0), new LimitSpec.Unlimited(), 0, 1);
    assertThatThrownBy(() -> round(sliceStore, "a", good, bad))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
    SliceStore.Answer next = round(sliceStore, "b", ask(10 * SECOND, 100));
    assertThat(next.count()).isEqualTo(1);
    assertThat(next.members()).extracting(SliceStore.Member::name).containsExactly("b");
    assertThat(next.grants().getFirst().slices())
        .extracting(CellAmount::amount)
        .containsExactly(100L);
  }

  @Test
  void limitIdleForMoreThanAnHour_isForgotten_andBornAnew() {
    SliceStore sliceStore = supply();
    round(sliceStore, "a", ask(10 * SECOND, 60));
    clock(START + 3_600 * SECOND);
    assertThat(round(sliceStore, "b").losses()).isEmpty();
    clock(START + 3_600 * SECOND + 1_000);
    SliceStore.Grant grant = round(sliceStore, "b", ask(10 * SECOND, 60)).grants().getFirst();
    assertThat(grant.born()).isEqualTo(START / 1_000 + 3_600_000_001L);
    assertThat(grant.slices()).extracting(CellAmount::amount).containsExactly(60L);
  }

  @Test
  void anotherLife_wasToldNothingByThoseItHeardBefore() {
    SliceStore.Answer first = round(supply(), "a", ask(10 * SECOND, 0));
    assertThat(told("b", 1, seen(first, 2)).members())
        .containsExactly(
            new SliceStore.Member("a", 0, Long.MAX_VALUE, Long.MAX_VALUE, false),
            new SliceStore.Member("b", 0, Long.MAX_VALUE, Long.MAX_VALUE, false));
  }

  private static SliceStore.Ask day(
      @Nullable ZoneMidnights zoneMidnights, long wanted, CellAmount... uses) {
    LimitSpec spec = new LimitSpec.Day(10, zoneMidnights, 0);
    return ask(id("day", LimitSpec.Day.NANOS), spec, 0, wanted, uses);
  }

  @Test
  void calendarDayThatEnded_countsNoMore_forWhoHasDaysFromTheFirstUse() {
    SliceStore sliceStore = supply();
    ZoneMidnights utc = new ZoneMidnights(ZoneOffset.UTC, () -> 0);
    long begin = START / LimitSpec.Day.NANOS * LimitSpec.Day.NANOS;
    long end = begin + LimitSpec.Day.NANOS;
    clock(end - SECOND);
    round(sliceStore, "a", day(utc, 10));
    round(sliceStore, "a", day(utc, 0, new CellAmount(begin / 1_000, 10)));
    assertThat(round(sliceStore, "b", day(null, 4)).grants().getFirst().slices()).isEmpty();
    clock(end + 5 * SECOND);
    assertThat(round(sliceStore, "b", day(null, 4)).grants().getFirst().slices())
        .extracting(CellAmount::amount)
        .containsExactly(4L);
  }
}
