package io.penstock.region;

import static io.penstock.region.Coast.CELL;
import static io.penstock.region.Coast.MINUTE;
import static io.penstock.region.Coast.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Limit;
import io.penstock.sharing.DenialStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests how a region deals with answers that fail, come late or never come, and the statistics
 * about them.
 */
class RegionSyncTroubleTest {
  private final Coast coast = Coast.settled();
  private final RegionStatistics regionStatistics = coast.ledger();

  private static DenialStore.Page page(long cursor, DenialStore.Denial... denials) {
    return new DenialStore.Page(List.of(denials), cursor);
  }

  /** Makes one step each second, without answering anything. */
  private void idle(int seconds) {
    for (int second = 0; second < seconds; second++) {
      coast.stepAfter(SECOND);
    }
  }

  @Test
  void answers_areCountedWithTheTimeTheyTook() {
    long answered = regionStatistics.answered();
    coast.stepAfter(0);
    coast.ticker.advance(300);
    coast.exchanges.getLast().answer(List.of());
    assertThat(regionStatistics.answered()).isEqualTo(answered + 1);
    assertThat(regionStatistics.answeredNanos()).isEqualTo(300);
    coast.deny("a");
    coast.stepAfter(SECOND);
    coast.ticker.advance(20);
    coast.publishes.getLast().answer(null);
    assertThat(regionStatistics.answered()).isEqualTo(answered + 2);
    assertThat(regionStatistics.answeredNanos()).isEqualTo(320);
    coast.stepAfter(10 * SECOND);
    coast.ticker.advance(1);
    coast.looks.getLast().answer(page(1));
    assertThat(regionStatistics.answered()).isEqualTo(answered + 3);
    assertThat(regionStatistics.answeredNanos()).isEqualTo(321);
  }

  @Test
  void countsWithoutAnAnswer_areGivenUpAfter4Seconds_andToldAgain() {
    coast.spent("a", 200);
    coast.stepAfter(0);
    assertThat(coast.exchanges.getLast().what()).containsExactly(Coast.count("a", CELL, 200));
    coast.stepAfter(4 * SECOND - 1);
    assertThat(regionStatistics.timedOut()).isZero();
    coast.stepAfter(1);
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
    assertThat(regionStatistics.failed()).isZero();
    assertThat(regionStatistics.droppedCounts()).isEqualTo(1);
    coast.stepAfter(SECOND);
    assertThat(coast.exchanges.getLast().what()).containsExactly(Coast.count("a", CELL, 200));
  }

  @Test
  void lateAnswerToCounts_isBelieved_butCountsAsNone() {
    Limit limit = coast.limit("a");
    coast.stepAfter(0);
    idle(4);
    long answered = regionStatistics.answered();
    coast.exchanges.getLast().answer(List.of(Coast.count("a", CELL, 300)));
    assertThat(coast.room(limit)).isEqualTo(700);
    assertThat(regionStatistics.answered()).isEqualTo(answered);
  }

  @Test
  void lateFailureOfCounts_isNotCountedOnceMore() {
    coast.stepAfter(0);
    idle(4);
    coast.exchanges.getLast().fail();
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
    assertThat(regionStatistics.failed()).isZero();
    assertThat(regionStatistics.droppedCounts()).isEqualTo(1);
  }

  @Test
  void databaseThatNeverAnswers_isLeftAlone_andAskedOnceIn5Seconds() {
    coast.stepAfter(0);
    idle(14);
    assertThat(coast.exchanges).as("at 0, 5 and 10 s").hasSize(3);
    assertThat(regionStatistics.timedOut()).as("and a look").isEqualTo(4);
    assertThat(regionStatistics.droppedCounts()).isEqualTo(3);
    long next = coast.stepAfter(SECOND);
    assertThat(coast.exchanges).hasSize(3);
    assertThat(regionStatistics.droppedCounts()).isEqualTo(4);
    assertThat(next).as("until it may be asked").isEqualTo(5 * SECOND);
    idle(4);
    assertThat(coast.exchanges).hasSize(3);
    idle(1);
    assertThat(coast.exchanges).hasSize(4);
  }

  @Test
  void databaseOfWhichCountsFail_isLeftAloneByAll_untilOneGoesWell() {
    for (int failure = 1; failure <= DatabaseBreaker.FAILURES; failure++) {
      coast.stepAfter(failure == 1 ? 0 : 5 * SECOND);
      coast.exchanges.getLast().fail();
      assertThat(regionStatistics.failed()).isEqualTo(failure);
      assertThat(regionStatistics.droppedCounts()).isEqualTo(failure);
    }
    coast.looks.getLast().fail();
    coast.deny("a");
    coast.stepAfter(SECOND);
    assertThat(coast.publishes).isEmpty();
    assertThat(regionStatistics.droppedDenials()).isEqualTo(1);
    coast.stepAfter(4 * SECOND);
    assertThat(coast.exchanges).hasSize(4);
    coast.exchanges.getLast().answer(List.of());
    coast.deny("b");
    coast.stepAfter(SECOND);
    assertThat(coast.publishes).hasSize(1);
  }

  @Test
  void lookWithoutAnAnswer_isGivenUpAfter4Seconds() {
    coast.stepAfter(10 * SECOND);
    coast.exchanges.getLast().answer(List.of());
    coast.stepAfter(4 * SECOND);
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
    assertThat(regionStatistics.droppedCounts()).isZero();
    Limit limit = coast.limit("a");
    long answered = regionStatistics.answered();
    coast.looks.getLast().answer(page(7, Coast.denial("a")));
    assertThat(regionStatistics.answered()).as("late, and counts as none").isEqualTo(answered);
    assertThat(coast.room(limit)).as("but is believed").isZero();
  }

  @Test
  void failedLook_isCountedOnce_andNotWhenItIsLate() {
    coast.stepAfter(10 * SECOND);
    coast.exchanges.getLast().answer(List.of());
    coast.looks.getLast().fail();
    assertThat(regionStatistics.failed()).isEqualTo(1);
    coast.stepAfter(10 * SECOND);
    coast.exchanges.getLast().answer(List.of());
    coast.stepAfter(4 * SECOND);
    coast.looks.getLast().fail();
    assertThat(regionStatistics.failed()).isEqualTo(1);
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
  }

  @Test
  void looks_readOnFromTheNewestCursor_andAllOfItEachSixthTime() {
    for (int look = 1; look <= 12; look++) {
      coast.stepAfter(10 * SECOND);
      long from = look % 6 == 0 ? DenialStore.Page.START : 40 + look - 1;
      assertThat(coast.looks.getLast().what())
          .as("look %d", look)
          .isEqualTo(look == 1 ? DenialStore.Page.START : from);
      coast.exchanges.getLast().answer(List.of());
      coast.looks.getLast().answer(page(40 + look));
    }
  }

  @Test
  void rowOfNoLimit_isIgnoredAndCounted() {
    coast.stepAfter(10 * SECOND);
    coast
        .looks
        .getLast()
        .answer(page(1, new DenialStore.Denial("nobody-knows", "a", 60_000, CELL, 1_000)));
    assertThat(regionStatistics.ignored()).isEqualTo(1);
  }

  @Test
  void denialsWithoutAnAnswer_areGivenUp_andNeverToldAgain() {
    coast.deny("a");
    coast.deny("b");
    idle(1);
    assertThat(coast.publishes).hasSize(1);
    coast.exchanges.getLast().answer(List.of());
    idle(3);
    assertThat(regionStatistics.droppedDenials()).isZero();
    idle(1);
    assertThat(regionStatistics.droppedDenials()).isEqualTo(2);
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
    assertThat(regionStatistics.droppedCounts()).isZero();
    long answered = regionStatistics.answered();
    coast.publishes.getLast().answer(null);
    assertThat(regionStatistics.answered()).as("late").isEqualTo(answered);
    idle(1);
    assertThat(coast.publishes).hasSize(1);
  }

  @Test
  void lateFailureOfDenials_isNotCountedOnceMore() {
    coast.deny("a");
    idle(1);
    coast.exchanges.getLast().answer(List.of());
    idle(4);
    coast.publishes.getLast().fail();
    assertThat(regionStatistics.droppedDenials()).isEqualTo(1);
    assertThat(regionStatistics.failed()).isZero();
  }

  @Test
  void failedDenials_areDroppedAndCounted_andHaveTheDatabaseLeftAlone() {
    for (int failure = 1; failure <= DatabaseBreaker.FAILURES; failure++) {
      coast.deny("a" + failure);
      coast.deny("b" + failure);
      coast.stepAfter(SECOND);
      int wakes = coast.wakes;
      coast.publishes.getLast().fail();
      assertThat(coast.wakes).as("the next ones may go").isEqualTo(wakes + 1);
      assertThat(regionStatistics.failed()).isEqualTo(failure);
      assertThat(regionStatistics.droppedDenials()).isEqualTo(2L * failure);
    }
    coast.deny("c");
    coast.stepAfter(SECOND);
    assertThat(coast.publishes).hasSize(DatabaseBreaker.FAILURES);
    assertThat(regionStatistics.droppedDenials()).isEqualTo(2 * DatabaseBreaker.FAILURES + 1);
  }

  @Test
  void denialsThatFindNoPlace_areCounted() {
    for (int key = 0; key <= DenialOutbox.MOST; key++) {
      coast.deny("k" + key);
    }
    assertThat(regionStatistics.droppedDenials()).isEqualTo(1);
  }

  @Test
  void cellsThatCountNoMore_areNeverToldOf() {
    coast.spent("a", 100);
    coast.source.forget(Coast.id("a"));
    coast.stepAfter(0);
    assertThat(coast.exchanges.getLast().what()).containsExactly(Coast.count("a", CELL, 100));
    coast.exchanges.getLast().fail();
    coast.stepAfter(2 * MINUTE);
    coast.exchanges.getLast().answer(List.of());
    coast.stepAfter(5 * SECOND);
    assertThat(coast.exchanges.getLast().what()).isEmpty();
  }

  @Test
  void limitThatNobodyUses_isNotToldAgainOnceItsCellCountsNoMore() {
    coast.spent("a", 500);
    for (int each = 0; each < 60; each++) {
      coast.stepAfter(5 * SECOND);
      coast.exchanges.getLast().answer(List.of());
    }
    assertThat(coast.exchanges.stream().flatMap(each -> each.what().stream()))
        .containsExactly(Coast.count("a", CELL, 500));
  }
}
