package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that waiting tickets are returned in the order in which they go. */
class InTurnTest {
  private static final int TICKETS = 200;

  private final Random random = new Random(7);

  private static List<Long> numbers(Supplier<@Nullable Ticket> inTurn) {
    List<Long> numbers = new ArrayList<>();
    for (Ticket each = inTurn.get(); each != null; each = inTurn.get()) {
      numbers.add(each.order());
    }
    return numbers;
  }

  /** Lets all tickets go, each time the first of all queues. Returns their arrival numbers. */
  private static List<Long> gone(
      QueueDiscipline<Ticket> discipline, List<TicketQueue<Ticket>> queues) {
    List<Long> gone = new ArrayList<>();
    while (true) {
      Ticket next = null;
      TicketQueue<Ticket> from = null;
      for (TicketQueue<Ticket> queue : queues) {
        Ticket first = queue.first();
        if (first != null && (next == null || discipline.precedes(first, next))) {
          next = first;
          from = queue;
        }
      }
      if (next == null || from == null) {
        return gone;
      }
      from.remove(next);
      discipline.charge(next);
      gone.add(next.order());
    }
  }

  @ParameterizedTest
  @EnumSource
  void ticketsOfSeveralQueues_areToldInTheOrderInWhichTheyGo(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> discipline = DisciplineFactory.create(queueOrder, 1_000, 3);
    List<TicketQueue<Ticket>> queues =
        List.of(discipline.queue(), discipline.queue(), discipline.queue());
    for (int number = 0; number < TICKETS; number++) {
      Cost cost = Cost.ofInput(1 + random.nextInt(50));
      long deadline = 1_000L + random.nextInt(500);
      Ticket ticket = new Ticket(number, cost, 0, number * 10L, deadline);
      String flow = "flow " + random.nextInt(4);
      discipline.enter(ticket, random.nextInt(5), flow, 1 + flow.charAt(5) % 2);
      queues.get(random.nextInt(3)).add(ticket);
    }
    List<Long> told = numbers(discipline.inTurn(queues));
    assertThat(told).hasSize(TICKETS).doesNotHaveDuplicates();
    assertThat(told).isEqualTo(gone(discipline, queues));
    assertThat(numbers(discipline.inTurn(queues))).isEmpty();
  }
}
