package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BodyBudgetTest {
  private final BodyBudget budget = new BodyBudget(100);
  private final List<String> resumed = new ArrayList<>();

  private Runnable resume(String name) {
    return () -> resumed.add(name);
  }

  private BodyBudget.Claim reading(String name, long bytes) {
    BodyBudget.Claim claim = budget.claim();
    assertThat(claim.mayRead(resume(name))).as(name).isTrue();
    claim.add(bytes);
    return claim;
  }

  private BodyBudget.Claim complete(String name, long bytes) {
    BodyBudget.Claim claim = reading(name, bytes);
    claim.complete();
    return claim;
  }

  @Test
  void budgetOfNothing_isRefused() {
    assertThatThrownBy(() -> new BodyBudget(0)).hasMessageContaining("at least 1");
  }

  @Test
  void lastByteOfTheBudget_isReadAndNoMore() {
    complete("a", 99);
    BodyBudget.Claim b = budget.claim();
    assertThat(b.mayRead(resume("b"))).isTrue();
    b.add(1);
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(budget.heldBytes()).isEqualTo(100);
  }

  @Test
  void roomThatComesBack_letsAllGoOnInOrder() {
    BodyBudget.Claim a = complete("a", 100);
    BodyBudget.Claim b = budget.claim();
    BodyBudget.Claim c = budget.claim();
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(c.mayRead(resume("c"))).isFalse();
    a.release();
    assertThat(resumed).containsExactly("b", "c");
    assertThat(b.mayRead(resume("b"))).isTrue();
  }

  @Test
  void halfReadBodiesThatHoldEverything_letTheOldestGoOn() {
    BodyBudget.Claim a = reading("a", 60);
    BodyBudget.Claim b = reading("b", 60);
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(a.mayRead(resume("a"))).isTrue();
    a.add(60);
    assertThat(a.mayRead(resume("a"))).isTrue();
    a.complete();
    // now a complete body holds some of it, and will give that back by itself
    assertThat(resumed).isEmpty();
    a.release();
    assertThat(resumed).containsExactly("b");
  }

  @Test
  void completeBodiesThatHoldEverything_letNobodyGoOn() {
    BodyBudget.Claim a = complete("a", 100);
    BodyBudget.Claim b = budget.claim();
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(resumed).isEmpty();
    a.release();
    assertThat(resumed).containsExactly("b");
  }

  @Test
  void oldestThatGoesAway_letsTheNextGoOn() {
    BodyBudget.Claim a = reading("a", 50);
    BodyBudget.Claim b = reading("b", 80);
    BodyBudget.Claim c = budget.claim();
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(c.mayRead(resume("c"))).isFalse();
    a.release();
    assertThat(resumed).containsExactly("b", "c");
    assertThat(budget.heldBytes()).isEqualTo(80);
  }

  @Test
  void oldestThatGoesAwayWithNothing_letsOnlyTheNextGoOn() {
    BodyBudget.Claim a = reading("a", 0);
    BodyBudget.Claim b = reading("b", 100);
    BodyBudget.Claim c = budget.claim();
    assertThat(b.mayRead(resume("b"))).isFalse();
    assertThat(c.mayRead(resume("c"))).isFalse();
    a.release();
    assertThat(resumed).containsExactly("b");
  }

  @Test
  void claimReleasedTwice_givesBackOnce() {
    BodyBudget.Claim a = complete("a", 70);
    complete("b", 10);
    a.release();
    a.release();
    a.add(5);
    a.complete();
    assertThat(budget.heldBytes()).isEqualTo(10);
    assertThat(a.mayRead(resume("a"))).isFalse();
  }

  @Test
  void claimThatWaitsAndLeaves_isNotResumed() {
    BodyBudget.Claim a = complete("a", 100);
    BodyBudget.Claim b = budget.claim();
    assertThat(b.mayRead(resume("b"))).isFalse();
    b.release();
    a.release();
    assertThat(resumed).isEmpty();
  }

  /** Bodies larger than the budget, any order: everyone ends, and the bound holds all the while. */
  @Test
  void manyBodiesInAnyOrder_allComeToTheirEnd() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int pieces = 12;
    int piece = 10;
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      readers.add(new Reader(pieces, piece));
    }
    int steps = 0;
    while (readers.stream().anyMatch(reader -> !reader.done)) {
      readers.get(random.nextInt(readers.size())).step(random);
      assertThat(budget.heldBytes()).as("seed %d", seed).isLessThan(100L + (pieces + 1L) * piece);
      assertThat(++steps).as("steps, seed %d", seed).isLessThan(1_000_000);
    }
    assertThat(budget.heldBytes()).as("seed %d", seed).isZero();
  }

  /** Reads a body piece by piece, keeps it for a while, and lets it go. */
  private final class Reader {
    private final BodyBudget.Claim claim = budget.claim();
    private final int piece;
    private int left;
    private boolean waits;
    private boolean done;

    Reader(int pieces, int piece) {
      this.left = pieces;
      this.piece = piece;
    }

    void step(Random random) {
      if (done || waits) {
        return;
      }
      if (left == 0) {
        if (random.nextInt(5) == 0) {
          claim.release();
          done = true;
        }
        return;
      }
      if (!claim.mayRead(() -> waits = false)) {
        waits = true;
        return;
      }
      claim.add(piece);
      left--;
      if (left == 0) {
        claim.complete();
      }
    }
  }
}
