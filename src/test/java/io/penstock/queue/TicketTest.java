package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.queue.Ticket.State;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TicketTest {
  private static final List<State> DECISIONS =
      List.of(State.GRANTED, State.CANCELLED, State.EXPIRED, State.REFUSED);

  private static Ticket ticket() {
    return new Ticket(1, Cost.NO_TOKENS, 0, 0, Ticker.NEVER);
  }

  @Test
  void decided_staysAsItWasDecidedFirst() {
    for (State decision : DECISIONS) {
      Ticket ticket = ticket();
      assertThat(ticket.state()).isEqualTo(State.PARKED);
      assertThat(ticket.decide(decision)).isTrue();
      for (State later : DECISIONS) {
        assertThat(ticket.decide(later)).isFalse();
      }
      assertThat(ticket.state()).isEqualTo(decision);
    }
  }

  @Test
  void fourThreadsDeciding_exactlyOneWins() throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      for (int round = 0; round < 500; round++) {
        Ticket ticket = ticket();
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Boolean>> wins = new ArrayList<>();
        for (State decision : DECISIONS) {
          wins.add(
              executor.submit(
                  () -> {
                    start.await();
                    return ticket.decide(decision);
                  }));
        }
        start.countDown();
        List<State> winners = new ArrayList<>();
        for (int at = 0; at < wins.size(); at++) {
          if (wins.get(at).get()) {
            winners.add(DECISIONS.get(at));
          }
        }
        assertThat(winners).containsExactly(ticket.state());
      }
    }
  }

  @Test
  void boundsBelowOne_areRefused() {
    assertThatThrownBy(() -> new QueueBounds(0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new QueueBounds(1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new QueueBounds(1, 1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void boundsOfOne_areTaken() {
    QueueBounds bounds = new QueueBounds(1, 1, 1);
    assertThat(bounds).isEqualTo(new QueueBounds(1, 1, 1));
  }

  @Test
  void ticket_isWhatItWasMadeOf_andHoldsNothing() {
    Cost cost = Cost.ofInput(3);
    Ticket ticket = new Ticket(7, cost, 512, 20, 50);
    assertThat(ticket.order()).isEqualTo(7);
    assertThat(ticket.cost()).isEqualTo(cost);
    assertThat(ticket.bytes()).isEqualTo(512);
    assertThat(ticket.arrivedNanos()).isEqualTo(20);
    assertThat(ticket.deadlineNanos()).isEqualTo(50);
    assertThat(ticket.keepsCharges()).isFalse();
    assertThat(ticket.queued()).isFalse();
  }
}
