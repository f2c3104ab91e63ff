package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class CellGridTest {
  private static final long SECOND = LimitContract.SECOND;
  private static final long HOUR = 3_600 * SECOND;
  private static final CellGrid MINUTES = new CellGrid(7, 0, 60 * SECOND);
  private static final LimitSpec.FixedWindow FIXED = new LimitSpec.FixedWindow(9, 60 * SECOND);
  private static final LimitSpec.Day DAY = new LimitSpec.Day(9, null, 0);

  @Test
  void cells_runUntilTheNextBegins() {
    assertThat(MINUTES.cellAt(60 * SECOND - 1)).isEqualTo(7);
    assertThat(MINUTES.cellAt(60 * SECOND)).isEqualTo(8);
    assertThat(MINUTES.cellAt(-1)).isEqualTo(6);
  }

  @Test
  void nobodyKnowsTheNextCell_noneRunsAfterThisOne() {
    CellGrid alone = new CellGrid(7, 0, 60 * SECOND, 0);
    assertThat(alone.cellAt(0)).isEqualTo(7);
    assertThat(alone.cellAt(60 * SECOND - 1)).isEqualTo(7);
    assertThat(alone.cellAt(60 * SECOND)).isEqualTo(CellGrid.NONE);
  }

  @Test
  void windowThatBegins_beginsWithItsCell() {
    LocalState idle = new FixedWindowState(FIXED, 60 * SECOND, 0, 0, 0);
    LocalState begun = new FixedWindowState(FIXED, 70 * SECOND, 5, 0, 1);
    assertThat(MINUTES.begun(idle, begun, 70 * SECOND))
        .isEqualTo(new FixedWindowState(FIXED, 60 * SECOND, 5, 0, 1));
    assertThat(CellGrid.none(0).begun(idle, begun, 70 * SECOND)).isSameAs(begun);
    LocalState running = new FixedWindowState(FIXED, 70 * SECOND, 4, 0, 1);
    assertThat(MINUTES.begun(running, begun, 70 * SECOND)).isSameAs(begun);
  }

  @Test
  void dayThatBegins_endsWithItsCell() {
    LocalState idle = new DayState(DAY, 120 * SECOND, 0, 0);
    LocalState begun = new DayState(DAY, 70 * SECOND, 5, 1);
    assertThat(MINUTES.begun(idle, begun, 70 * SECOND))
        .isEqualTo(new DayState(DAY, 120 * SECOND, 5, 1));
    assertThat(CellGrid.none(0).begun(idle, begun, 70 * SECOND)).isSameAs(begun);
    LocalState running = new DayState(DAY, 120 * SECOND, 4, 1);
    assertThat(MINUTES.begun(running, begun, 70 * SECOND)).isSameAs(begun);
  }

  @Test
  void daysThatBeginAtOtherTimes_beginNowAndSameOnesGoOn() {
    LocalState day = new DayState(DAY, HOUR, 5, 1);
    LimitSpec.Day larger = new LimitSpec.Day(20, null, 0);
    assertThat(CellGrid.become(day, larger, 0)).isEqualTo(new DayState(larger, HOUR, 5, 1));
    LimitSpec.Day calendar = new LimitSpec.Day(20, new ZoneMidnights(ZoneOffset.UTC, () -> 0), 0);
    assertThat(CellGrid.become(day, calendar, 0))
        .isEqualTo(new DayState(calendar, 24 * HOUR, 5, 1));
    assertThat(CellGrid.become(day, FIXED, 0)).isEqualTo(new FixedWindowState(FIXED, 0, 5, 0, 1));
  }
}
