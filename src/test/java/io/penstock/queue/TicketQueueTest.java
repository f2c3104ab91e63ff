package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the properties of every order. */
class TicketQueueTest {
  private static final long AGING = 1_000;
  private static final long STAYS = 1_000;

  /** Primes, so that no two flows ever have the same service. */
  private static final List<Integer> WEIGHTS = List.of(7_919, 7_927, 7_933, 7_937);

  private static Ticket ticket(long order, long input, long output, long deadline) {
    return new Ticket(order, new Cost(input, output, 0), 0, order * 10, deadline);
  }

  private static QueueDiscipline<Ticket> discipline(QueueOrder queueOrder) {
    return DisciplineFactory.create(queueOrder, AGING, 7);
  }

  private static TicketQueue<Ticket> fifo() {
    return discipline(QueueOrder.FIFO).queue();
  }

  private static DimensionSizes room(Random random) {
    DimensionSizes room = new DimensionSizes();
    if (random.nextBoolean()) {
      room.lower(CostDimension.INPUT, random.nextLong(100));
    }
    if (random.nextBoolean()) {
      room.lower(CostDimension.TOTAL, random.nextLong(200));
    }
    if (random.nextInt(4) == 0) {
      room.lower(CostDimension.OUTPUT, random.nextLong(100));
    }
    return room;
  }

  /** Two queues of one discipline, each with a list as its model. */
  private static final class Pair {
    final Random random;
    final QueueDiscipline<Ticket> discipline;
    final List<TicketQueue<Ticket>> queues = new ArrayList<>();
    final List<QueueModel> models = new ArrayList<>();
    private long next;

    Pair(QueueOrder queueOrder, long seed) {
      random = new Random(seed);
      discipline = discipline(queueOrder);
      Comparator<Ticket> inOrder =
          (a, b) -> a == b ? 0 : discipline.precedes(a, b) ? -1 : discipline.precedes(b, a) ? 1 : 0;
      for (int at = 0; at < 2; at++) {
        queues.add(discipline.queue());
        models.add(new QueueModel(inOrder));
      }
      for (int flow = 0; flow < WEIGHTS.size(); flow++) {
        beginFlow(flow);
      }
    }

    /**
     * Gives a flow some service that no other flow has, and a ticket that waits for ever: flows
     * with exactly equal service have an order that a list does not know.
     */
    private void beginFlow(int flow) {
      Ticket served = ticket(-1, 1_000_000L * (flow + 1), 0, Ticker.NEVER);
      enter(served, flow);
      queues.getFirst().add(served);
      queues.getFirst().remove(served);
      discipline.charge(served);
      Ticket stays = ticket(-2 - flow, STAYS, STAYS, Ticker.NEVER);
      enter(stays, flow);
      queues.getFirst().add(stays);
      models.getFirst().add(stays);
    }

    private void enter(Ticket ticket, int flow) {
      discipline.enter(ticket, random.nextInt(10), "flow-" + flow, WEIGHTS.get(flow));
    }

    void step() {
      int at = random.nextInt(2);
      QueueModel model = models.get(at);
      TicketQueue<Ticket> queue = queues.get(at);
      List<Ticket> mayGo =
          model.tickets.stream().filter(each -> each.cost().inputTokens() < STAYS).toList();
      if (mayGo.isEmpty() || random.nextInt(10) < 5) {
        next++;
        long deadline = random.nextBoolean() ? Ticker.NEVER : random.nextLong(500);
        Ticket added = ticket(next, random.nextLong(100), random.nextLong(100), deadline);
        enter(added, random.nextInt(WEIGHTS.size()));
        queue.add(added);
        model.add(added);
        return;
      }
      Ticket released = mayGo.get(random.nextInt(mayGo.size()));
      if (random.nextInt(3) == 0) {
        queue.remove(released);
        model.tickets.remove(released);
        return;
      }
      models.get(1 - at).skipBefore(released);
      queues.get(1 - at).skipBefore(released);
      model.pass(released);
      queue.pass(released);
      assertThat(released.queued()).isFalse();
      discipline.charge(released);
      if (random.nextBoolean()) {
        discipline.settle(released, random.nextLong(200));
      }
    }
  }

  private static List<Ticket> all(TicketQueue<Ticket> queue) {
    List<Ticket> found = new ArrayList<>();
    queue.forEach(found::add);
    return found;
  }

  private static void assertSame(TicketQueue<Ticket> queue, QueueModel model, Random random) {
    assertThat(queue.size()).isEqualTo(model.tickets.size());
    List<Ticket> sorted = model.sorted();
    assertThat(all(queue)).isEqualTo(sorted);
    assertThat(queue.first()).isSameAs(sorted.isEmpty() ? null : sorted.getFirst());
    assertThat(queue.skipsOfFirst())
        .isEqualTo(sorted.isEmpty() ? 0 : model.skips(sorted.getFirst()));
    DimensionSizes room = room(random);
    assertThat(queue.firstWithin(room)).isSameAs(model.firstWithin(room));
    ToLongFunction<DimensionSizes> instant =
        sizes -> sizes.get(CostDimension.TOTAL) / 7 * 100 + sizes.get(CostDimension.INPUT);
    assertThat(queue.soonest(instant)).isEqualTo(model.soonest(instant));
    if (!sorted.isEmpty()) {
      Ticket released = sorted.get(random.nextInt(sorted.size()));
      int enough = 1 + random.nextInt(4);
      List<Ticket> found = new ArrayList<>();
      Ticket each = queue.unskippable(null, released, enough);
      while (each != null) {
        found.add(each);
        each = queue.unskippable(each, released, enough);
      }
      List<Ticket> before = sorted.subList(0, sorted.indexOf(released));
      assertThat(before.stream().filter(found::contains).toList()).isEqualTo(found);
      assertThat(found)
          .containsAll(before.stream().filter(other -> model.skips(other) >= enough).toList());
    }
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void randomUse_isWhatAListWouldDo(QueueOrder queueOrder) {
    for (long seed = 1; seed <= 12; seed++) {
      Pair pair = new Pair(queueOrder, seed);
      for (int step = 0; step < 400; step++) {
        pair.step();
        for (int at = 0; at < 2; at++) {
          assertSame(pair.queues.get(at), pair.models.get(at), pair.random);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void onlyThoseSkippedEnough_areUnskippable(QueueOrder queueOrder) {
    if (queueOrder == QueueOrder.FAIR) {
      return; // there, tickets that would fall too far behind are unskippable, too: see
      // FairDisciplineTest
    }
    Pair pair = new Pair(queueOrder, 3);
    for (int step = 0; step < 500; step++) {
      pair.step();
      QueueModel model = pair.models.getFirst();
      for (Ticket released : model.sorted()) {
        Ticket found = pair.queues.getFirst().unskippable(null, released, 3);
        assertThat(found == null || model.skips(found) >= 3).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void ahead_isThoseThatGoBefore(QueueOrder queueOrder) {
    if (queueOrder == QueueOrder.FAIR) {
      return; // depends on the tokens of each: see FairDisciplineTest
    }
    Pair pair = new Pair(queueOrder, 5);
    for (int step = 0; step < 300; step++) {
      pair.step();
      Ticket arrived = ticket(100_000 + step, 1, 1, 250);
      pair.discipline.enter(arrived, 5, "flow", 1);
      List<Ticket> ahead = new ArrayList<>();
      pair.queues.getFirst().ahead(arrived, ahead::add);
      assertThat(ahead)
          .isEqualTo(
              pair.models.getFirst().sorted().stream()
                  .filter(each -> pair.discipline.precedes(each, arrived))
                  .toList());
    }
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void ticketThatWaitsElsewhere_canNeitherBeAddedNorRemoved(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    TicketQueue<Ticket> one = queueDiscipline.queue();
    TicketQueue<Ticket> two = queueDiscipline.queue();
    Ticket ticket = ticket(1, 1, 1, Ticker.NEVER);
    queueDiscipline.enter(ticket, 0, "f", 1);
    one.add(ticket);
    assertThatThrownBy(() -> one.add(ticket)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> two.add(ticket)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> two.remove(ticket)).isInstanceOf(IllegalStateException.class);
    assertThat(one.size()).isEqualTo(1);
    one.remove(ticket);
    two.add(ticket);
    assertThat(two.first()).isSameAs(ticket);
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void visitorThatRemoves_seesAllOfThem(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    TicketQueue<Ticket> queue = queueDiscipline.queue();
    for (int each = 0; each < 50; each++) {
      Ticket ticket = ticket(each, 1, 1, each % 3);
      queueDiscipline.enter(ticket, each % 4, "flow-" + each % 5, 1);
      queue.add(ticket);
    }
    List<Long> seen = new ArrayList<>();
    queue.forEach(
        each -> {
          seen.add(each.order());
          queue.remove(each);
        });
    assertThat(seen).hasSize(50).doesNotHaveDuplicates();
    assertThat(queue.size()).isZero();
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void everybodySkipped_eachCountsIt(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    TicketQueue<Ticket> queue = queueDiscipline.queue();
    queue.skipAll(1);
    List<Ticket> tickets = new ArrayList<>();
    for (int each = 0; each < 8; each++) {
      Ticket ticket = ticket(each, 1, 1, Ticker.NEVER);
      queueDiscipline.enter(ticket, each % 4, "flow-" + each % 3, 1);
      queue.add(ticket);
      tickets.add(ticket);
    }
    queue.skipAll(2);
    queue.skipAll(3);
    List<Ticket> sorted = all(queue);
    assertThat(sorted).hasSize(8).containsAll(tickets);
    for (Ticket each : sorted) {
      assertThat(queue.first()).isSameAs(each);
      assertThat(queue.skipsOfFirst()).isEqualTo(5);
      queue.remove(each);
    }
    assertThat(queue.skipsOfFirst()).isZero();
  }

  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void ticketMovesElsewhere_keepsItsSkips(QueueOrder queueOrder) {
    for (String flow : List.of("one", "other")) {
      QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
      TicketQueue<Ticket> queue = queueDiscipline.queue();
      for (int each = 0; each < 2; each++) {
        Ticket ticket = ticket(each, 1, 1, Ticker.NEVER);
        queueDiscipline.enter(ticket, 0, each == 0 ? "one" : flow, 1);
        queue.add(ticket);
      }
      Ticket moved = all(queue).getFirst();
      queue.pass(all(queue).getLast());
      assertThat(queue.skipsOfFirst()).isEqualTo(1);
      queue.remove(moved);
      TicketQueue<Ticket> elsewhere = queueDiscipline.queue();
      elsewhere.add(moved);
      assertThat(elsewhere.first()).isSameAs(moved);
      assertThat(elsewhere.skipsOfFirst()).isEqualTo(1);
      elsewhere.skipAll(2);
      assertThat(elsewhere.skipsOfFirst()).isEqualTo(3);
    }
  }

  /** All smaller tickets are gone, so looking at a single waiting ticket is enough. */
  @ParameterizedTest
  @EnumSource(QueueOrder.class)
  void allThatWaitAreAlike_soonestAsksAFew(QueueOrder queueOrder) {
    QueueDiscipline<Ticket> queueDiscipline = discipline(queueOrder);
    TicketQueue<Ticket> queue = queueDiscipline.queue();
    for (int each = 0; each < 1_000; each++) {
      Ticket smaller = ticket(2L * each, 1, 1, Ticker.NEVER);
      Ticket stays = ticket(2L * each + 1, 10, 10, Ticker.NEVER);
      for (Ticket ticket : List.of(smaller, stays)) {
        queueDiscipline.enter(ticket, 0, "flow-" + each, 1);
        queue.add(ticket);
      }
      queue.remove(smaller);
    }
    int[] asked = new int[1];
    long soonest =
        queue.soonest(
            sizes -> {
              asked[0]++;
              return sizes.get(CostDimension.INPUT);
            });
    assertThat(soonest).isEqualTo(10);
    assertThat(asked[0]).isLessThan(20);
  }

  @Test
  void manyInOrder_neitherOverflowTheStackNorTakeLong() {
    TicketQueue<Ticket> queue = fifo();
    for (long order = 0; order < 200_000; order++) {
      queue.add(ticket(order, order, 0, Ticker.NEVER));
    }
    DimensionSizes room = new DimensionSizes();
    room.lower(CostDimension.INPUT, -1);
    assertThat(queue.firstWithin(room)).isNull();
    for (Ticket first = queue.first(); first != null; first = queue.first()) {
      queue.pass(first);
    }
    assertThat(queue.skipsOfFirst()).isZero();
  }

  /** A waiting ticket with its cost, as an upper bound: all that is allocated for the wait. */
  @Test
  void waitingTicket_takesAtMostHalfAKilobyte() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    TicketQueue<Ticket> queue = fifo();
    queue.add(ticket(0, 1, 1, Ticker.NEVER));
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int order = 1; order <= 10_000; order++) {
      queue.add(ticket(order, order, 1, Ticker.NEVER));
    }
    long each = (threads.getCurrentThreadAllocatedBytes() - before) / 10_000;
    assertThat(each).isBetween(64L, 512L);
  }
}
