package io.penstock.limit;

import static io.penstock.limit.Slices.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of limits that are shared in slices while this instance spends its share of them. */
class OutageShareTest {
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 5 * WINDOW;
  private static final OutageCap SHARE = new OutageCap.Share(4);

  private static Limit cutOff(LimitSpec spec, long now) {
    Limit limit = new Limit(spec, now);
    limit.sharing().share(new SliceDemand(() -> {}), now);
    limit.sharing().cutOff(SHARE, now);
    return limit;
  }

  private static boolean takes(Limit limit, long amount, long now) {
    return limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt;
  }

  @Test
  void window_passesAShareInEach() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    assertThat(limit.room(NOW)).isEqualTo(25);
    assertThat(takes(limit, 26, NOW)).isFalse();
    assertThat(limit.roomFreeAt(26, NOW)).as("more than a share").isEqualTo(Ticker.NEVER);
    assertThat(takes(limit, 25, NOW)).isTrue();
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.roomFreeAt(25, NOW)).isEqualTo(NOW + WINDOW);
    assertThat(takes(limit, 25, NOW + WINDOW)).isTrue();
    assertThat(limit.capacity(NOW)).as("of all").isEqualTo(100);
    limit.sharing().rejoin();
    assertThat(limit.room(NOW + WINDOW)).as("nothing is granted").isZero();
  }

  @Test
  void windowThatRuns_countsWhatWasTakenBefore() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    limit.sharing().share(new SliceDemand(() -> {}), NOW);
    limit.charge(20, 0, NOW);
    limit.sharing().cutOff(SHARE, NOW);
    assertThat(limit.room(NOW)).isEqualTo(5);
  }

  @Test
  void receipt_isGivenBackToTheShare() {
    for (LimitSpec spec :
        List.of(
            new LimitSpec.FixedWindow(100, WINDOW),
            new LimitSpec.TrailingWindow(100, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED),
            new LimitSpec.SlidingWindow(100, WINDOW),
            new LimitSpec.TokenBucket(new ExactRate(100, 60), 100),
            new LimitSpec.Concurrency(100),
            new LimitSpec.Day(100, null, 0))) {
      Limit limit = cutOff(spec, NOW);
      LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(20), NOW);
      assertThat(limit.room(NOW)).as("%s", spec).isEqualTo(5);
      limit.giveBack(receipt, 20, 0, NOW);
      assertThat(limit.room(NOW)).as("%s", spec).isEqualTo(25);
    }
  }

  @Test
  void slots_comeFourTimesAsSlowly_andOneThatIsGivenBackIsUsedAgain() {
    Limit limit = cutOff(new LimitSpec.Strict(new ExactRate(10, 1), 0), NOW);
    long first = NOW + 4 * SECOND / 10;
    assertThat(limit.admittedAt(1, NOW)).as("one may just have been used").isEqualTo(first);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(1), first);
    assertThat(limit.admittedAt(1, first)).isEqualTo(first + 4 * SECOND / 10);
    limit.giveBack(receipt, 1, 0, first);
    assertThat(limit.admittedAt(1, first)).isEqualTo(first);
  }

  @Test
  void overrun_isPaidByTheShare() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    limit.charge(60, 0, NOW);
    assertThat(limit.room(NOW + WINDOW)).isZero();
    assertThat(limit.room(NOW + 2 * WINDOW)).isEqualTo(15);
  }

  @Test
  void limitTooSmallToDivide_passesNothing() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(3, WINDOW), NOW);
    assertThat(limit.room(NOW)).isZero();
    assertThat(limit.roomFreeAt(1, NOW)).isEqualTo(Ticker.NEVER);
    assertThat(limit.sharing().refusal()).as("it waits for contact").isNull();
  }

  @Test
  void changedLimit_hasAShareOfItsNewSize() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    assertThat(takes(limit, 25, NOW)).isTrue();
    limit.resize(new LimitSpec.FixedWindow(200, WINDOW), NOW);
    assertThat(limit.room(NOW)).isEqualTo(25);
    limit.resize(new LimitSpec.Concurrency(40), NOW);
    assertThat(limit.room(NOW)).isEqualTo(10);
  }

  @Test
  void sameShareAgain_keepsWhatWasTaken_andAnotherDivisionToo() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    assertThat(takes(limit, 25, NOW)).isTrue();
    limit.sharing().cutOff(new OutageCap.Share(4), NOW);
    assertThat(limit.room(NOW)).isZero();
    limit.sharing().cutOff(new OutageCap.Share(2), NOW);
    assertThat(limit.room(NOW)).isEqualTo(25);
  }

  @Test
  void spendingOfTheShare_isReportedAfterTheOutage() {
    Limit limit = cutOff(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    CellGrid grid = new CellGrid(7, NOW, WINDOW);
    limit.sharing().spendingReport(grid, 7, 7, 0, NOW);
    assertThat(takes(limit, 20, NOW + 1)).isTrue();
    limit.sharing().rejoin();
    SpendingReport report = limit.sharing().spendingReport(grid, 7, 7, 0, NOW + 2);
    assertThat(report.counted()).containsExactly(new CellAmount(7, 20));
  }

  @Test
  void gridThatStepsBackOverTheEndOfAWindow_forgetsNothing() {
    for (LimitSpec spec :
        List.of(new LimitSpec.FixedWindow(100, WINDOW), new LimitSpec.Day(100, null, 0))) {
      long length = spec instanceof LimitSpec.Day ? LimitSpec.Day.NANOS : WINDOW;
      Limit limit = cutOff(spec, NOW);
      limit.sharing().spendingReport(new CellGrid(7, NOW, length), 7, 7, 0, NOW);
      assertThat(takes(limit, 25, NOW)).isTrue();
      long end = NOW + length;
      CellGrid later = new CellGrid(7, NOW + SECOND, length);
      limit.sharing().spendingReport(later, 7, 7, 0, end - 1);
      assertThat(limit.room(end)).as("%s has not ended", spec).isZero();
      limit.sharing().spendingReport(new CellGrid(7, NOW, length), 7, 7, 0, end);
      assertThat(takes(limit, 25, end)).as("%s", spec).isTrue();
      limit.sharing().spendingReport(later, 7, 7, 0, end);
      assertThat(limit.room(end)).as("%s", spec).isZero();
      assertThat(limit.room(end + SECOND)).as("%s", spec).isZero();
      assertThat(limit.room(end + length / 2)).as("%s", spec).isZero();
    }
  }
}
