package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.List;

/** Shared limits, and slices of them. */
final class Slices {
  static final long SECOND = 1_000_000_000L;
  static final long WINDOW = 10 * SECOND;
  static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, WINDOW);
  static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(100, 6 * WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);

  /** Windows of ten seconds; the one with number 7 begins three seconds after the origin. */
  static final CellGrid GRID = new CellGrid(7, 3 * SECOND, WINDOW);

  static final StoreReport HEARD = new StoreReport(1_000, Long.MAX_VALUE, 0, 0);

  private Slices() {}

  static Limit shared(LimitSpec spec, long now) {
    Limit limit = new Limit(spec, now);
    limit.sharing().share(new SliceDemand(() -> {}), now);
    return limit;
  }

  /** Returns a fixed window on the grid, with {@code granted} in cell 7. */
  static Limit fixed(long granted) {
    Limit limit = shared(FIXED, 3 * SECOND);
    report(limit, 7, 4 * SECOND);
    grant(limit, 7, granted, 3 * SECOND, 3 * SECOND + WINDOW);
    return limit;
  }

  static void grant(Limit limit, long cell, long amount, long from, long until) {
    hear(limit, cell, amount, HEARD, from, until);
  }

  static void hear(
      Limit limit, long cell, long amount, StoreReport storeReport, long from, long until) {
    limit
        .sharing()
        .addSlices(
            List.of(new CellAmount(cell, amount)),
            storeReport,
            any -> new CellGrid.Span(from, until));
  }

  /**
   * Returns the report of the cells from the running one on, with slices granted until {@code to}.
   */
  static SpendingReport report(Limit limit, long to, long now) {
    return limit.sharing().spendingReport(GRID, GRID.cellAt(now), to, 1_000, now);
  }

  static LimitAnswer.Receipt taken(Limit limit, Weight weight, long now) {
    LimitAnswer answer = limit.take(weight, now);
    assertThat(answer).isInstanceOf(LimitAnswer.Receipt.class);
    return (LimitAnswer.Receipt) answer;
  }

  static LimitAnswer.Receipt taken(Limit limit, long amount, long now) {
    return taken(limit, Weight.exactly(amount), now);
  }
}
