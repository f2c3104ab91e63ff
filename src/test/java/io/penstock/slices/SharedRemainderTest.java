package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitRemainder;
import io.penstock.limit.LimitSpec;
import org.junit.jupiter.api.Test;

/** Tests what members report as left of a limit that they share exactly. */
class SharedRemainderTest {
  private static final LimitSpec DAY = new LimitSpec.Day(1_000, null, 0);

  private static SliceWorld fleet(int members) {
    SliceWorld sliceWorld = new SliceWorld(members, DAY);
    for (int each = 0; each < members; each++) {
      sliceWorld.join();
    }
    sliceWorld.run(START + 3 * SECOND);
    return sliceWorld;
  }

  private static LimitRemainder left(SliceNode sliceNode) {
    return sliceNode.limit().left(sliceNode.local());
  }

  /** Returns the time until the whole limit is left again, as a member reports it. */
  private static long fullIn(SliceNode sliceNode) {
    return left(sliceNode).fullNanos() - sliceNode.local();
  }

  private static void spend(SliceWorld sliceWorld, SliceNode sliceNode, long amount) {
    sliceNode.arrive(amount);
    sliceWorld.run(sliceWorld.now() + SECOND);
    assertThat(sliceNode.waits()).isZero();
  }

  @Test
  void nothingSpentYet_allIsLeft() {
    SliceWorld sliceWorld = fleet(2);
    assertThat(sliceWorld.nodes).allMatch(sliceNode -> left(sliceNode).amount() == 1_000);
  }

  @Test
  void twoOfAThousandSpent_theRestIsLeft() {
    SliceWorld sliceWorld = fleet(1);
    SliceNode sliceNode = sliceWorld.nodes.getFirst();
    spend(sliceWorld, sliceNode, 1);
    spend(sliceWorld, sliceNode, 1);
    assertThat(left(sliceNode).amount()).isEqualTo(998);
    assertThat(fullIn(sliceNode)).isBetween(LimitSpec.Day.NANOS - 5 * SECOND, LimitSpec.Day.NANOS);
  }

  @Test
  void spentElsewhere_isSeenWithTheNextGrant() {
    SliceWorld sliceWorld = fleet(2);
    SliceNode here = sliceWorld.nodes.getFirst();
    SliceNode there = sliceWorld.nodes.getLast();
    spend(sliceWorld, there, 600);
    spend(sliceWorld, here, 1);
    // for half a minute, the other member has up to twice the limit ÷ 4 ÷ members in slices
    assertThat(left(here).amount()).isBetween(399L - 250, 399L);
    sliceWorld.run(sliceWorld.now() + 40 * SECOND);
    spend(sliceWorld, here, 1);
    assertThat(left(here).amount()).isEqualTo(398);
  }

  @Test
  void allSpentElsewhere_nothingIsLeftUntilTheDayEnds() {
    SliceWorld sliceWorld = fleet(2);
    SliceNode here = sliceWorld.nodes.getFirst();
    spend(sliceWorld, sliceWorld.nodes.getLast(), 1_000);
    here.arrive(1);
    sliceWorld.run(sliceWorld.now() + SECOND);
    assertThat(here.waits()).isEqualTo(1);
    assertThat(left(here).amount()).isZero();
    assertThat(fullIn(here)).isBetween(LimitSpec.Day.NANOS - 5 * SECOND, LimitSpec.Day.NANOS);
  }
}
