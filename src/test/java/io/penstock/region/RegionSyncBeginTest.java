package io.penstock.region;

import static io.penstock.region.Coast.CELL;
import static io.penstock.region.Coast.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.Limit;
import io.penstock.sharing.DenialStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests how a region starts, with the counts it published before, and what it publishes at its end.
 */
class RegionSyncBeginTest {
  private final Coast coast = new Coast();
  private final RegionStatistics regionStatistics = coast.ledger();

  @Test
  void ownCounts_areAskedForFirst_andOthersAtOnceWhenTheyAreThere() {
    coast.stepAfter(0);
    assertThat(coast.recalls).hasSize(1);
    assertThat(coast.exchanges).isEmpty();
    coast.ticker.advance(500);
    coast.recalls.getLast().answer(List.of());
    assertThat(coast.wakes).isEqualTo(1);
    assertThat(regionStatistics.answered()).isEqualTo(1);
    assertThat(regionStatistics.answeredNanos()).isEqualTo(500);
    coast.stepAfter(0);
    assertThat(coast.exchanges).hasSize(1);
    assertThat(coast.recalls).hasSize(1);
  }

  @Test
  void ownCountsThatCannotBeRead_areAskedForAgain_beforeAnythingIsTold() {
    coast.stepAfter(0);
    coast.looks.getLast().answer(new DenialStore.Page(List.of(), 1));
    coast.recalls.getLast().fail();
    assertThat(regionStatistics.failed()).isEqualTo(1);
    coast.stepAfter(5 * SECOND - 1);
    assertThat(coast.recalls).hasSize(1);
    coast.stepAfter(1);
    assertThat(coast.recalls).hasSize(2);
    assertThat(coast.exchanges).isEmpty();
  }

  @Test
  void lateFailureOfOwnCounts_isNotCountedOnceMore() {
    coast.stepAfter(0);
    coast.looks.getLast().answer(new DenialStore.Page(List.of(), 1));
    coast.stepAfter(4 * SECOND);
    coast.recalls.getLast().fail();
    assertThat(regionStatistics.failed()).isZero();
    assertThat(regionStatistics.timedOut()).isEqualTo(1);
  }

  @Test
  void ownCountsThatComeLate_areBelieved_andTheNextIsDoneInItsTime() {
    Limit limit = coast.limit("a");
    coast.stepAfter(0);
    coast.looks.getLast().answer(new DenialStore.Page(List.of(), 1));
    coast.stepAfter(4 * SECOND);
    long answered = regionStatistics.answered();
    coast.recalls.getLast().answer(List.of(Coast.count("a", CELL, 200)));
    assertThat(regionStatistics.answered()).isEqualTo(answered);
    coast.stepAfter(0);
    assertThat(coast.exchanges).isEmpty();
    coast.stepAfter(SECOND);
    assertThat(coast.recalls).hasSize(1);
    coast.exchanges.getLast().answer(List.of(Coast.count("a", CELL, 1)));
    assertThat(coast.room(limit)).isEqualTo(799);
  }

  @Test
  void end_tellsAllThatWasCounted_howeverLittle() {
    Coast settled = Coast.settled();
    settled.spent("a", 1);
    settled.stepAfter(0);
    settled.exchanges.getLast().answer(List.of());
    assertThat(settled.exchanges).hasSize(1);
    assertThat(settled.frontier.last())
        .as("waits for the answer")
        .isSameAs(settled.exchanges.getLast().answer());
    assertThat(settled.exchanges.getLast().what()).containsExactly(Coast.count("a", CELL, 1));
  }

  @Test
  void end_tellsNothing_whereNothingIsNew() {
    Coast settled = Coast.settled();
    assertThat(settled.frontier.last()).isNotNull().isCompleted();
    assertThat(settled.exchanges).isEmpty();
  }

  @Test
  void end_tellsNothing_beforeOwnCountsAreKnown() {
    coast.spent("a", 100);
    assertThat(coast.frontier.last()).isCompleted();
    assertThat(coast.exchanges).isEmpty();
  }

  @Test
  void end_leavesASickDatabaseAlone() {
    Coast settled = Coast.settled();
    settled.spent("a", 100);
    for (int failure = 1; failure <= DatabaseBreaker.FAILURES; failure++) {
      settled.stepAfter(failure == 1 ? 0 : 5 * SECOND);
      settled.exchanges.getLast().fail();
    }
    assertThat(settled.frontier.last()).isCompleted();
    assertThat(settled.exchanges).hasSize(DatabaseBreaker.FAILURES);
  }

  @Test
  void denialOfTheFirstCellOfTheClock_isTold() {
    Coast first = new Coast(0);
    first.stepAfter(0);
    first.deny("a");
    first.stepAfter(SECOND);
    assertThat(first.publishes.getLast().what())
        .containsExactly(new DenialStore.Denial("key-tpm", "a", 60_000, 0, 1_000));
  }

  @Test
  void denialOfAClockBeforeAllCells_isToldNobody() {
    Coast early = new Coast(-60_000);
    early.stepAfter(0);
    early.deny("a");
    early.stepAfter(SECOND);
    assertThat(early.publishes).isEmpty();
    assertThat(early.ledger().droppedDenials()).isZero();
  }
}
