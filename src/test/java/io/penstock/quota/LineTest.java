package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LineTest {
  private final Quota quota = new Quota("q", Charge.TOTAL, List.of());
  private final Line line = quota.line();
  private final List<String> woken = new ArrayList<>();

  private final class Lane implements Line.Waiter {
    final String name;
    final long order;
    int skips;
    int most = Integer.MAX_VALUE;
    boolean lacksMore;

    Lane(String name, long order) {
      this.name = name;
      this.order = order;
    }

    @Override
    public long headOrder() {
      return order;
    }

    @Override
    public boolean skippedEnough() {
      return skips >= most;
    }

    @Override
    public void skip() {
      skips++;
    }

    @Override
    public @Nullable Quota claim(long now) {
      return !lacksMore && line.claim(this, order) ? quota : null;
    }

    @Override
    public void wake() {
      woken.add(name);
    }
  }

  /** What a dispatcher does before it takes. */
  private boolean passes(Lane waiter, long order, long now) {
    line.ask(waiter, order, now);
    if (line.keptFrom(order)) {
      return false;
    }
    Set<Line.Waiter> skipped = new HashSet<>();
    line.skipped(waiter, order, skipped);
    skipped.forEach(Line.Waiter::skip);
    return true;
  }

  @Test
  void laterTakes_skipEarlierOnesAndOnlyThose() {
    Lane early = new Lane("early", 1);
    Lane late = new Lane("late", 9);
    Lane taker = new Lane("taker", 5);
    line.join(early);
    line.join(late);
    line.join(taker);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(early.skips).isEqualTo(1);
    assertThat(late.skips).isZero();
    assertThat(taker.skips).isZero();
  }

  @Test
  void skippedEnough_claimsInsteadOfBeingSkippedOnceMore() {
    Lane early = new Lane("early", 1);
    early.most = 2;
    Lane taker = new Lane("taker", 5);
    line.join(early);
    assertThat(passes(taker, 5, 0)).isTrue();
    assertThat(passes(taker, 6, 0)).isTrue();
    assertThat(passes(taker, 7, 0)).isFalse();
    assertThat(early.skips).isEqualTo(2);
    assertThat(line.keptFor(early)).isEqualTo(1);
    assertThat(line.keptFrom(7)).isTrue();
    assertThat(line.keptFrom(1)).isFalse();
    assertThat(woken).containsExactly("early");
  }

  @Test
  void skippedEnoughButLackingMore_doesNotHoldOthersUp() {
    Lane early = new Lane("early", 1);
    early.most = 0;
    early.lacksMore = true;
    line.join(early);
    assertThat(passes(new Lane("taker", 5), 5, 0)).isTrue();
    assertThat(line.kept()).isFalse();
  }

  @Test
  void oneClaimALimit_theFirstStands() {
    Lane first = new Lane("first", 1);
    Lane second = new Lane("second", 2);
    assertThat(line.claim(first, 1)).isTrue();
    assertThat(line.claim(second, 2)).isFalse();
    assertThat(line.claim(first, 1)).isTrue();
    line.release(2);
    assertThat(line.kept()).isTrue();
    line.release(1);
    assertThat(line.kept()).isFalse();
    assertThat(line.claim(second, 2)).isTrue();
    assertThat(line.keptFor(second)).isEqualTo(2);
    assertThat(line.keptFor(first)).isEqualTo(Line.NOBODY);
  }

  @Test
  void claimEnds_wakesTheOldestFirst() {
    line.join(new Lane("c", 30));
    line.join(new Lane("a", 10));
    line.join(new Lane("empty", Long.MAX_VALUE));
    line.join(new Lane("b", 20));
    line.claim(new Lane("x", 5), 5);
    line.release(5);
    assertThat(woken).containsExactly("a", "b", "c", "empty");
  }

  @Test
  void left_isNeitherSkippedNorWoken() {
    Lane gone = new Lane("gone", 1);
    line.join(gone);
    line.leave(gone);
    passes(new Lane("taker", 5), 5, 0);
    line.wake();
    assertThat(gone.skips).isZero();
    assertThat(woken).isEmpty();
  }

  @Test
  void changedQuota_wakesWhoWait() {
    line.join(new Lane("a", 1));
    quota.change(Charge.OPENAI, List.of());
    assertThat(woken).containsExactly("a");
  }
}
