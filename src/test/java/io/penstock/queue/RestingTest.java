package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of queues that rest, beside an active queue. */
class RestingTest {
  private final FairUse use = new FairUse();
  private final TicketQueue<Ticket> resting = use.discipline.queue();
  private final TicketQueue<Ticket> active = use.discipline.queue();

  /** Makes a flow that gets a thousand tokens and goes on waiting. */
  private Ticket busy() {
    Ticket released = use.park(active, "busy", 1_000);
    Ticket stays = use.park(active, "busy", 1_000);
    use.go(active, released);
    return stays;
  }

  @Test
  void restsAndWakes_isAsItWasTold() {
    assertThat(resting.resting()).isFalse();
    resting.rest(true);
    assertThat(resting.resting()).isTrue();
    resting.rest(true);
    assertThat(resting.resting()).isTrue();
    resting.rest(false);
    assertThat(resting.resting()).isFalse();
  }

  @Test
  void flowRests_doesNotCountAsTheOneThatGotLeast() {
    use.park(resting, "asleep", 1);
    resting.rest(true);
    use.park(resting, "later", 1);
    Ticket busy = busy();
    // A new flow is lifted to the service of the busy flow, not to that of resting flows.
    Ticket fresh = use.park(active, "fresh", 1);
    assertThat(active.first()).isSameAs(busy);
    assertThat(use.discipline.precedes(busy, fresh)).isTrue();
  }

  @Test
  void flowWakes_isLiftedAndBanksNothing() {
    Ticket first = use.park(resting, "asleep", 10);
    Ticket second = use.park(resting, "asleep", 10);
    resting.rest(true);
    Ticket busy = busy();
    resting.rest(false);
    // Both have the same service now, and the flow that rested waits longer.
    assertThat(use.discipline.precedes(first, busy)).isTrue();
    use.go(resting, first);
    assertThat(use.discipline.precedes(busy, second)).isTrue();
  }

  @Test
  void flowWoke_countsAsActiveAgain() {
    resting.rest(true);
    Ticket first = use.park(resting, "asleep", 1_000);
    Ticket second = use.park(resting, "asleep", 1_000);
    resting.rest(false);
    use.go(resting, first);
    Ticket fresh = use.park(active, "fresh", 1);
    assertThat(use.discipline.precedes(second, fresh)).isTrue();
  }

  @Test
  void ticketsRestInTheOrderInWhichTheyArrived() {
    Ticket older = use.arrive("older", 1, 1);
    Ticket newer = use.arrive("newer", 1, 1);
    resting.rest(true);
    resting.add(newer);
    resting.add(older);
    assertThat(resting.first()).isSameAs(older);
    resting.remove(older);
    assertThat(resting.first()).isSameAs(newer);
  }

  @Test
  void flowIsLiftedElsewhere_takesItsNewPlaceAmongThoseThatRest() {
    resting.rest(true);
    Ticket one = use.park(resting, "one", 1);
    Ticket other = use.park(resting, "other", 1);
    busy();
    assertThat(resting.first()).isSameAs(one);
    use.park(active, "one", 1);
    assertThat(resting.first()).isSameAs(other);
    resting.remove(other);
    assertThat(resting.first()).isSameAs(one);
  }
}
