package io.penstock.sync;

import static io.penstock.sync.World.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.quota.Supply;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RecoveryTest {
  private static final long TTL = World.TTL;
  private static final long LOST = 100 * SECOND;
  private static final Cells CELLS =
      Objects.requireNonNull(Cells.of(new LimitSpec.FixedWindow(10, 10 * SECOND)));

  private final Recovery learning = new Recovery(TTL);

  private void lose() {
    learning.lost(Map.of("other", LOST - SECOND), LOST, Long.MAX_VALUE, 0);
  }

  private void see(long heard, long whole) {
    long clock = heard + SECOND;
    Supply.Member other =
        new Supply.Member("other", clock - heard, whole == Long.MAX_VALUE ? whole : clock - whole);
    learning.see(other, clock);
  }

  @Test
  void nothingWasLost_lastsAsLongAsSlices() {
    assertThat(learning.lasts(0)).isFalse();
    learning.begin(0);
    assertThat(learning.lasts(TTL - 1)).isTrue();
    assertThat(learning.lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(Supply.Ask.NONE);
  }

  @Test
  void otherSaidAllAfterItWasTold_nothingIsBarred() {
    lose();
    learning.told(LOST);
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    assertThat(learning.lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(Supply.Ask.NONE);
  }

  @Test
  void otherIsHeardBeforeItWasTold_doesNotCount() {
    lose();
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    learning.told(LOST + 2);
    assertThat(learning.lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void otherHasMoreToSay_isWaitedForAndThenWhatItSpentIsBarred() {
    lose();
    learning.told(LOST);
    see(LOST + 1, LOST - SECOND);
    see(LOST + 2, LOST - SECOND);
    see(LOST + 3, LOST + 1);
    assertThat(learning.lasts(TTL)).isTrue();
    assertThat(learning.lasts(2 * TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void otherSaysTheRestLater_endsThen() {
    lose();
    learning.told(LOST);
    see(LOST + 1, Long.MAX_VALUE);
    assertThat(learning.lasts(TTL)).isTrue();
    see(LOST + TTL, LOST + TTL);
    assertThat(learning.lasts(TTL + 1)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(Supply.Ask.NONE);
  }

  @Test
  void otherIsNewsToWhoJoins_andIsHeardLateOnly_isWaitedForAndBarred() {
    learning.lost(Map.of(), LOST, LOST, 0);
    see(LOST + 1, Long.MAX_VALUE); // on its way since before the loss, while it died
    assertThat(learning.lasts(TTL)).isTrue();
    assertThat(learning.lasts(2 * TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void anotherLossWithAnOlderRecord_doesNotForgetWhenOthersWereHeard() {
    lose();
    learning.lost(Map.of("other", LOST - 20 * SECOND), LOST + 1, Long.MAX_VALUE, 1);
    assertThat(learning.lasts(TTL + 1)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + 1 + TTL) / (10 * SECOND));
  }

  @Test
  void otherThatSomebodyElseMisses_isWaitedForToo() {
    lose();
    learning.told(LOST);
    learning.expect("third", LOST - SECOND);
    assertThat(learning.missed())
        .containsExactlyInAnyOrder(
            new Supply.Missed("other", LOST - SECOND), new Supply.Missed("third", LOST - SECOND));
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    assertThat(learning.missed()).containsExactly(new Supply.Missed("third", LOST - SECOND));
    assertThat(learning.lasts(TTL)).isFalse();
    assertThat(learning.missed()).isEmpty();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void whoComesAfterTheLoss_isNotWaitedFor() {
    learning.lost(Map.of(), LOST, LOST, 0);
    learning.expect("joiner", LOST + 1);
    assertThat(learning.missed()).isEmpty();
    assertThat(learning.lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(Supply.Ask.NONE);
  }
}
