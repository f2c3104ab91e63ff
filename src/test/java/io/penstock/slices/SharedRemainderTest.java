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
    SliceWorld world = new SliceWorld(members, DAY);
    for (int each = 0; each < members; each++) {
      world.join();
    }
    world.run(START + 3 * SECOND);
    return world;
  }

  private static LimitRemainder left(SliceNode node) {
    return node.limit().remainder(node.local());
  }

  /** Returns the time until the whole limit is left again, as a member reports it. */
  private static long fullIn(SliceNode node) {
    return left(node).fullNanos() - node.local();
  }

  private static void spend(SliceWorld world, SliceNode node, long amount) {
    node.arrive(amount);
    world.run(world.now() + SECOND);
    assertThat(node.waits()).isZero();
  }

  @Test
  void nothingSpentYet_allIsLeft() {
    SliceWorld world = fleet(2);
    assertThat(world.nodes).allMatch(node -> left(node).amount() == 1_000);
  }

  @Test
  void twoOfAThousandSpent_theRestIsLeft() {
    SliceWorld world = fleet(1);
    SliceNode node = world.nodes.getFirst();
    spend(world, node, 1);
    spend(world, node, 1);
    assertThat(left(node).amount()).isEqualTo(998);
    assertThat(fullIn(node)).isBetween(LimitSpec.Day.NANOS - 5 * SECOND, LimitSpec.Day.NANOS);
  }

  @Test
  void spentElsewhere_isSeenWithTheNextGrant() {
    SliceWorld world = fleet(2);
    SliceNode here = world.nodes.getFirst();
    SliceNode there = world.nodes.getLast();
    spend(world, there, 600);
    spend(world, here, 1);
    // for half a minute, the other member has up to twice the limit ÷ 4 ÷ members in slices
    assertThat(left(here).amount()).isBetween(399L - 250, 399L);
    world.run(world.now() + 40 * SECOND);
    spend(world, here, 1);
    assertThat(left(here).amount()).isEqualTo(398);
  }

  @Test
  void allSpentElsewhere_nothingIsLeftUntilTheDayEnds() {
    SliceWorld world = fleet(2);
    SliceNode here = world.nodes.getFirst();
    spend(world, world.nodes.getLast(), 1_000);
    here.arrive(1);
    world.run(world.now() + SECOND);
    assertThat(here.waits()).isEqualTo(1);
    assertThat(left(here).amount()).isZero();
    assertThat(fullIn(here)).isBetween(LimitSpec.Day.NANOS - 5 * SECOND, LimitSpec.Day.NANOS);
  }
}
