package io.penstock.limit;

import static io.penstock.limit.Slices.SECOND;
import static io.penstock.limit.Slices.fixed;
import static io.penstock.limit.Slices.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of limits that grant nothing because the record of spending may have been lost. */
class LimitSharingTest {
  private static final long NOW = 4 * SECOND;
  private static final long UNTIL = 9 * SECOND;
  private static final StoreReport BARRED =
      new StoreReport(80, 20, 0, UNTIL, true, Long.MAX_VALUE, Long.MIN_VALUE);

  private final Limit limit = fixed(30);

  private void hear(StoreReport storeReport) {
    limit.sharing().addSlices(List.of(), storeReport, any -> CellGrid.Span.NEVER);
  }

  @Test
  void barred_barsWhatItHasNotUsedUpItself_untilThatIsOver() {
    assertThat(limit.sharing().isBarred(1, NOW)).isFalse();
    taken(limit, 30, NOW);
    hear(BARRED);
    assertThat(limit.sharing().isBarred(70, NOW)).isTrue();
    assertThat(limit.sharing().isBarred(71, NOW)).as("it used that up itself").isFalse();
    assertThat(limit.sharing().isBarred(70, UNTIL - 1)).isTrue();
    assertThat(limit.sharing().isBarred(70, UNTIL)).isFalse();
  }

  @Test
  void moreThanTheWholeLimit_isBarredAsTheWholeLimitIs() {
    hear(BARRED);
    assertThat(limit.sharing().isBarred(1_000, NOW)).isTrue();
    limit.charge(21, 0, NOW);
    assertThat(limit.sharing().isBarred(1_000, NOW)).isFalse();
  }

  @Test
  void deniedAlone_isNotBarred() {
    hear(new StoreReport(80, 20, 0, UNTIL));
    assertThat(limit.sharing().isBarred(20, NOW)).isFalse();
  }

  @Test
  void barredWhileItIsCutOff_isBarred() {
    hear(BARRED);
    limit
        .sharing()
        .cutOff(new OutageCap.Shut(Refusal.of(RefusalReason.LIMIT_UNAVAILABLE, "away")), 0);
    assertThat(limit.sharing().isBarred(20, NOW)).isTrue();
  }

  @Test
  void sharedNoMore_isNotBarred() {
    hear(BARRED);
    limit.sharing().unshare(NOW);
    assertThat(limit.sharing().isBarred(20, NOW)).isFalse();
  }
}
