package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of what is known of flows, and for how long. */
class QueueFlowsTest {
  private static final int FEW = 1_024;
  private static final int MOST_REMEMBERED = 10_000;

  private final FairUse use = new FairUse();
  private final TicketQueue<Ticket> queue = use.discipline.queue();

  private List<Ticket> ahead(Ticket arrived) {
    List<Ticket> ahead = new ArrayList<>();
    queue.ahead(arrived, ahead::add);
    return ahead;
  }

  /** Makes flows that each come and leave without service. */
  private void comeAndLeave(String prefix, int flows) {
    for (int each = 0; each < flows; each++) {
      queue.remove(use.park(queue, prefix + each, 1));
    }
  }

  /** Makes flows that each come and get some service. */
  private void comeAndGo(String prefix, int flows) {
    for (int each = 0; each < flows; each++) {
      use.serve(queue, prefix + each, 1);
    }
  }

  @Test
  void weightChanges_theNewOneCounts() {
    Ticket first = use.park(queue, "changed", 1, 100);
    Ticket second = use.park(queue, "changed", 10, 100);
    List<Ticket> plain = new ArrayList<>();
    for (int each = 0; each < 2; each++) {
      plain.add(use.park(queue, "plain", 20));
    }
    List<Ticket> gone = new ArrayList<>();
    for (int each = 0; each < 4; each++) {
      Ticket next = Objects.requireNonNull(queue.first());
      use.go(queue, next);
      gone.add(next);
    }
    assertThat(gone).containsExactly(first, plain.get(0), second, plain.get(1));
  }

  @Test
  void activeFlowIsFarAhead_newOneIsLiftedToIt() {
    Ticket gone = use.park(queue, "busy", 1_000);
    Ticket stays = use.park(queue, "busy", 1_000);
    use.go(queue, gone);
    use.park(queue, "fresh", 1);
    assertThat(queue.first()).isSameAs(stays);
  }

  @Test
  void ahead_ofAFlowThatWaits_countsWhatItGotSoFar() {
    Ticket large = use.park(queue, "served", 100);
    Ticket own = use.park(queue, "served", 10);
    List<Ticket> behind = new ArrayList<>();
    for (int each = 0; each < 3; each++) {
      behind.add(use.park(queue, "other", 10));
    }
    use.go(queue, large);
    List<Ticket> ahead = ahead(use.arrive("served", 1, 10));
    assertThat(ahead).contains(own).containsAll(behind);
  }

  @Test
  void ahead_dividesWhatEachGetsByItsWeight() {
    Ticket own = use.park(queue, "own", 2, 10);
    List<Ticket> light = new ArrayList<>();
    List<Ticket> heavy = new ArrayList<>();
    for (int each = 0; each < 6; each++) {
      light.add(use.park(queue, "light", 1, 4));
      heavy.add(use.park(queue, "heavy", 4, 10));
    }
    // Its own turn is at 5. The others' turns are at 0, 4, 8… and at 0, 2.5, 5, 7.5…; of two at 5
    // the flow goes first that has waited for longer.
    assertThat(ahead(use.arrive("own", 2, 10)))
        .containsExactlyInAnyOrder(own, light.get(0), light.get(1), heavy.get(0), heavy.get(1));
  }

  @Test
  void nothingWaitsAndNothingWasGot_flowsAreForgotten() {
    comeAndLeave("flow-", FEW);
    assertThat(use.discipline.known()).isEqualTo(FEW);
    use.arrive("another", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(1);
  }

  @Test
  void flowsThatGotMore_areRememberedForAWhile() {
    comeAndGo("flow-", FEW);
    use.arrive("another", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(FEW + 1);
  }

  @Test
  void flowsThatWaitOrRest_areNotForgotten() {
    TicketQueue<Ticket> resting = use.discipline.queue();
    resting.rest(true);
    use.park(resting, "rests", 1);
    use.park(queue, "waits", 1);
    comeAndLeave("flow-", FEW - 2);
    use.arrive("another", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(3);
    use.arrive("rests", 1, 1);
    use.arrive("waits", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(3);
  }

  @Test
  void tenThousandGotMore_allAreRemembered() {
    comeAndGo("half-", MOST_REMEMBERED / 2);
    // The known flows are swept at 8,192, which leaves 5,000, and then at 10,000.
    comeAndLeave("left-", 8 * FEW - MOST_REMEMBERED / 2);
    comeAndGo("rest-", MOST_REMEMBERED / 2);
    assertThat(use.discipline.known()).isEqualTo(MOST_REMEMBERED);
    use.arrive("another", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(MOST_REMEMBERED + 1);
  }

  @Test
  void farMoreGotMore_onlyThoseThatWaitAreRemembered() {
    Ticket waits = use.park(queue, "waits", 1);
    comeAndGo("flow-", 16 * FEW - 1);
    use.arrive("another", 1, 1);
    assertThat(use.discipline.known()).isEqualTo(2);
    use.park(queue, "waits", 1);
    assertThat(use.discipline.known()).isEqualTo(2);
    assertThat(queue.first()).isSameAs(waits);
  }
}
