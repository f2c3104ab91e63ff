package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of overtaking and its bounds where shares are fair. */
class FairSkipsTest {
  private static final int MANY = 1_000;

  private final FairUse use = new FairUse();
  private final TicketQueue<Ticket> queue = use.discipline.queue();
  private final TicketQueue<Ticket> other = use.discipline.queue();

  @Test
  void exactlyOneAndAHalfTimesTheLargestAhead_mayPass() {
    Ticket held = use.park(queue, "held", 100);
    use.serve(queue, "quick", 5);
    // If it went, it would be 5 + 10 = 1.5 × 10 ahead.
    assertThat(queue.unskippable(null, use.arrive("quick", 1, 10), MANY)).isNull();
    use.serve(queue, "quick", 1);
    assertThat(queue.unskippable(null, use.arrive("quick", 1, 10), MANY)).isSameAs(held);
  }

  @Test
  void weightOfTheOneThatPasses_dividesHowFarItMayGetAhead() {
    Ticket held = use.park(queue, "held", 100);
    Ticket first = use.park(queue, "quick", 2, 6);
    Ticket second = use.park(queue, "quick", 2, 6);
    assertThat(queue.unskippable(null, first, MANY)).isNull();
    use.go(queue, first);
    // Divided by its weight it got 3, and would have 6: more than 9 ÷ 2 ahead.
    assertThat(queue.unskippable(null, second, MANY)).isSameAs(held);
  }

  @Test
  void severalFlowsTooFarBehind_areToldOneByOne() {
    Ticket one = use.park(queue, "one", 100);
    use.park(queue, "one", 100);
    Ticket two = use.park(queue, "two", 100);
    use.serve(queue, "quick", 10);
    Ticket released = use.park(queue, "quick", 10);
    assertThat(queue.unskippable(null, released, MANY)).isSameAs(one);
    assertThat(queue.unskippable(one, released, MANY)).isSameAs(two);
    assertThat(queue.unskippable(two, released, MANY)).isNull();
  }

  @Test
  void goneWaitsElsewhere_onlyThoseBeforeItAreSkipped() {
    Ticket before = use.park(queue, "before", 1);
    use.serve(other, "gone", 10);
    use.serve(other, "after", 20);
    use.park(queue, "after", 1);
    Ticket released = use.park(other, "gone", 10);
    assertThat(queue.unskippable(null, released, 1)).isNull();
    queue.skipBefore(released);
    assertThat(queue.unskippable(null, released, 1)).isSameAs(before);
    assertThat(queue.unskippable(before, released, 1)).isNull();
    queue.remove(before);
    assertThat(queue.skipsOfFirst()).isZero();
  }

  @Test
  void goneIsAfterAllThatWaitHere_theLastIsLookedAtAsWell() {
    Ticket first = use.park(queue, "first", 1);
    Ticket second = use.park(queue, "second", 1);
    use.serve(other, "gone", 20);
    Ticket released = use.park(other, "gone", 5);
    assertThat(queue.unskippable(null, released, 1)).isNull();
    queue.skipBefore(released);
    assertThat(queue.unskippable(null, released, 1)).isSameAs(first);
    assertThat(queue.unskippable(first, released, 1)).isSameAs(second);
    assertThat(queue.unskippable(second, released, 1)).isNull();
  }

  @Test
  void goneWaitsElsewhere_olderOfItsFlowAreSkipped() {
    Ticket first = use.park(queue, "first", 1);
    Ticket older = use.park(queue, "same", 1);
    Ticket released = use.park(other, "same", 1);
    Ticket younger = use.park(queue, "same", 1);
    queue.skipBefore(released);
    assertThat(queue.unskippable(null, released, 1)).isSameAs(first);
    assertThat(queue.unskippable(first, released, 1)).isSameAs(older);
    assertThat(queue.unskippable(older, released, 1)).isNull();
    assertThat(queue.unskippable(older, younger, 1)).isNull();
  }

  @Test
  void nobodyWaits_theLargestIsForgotten() {
    use.serve(queue, "past", 1_000);
    use.serve(queue, "past", 10);
    Ticket held = use.park(queue, "held", 100);
    use.serve(queue, "quick", 10);
    Ticket released = use.park(queue, "quick", 10);
    // If the 1,000 had stayed, quick could get 1,500 ahead.
    assertThat(queue.unskippable(null, released, MANY)).isSameAs(held);
  }

  @Test
  void somebodyWaits_theLargestIsKeptWhenAnotherFlowLeaves() {
    use.park(queue, "held", 100);
    use.serve(queue, "large", 1_000);
    use.serve(queue, "quick", 10);
    assertThat(queue.unskippable(null, use.park(queue, "quick", 10), MANY)).isNull();
  }
}
