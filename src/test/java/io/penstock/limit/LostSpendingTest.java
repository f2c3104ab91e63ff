package io.penstock.limit;

import static io.penstock.limit.Slices.SECOND;
import static io.penstock.limit.Slices.fixed;
import static io.penstock.limit.Slices.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of limits that grant nothing because the record of spending may have been lost. */
class LostSpendingTest {
  private static final long NOW = 4 * SECOND;
  private static final long UNTIL = 9 * SECOND;
  private static final Supplied BARRED =
      new Supplied(80, 20, 0, UNTIL, true, Long.MAX_VALUE, Long.MIN_VALUE);

  private final Limit limit = fixed(30);

  private void hear(Supplied supplied) {
    limit.granted(List.of(), supplied, any -> Grid.Span.NEVER);
  }

  @Test
  void barred_barsWhatItHasNotUsedUpItself_untilThatIsOver() {
    assertThat(LostSpending.bars(limit, 1, NOW)).isFalse();
    taken(limit, 30, NOW);
    hear(BARRED);
    assertThat(LostSpending.bars(limit, 70, NOW)).isTrue();
    assertThat(LostSpending.bars(limit, 71, NOW)).as("it used that up itself").isFalse();
    assertThat(LostSpending.bars(limit, 70, UNTIL - 1)).isTrue();
    assertThat(LostSpending.bars(limit, 70, UNTIL)).isFalse();
  }

  @Test
  void moreThanTheWholeLimit_isBarredAsTheWholeLimitIs() {
    hear(BARRED);
    assertThat(LostSpending.bars(limit, 1_000, NOW)).isTrue();
    limit.charge(21, 0, NOW);
    assertThat(LostSpending.bars(limit, 1_000, NOW)).isFalse();
  }

  @Test
  void deniedAlone_isNotBarred() {
    hear(new Supplied(80, 20, 0, UNTIL));
    assertThat(LostSpending.bars(limit, 20, NOW)).isFalse();
  }

  @Test
  void barredWhileItIsCutOff_isBarred() {
    hear(BARRED);
    limit.cutOff(new Cut.Shut(Refusal.of(Reason.LIMIT_UNAVAILABLE, "away")));
    assertThat(LostSpending.bars(limit, 20, NOW)).isTrue();
  }

  @Test
  void sharedNoMore_isNotBarred() {
    hear(BARRED);
    limit.unshare(NOW);
    assertThat(LostSpending.bars(limit, 20, NOW)).isFalse();
  }

  @Test
  void heardOfNobody_nothingIsDeniedNorBarred() {
    Supplied heard = new Supplied(80, 20, 0, UNTIL, true, 45, UNTIL);
    Supplied alone = heard.alone(NOW);
    assertThat(alone.bars(NOW)).isFalse();
    assertThat(alone.denies(Long.MAX_VALUE - 1, NOW)).isFalse();
    assertThat(alone).isEqualTo(new Supplied(80, Long.MAX_VALUE, NOW, 0, false, 45, UNTIL));
    assertThat(alone.tells(NOW)).isTrue();
  }
}
