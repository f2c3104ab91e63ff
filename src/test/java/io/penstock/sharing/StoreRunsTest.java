package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.SliceStore.Run;
import io.penstock.sharing.SliceStore.Seen;
import org.junit.jupiter.api.Test;

class StoreRunsTest {
  private static final long ALL = Long.MAX_VALUE;
  private static final String LIFE = "life";

  private final StoreRuns runs = new StoreRuns("first");

  private static Seen seen(String life, String run, long count) {
    return new Seen(life, run, count);
  }

  @Test
  void run_isAsOldAsItsFirstRound() {
    runs.begin(0);
    runs.begin(5);
    assertThat(runs.now(ALL, 12)).isEqualTo(new Run("first", 12_000, ALL, ALL));
    assertThat(runs.now(3, -1)).isEqualTo(new Run("first", 0, ALL, 3));
  }

  @Test
  void nextRun_beginsWithARound_soLongAfterTheLastOneBefore() {
    runs.begin(0);
    runs.roundCounted(1, 0);
    runs.next("second");
    runs.begin(7);
    runs.roundCounted(2, 9);
    assertThat(runs.now(ALL, 10)).isEqualTo(new Run("second", 3_000, 7_000, ALL));
    runs.next("second");
    assertThat(runs.now(ALL, 10)).as("the same").isEqualTo(new Run("second", 3_000, 7_000, ALL));
    runs.next("third");
    runs.begin(8);
    assertThat(runs.now(ALL, 10)).as("set back").isEqualTo(new Run("third", 2_000, 0, ALL));
  }

  @Test
  void whoWasAnsweredNothing_orLessThanWasCounted_missesNothing() {
    runs.begin(1);
    runs.roundCounted(9, 1);
    assertThat(runs.kept(null, LIFE, 9)).isEqualTo(ALL);
    assertThat(runs.kept(seen(LIFE, "first", 9), LIFE, 9)).isEqualTo(ALL);
    assertThat(runs.kept(seen(LIFE, "first", 10), LIFE, 9)).isZero();
  }

  @Test
  void lifeThatBeganWithTheSameData_isTheSame_andAnyOtherKeepsNothing() {
    runs.begin(1);
    runs.roundCounted(9, 1);
    assertThat(runs.kept(seen("life~7-3", "first", 9), "life~8-4", 9)).isEqualTo(ALL);
    assertThat(runs.kept(seen("another", "first", 9), LIFE, 9)).isZero();
    assertThat(runs.kept(seen("another", "first", 0), LIFE, 9)).isEqualTo(ALL);
  }

  @Test
  void endedRun_keepsWhatWasCountedThen_throughAllRunsSince() {
    runs.begin(1);
    runs.roundCounted(9, 1);
    runs.next("second");
    runs.begin(2);
    runs.roundCounted(12, 2);
    runs.next("third");
    runs.begin(3);
    assertThat(runs.kept(seen(LIFE, "first", 9), LIFE, 20)).isEqualTo(ALL);
    assertThat(runs.kept(seen(LIFE, "first", 10), LIFE, 20)).isEqualTo(9);
    assertThat(runs.kept(seen(LIFE, "second", 13), LIFE, 20)).isEqualTo(12);
    assertThat(runs.kept(seen(LIFE, "unknown", 1), LIFE, 20)).isZero();
    assertThat(runs.fell(seen(LIFE, "second", 12), 20)).isFalse();
    assertThat(runs.fell(seen(LIFE, "second", 13), 20)).isTrue();
  }
}
