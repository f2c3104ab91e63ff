package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every supply keeps. The shared clock stands at 1,000 s when a supply is made. */
abstract class SupplyContract {
  static final long SECOND = 1_000_000_000L;
  static final long START = 1_000 * SECOND;
  static final long TTL = 2 * SECOND;
  static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, 10 * SECOND);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, 60 * SECOND, SECOND / 20, 100);
  static final LimitId FIXED_ID = id("fixed", 10 * SECOND);
  static final LimitId TRAILING_ID = id("trailing", 60 * SECOND);

  /** Makes a supply whose slices live for {@link #TTL}. */
  abstract Supply supply();

  /** Moves the shared clock. */
  abstract void clock(long nanos);

  static LimitId id(String name, long durationNanos) {
    return new LimitId(LimitId.Kind.UPSTREAM, name, "m", Measure.TOKENS, durationNanos);
  }

  static Supply.Answer round(Supply supply, String member, Supply.Ask... asks) {
    return supply
        .round(new Supply.Round(member, List.of(asks)))
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }

  static Supply.Ask fixed(long wanted, Supply.Use... uses) {
    return new Supply.Ask(FIXED_ID, FIXED, List.of(uses), wanted);
  }

  static Supply.Ask trailing(long wanted, Supply.Use... uses) {
    return new Supply.Ask(TRAILING_ID, TRAILING, List.of(uses), wanted);
  }

  static long sum(Supply.Answer answer) {
    return answer.grants().stream()
        .flatMap(grant -> grant.slices().stream())
        .mapToLong(Supply.Slice::amount)
        .sum();
  }

  static Supply.Slice only(Supply.Answer answer) {
    assertThat(answer.grants()).hasSize(1);
    assertThat(answer.grants().getFirst().slices()).hasSize(1);
    return answer.grants().getFirst().slices().getFirst();
  }

  @Test
  void moreWantedThanLeft_givesWhatIsLeftAndThenNothing() {
    Supply supply = supply();
    Supply.Slice first = only(round(supply, "a", fixed(60)));
    assertThat(first.amount()).isEqualTo(60);
    assertThat(first.cell()).isEqualTo(START / (10 * SECOND));
    assertThat(first.expiresAfterNanos()).isEqualTo(TTL);
    assertThat(sum(round(supply, "b", fixed(60)))).isEqualTo(40);
    assertThat(round(supply, "c", fixed(1)).grants()).isEmpty();
  }

  @Test
  void nothingWanted_grantsNothingAndTellsTheClock() {
    Supply.Answer answer = round(supply(), "a", fixed(0));
    assertThat(answer.grants()).isEmpty();
    assertThat(answer.clockNanos()).isEqualTo(START);
  }

  @Test
  void newFixedWindow_grantsAllAgain() {
    Supply supply = supply();
    round(supply, "a", fixed(100));
    clock(START + 10 * SECOND);
    Supply.Slice next = only(round(supply, "b", fixed(100)));
    assertThat(next.amount()).isEqualTo(100);
    assertThat(next.cell()).isEqualTo(START / (10 * SECOND) + 1);
  }

  @Test
  void edgeWithinLifeOfASlice_grantsOfTheNextWindowToo() {
    Supply supply = supply();
    clock(START + 9 * SECOND);
    Supply.Answer answer = round(supply, "a", fixed(150));
    assertThat(answer.grants().getFirst().slices())
        .extracting(Supply.Slice::amount)
        .containsExactly(100L, 50L);
    clock(START + 10 * SECOND);
    assertThat(sum(round(supply, "b", fixed(100)))).isEqualTo(50);
  }

  @Test
  void returnedUnspent_goesToOthersOnce() {
    Supply supply = supply();
    long cell = only(round(supply, "a", fixed(100))).cell();
    Supply.Use use = new Supply.Use(cell, 30, 70);
    round(supply, "a", fixed(0, use));
    round(supply, "a", fixed(0, use)); // a round that is repeated
    assertThat(sum(round(supply, "b", fixed(100)))).isEqualTo(70);
  }

  @Test
  void staleReport_takesNothingBack() {
    Supply supply = supply();
    long cell = only(round(supply, "a", fixed(100))).cell();
    round(supply, "a", fixed(0, new Supply.Use(cell, 20, 50)));
    round(supply, "a", fixed(0, new Supply.Use(cell, 0, 0)));
    assertThat(sum(round(supply, "b", fixed(100)))).isEqualTo(50);
  }

  @Test
  void spentMoreThanGranted_countsAgainstOthers() {
    Supply supply = supply();
    long cell = only(round(supply, "a", fixed(10))).cell();
    round(supply, "a", fixed(0, new Supply.Use(cell, 45, 0)));
    assertThat(sum(round(supply, "b", fixed(100)))).isEqualTo(55);
  }

  @Test
  void returnedMoreThanGranted_makesNoRoomThatWasNotThere() {
    Supply supply = supply();
    long cell = only(round(supply, "a", fixed(100))).cell();
    round(supply, "b", fixed(0, new Supply.Use(cell, 0, 1_000)));
    assertThat(sum(round(supply, "b", fixed(100)))).isZero();
  }

  @Test
  void trailingWindow_countsUntilTheEndOfTheSubCellPlusWindowPlusGuard() {
    Supply supply = supply();
    round(supply, "a", trailing(100));
    clock(START + 59 * SECOND);
    assertThat(sum(round(supply, "b", trailing(1)))).isZero();
    clock(START + 61 * SECOND); // sub-cells are whole seconds; 61.05 s falls inside one
    Supply.Slice slice = only(round(supply, "b", trailing(100)));
    assertThat(slice.cell()).isEqualTo(START / SECOND + 62);
    assertThat(slice.amount()).isEqualTo(100);
  }

  @Test
  void membersDisagreeOnTheLimit_lowestOfTheLivingBinds() {
    Supply supply = supply();
    Supply.Ask low =
        new Supply.Ask(FIXED_ID, new LimitSpec.FixedWindow(40, 10 * SECOND), List.of(), 0);
    round(supply, "low", low);
    assertThat(sum(round(supply, "a", fixed(100)))).isEqualTo(40);
    clock(START + TTL + 1);
    assertThat(sum(round(supply, "a", fixed(100)))).isEqualTo(60);
  }

  @Test
  void limitsOfOneRound_areApart() {
    Supply.Answer answer = round(supply(), "a", fixed(100), trailing(100));
    assertThat(answer.grants()).extracting(Supply.Grant::id).contains(FIXED_ID, TRAILING_ID);
    assertThat(sum(answer)).isEqualTo(200);
  }

  @Test
  void limitWithoutWindow_failsTheStage() {
    Supply.Ask ask = new Supply.Ask(FIXED_ID, new LimitSpec.Unlimited(), List.of(), 1);
    assertThatThrownBy(() -> round(supply(), "a", ask))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void limitAskedForTwiceInOneRound_isNoRound() {
    assertThatThrownBy(() -> new Supply.Round("a", List.of(fixed(1), fixed(1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Members ask, spend, return and forget at random; nothing counted ever exceeds the limit. */
  @Test
  void randomMembers_neverGrantedAboveTheLimitInAnyWindow() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      Supply supply = supply();
      long now = START;
      clock(now);
      Map<Long, Long> granted = new HashMap<>();
      Map<String, List<Supply.Use>> uses = new HashMap<>();
      for (int step = 0; step < 300; step++) {
        now += random.nextLong(3 * SECOND);
        clock(now);
        String member = "m" + random.nextInt(4);
        List<Supply.Use> own = uses.computeIfAbsent(member, absent -> new ArrayList<>());
        Supply.Ask ask = new Supply.Ask(TRAILING_ID, TRAILING, own, random.nextInt(60));
        for (Supply.Grant grant : round(supply, member, ask).grants()) {
          grant.slices().forEach(slice -> keep(slice, granted, own, random));
        }
        assertNeverOver(granted, "seed " + seed);
      }
      assertThat(granted.values().stream().mapToLong(Long::longValue).sum()).isGreaterThan(300);
    }
  }

  /** Spends a part and returns the rest, where it is the member's first slice of the cell. */
  private static void keep(
      Supply.Slice slice, Map<Long, Long> granted, List<Supply.Use> own, Random random) {
    boolean first = own.stream().noneMatch(use -> use.cell() == slice.cell());
    long spent = first ? random.nextLong(slice.amount() + 1) : slice.amount();
    if (first) {
      own.add(new Supply.Use(slice.cell(), spent, slice.amount() - spent));
    }
    granted.merge(slice.cell(), spent, Long::sum);
  }

  private static void assertNeverOver(Map<Long, Long> spent, String seed) {
    for (long end : spent.keySet()) {
      long sum = 0;
      for (Map.Entry<Long, Long> cell : spent.entrySet()) {
        if (cell.getKey() >= end - 61 && cell.getKey() <= end) {
          sum += cell.getValue();
        }
      }
      assertThat(sum).as(seed).isLessThanOrEqualTo(100);
    }
  }
}
