package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.Cost;
import io.penstock.cost.Dimension;
import io.penstock.time.Ticker;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TicketTreeTest {
  private static Ticket ticket(long order, long input, long output) {
    return new Ticket(order, new Cost(input, output, 0), 0, 0, Ticker.NEVER);
  }

  /** A list that does everything the slow and obvious way. */
  private static final class Model {
    final List<Ticket> tickets = new ArrayList<>();
    final Map<Ticket, Long> skips = new HashMap<>();

    /** One put at an earlier place was passed by those that passed all before the next one. */
    void add(Ticket ticket) {
      tickets.add(ticket);
      tickets.sort(Comparator.comparingLong(Ticket::order));
      int at = tickets.indexOf(ticket);
      skips.put(ticket, at + 1 < tickets.size() ? skips(tickets.get(at + 1)) : 0);
    }

    long skips(Ticket ticket) {
      return skips.getOrDefault(ticket, 0L);
    }

    void pass(Ticket ticket) {
      tickets.remove(ticket);
      for (Ticket each : tickets) {
        if (each.order() < ticket.order()) {
          skips.merge(each, 1L, Long::sum);
        }
      }
    }

    @Nullable Ticket firstWithin(Sizes room) {
      for (Ticket each : tickets) {
        if (room.admit(each.sizes)) {
          return each;
        }
      }
      return null;
    }

    long soonest(ToLongFunction<Sizes> instant) {
      Sizes sizes = new Sizes();
      long best = Long.MAX_VALUE;
      for (Ticket each : tickets) {
        sizes.set(each);
        best = Math.min(best, instant.applyAsLong(sizes));
      }
      return best;
    }
  }

  private static void assertSame(TicketTree<Ticket> tree, Model model) {
    assertThat(tree.size()).isEqualTo(model.tickets.size());
    List<Ticket> inOrder = new ArrayList<>();
    tree.forEach(inOrder::add);
    assertThat(inOrder).isEqualTo(model.tickets);
    if (model.tickets.isEmpty()) {
      assertThat(tree.first()).isNull();
      assertThat(tree.skipsOfFirst()).isZero();
      return;
    }
    assertThat(tree.first()).isSameAs(model.tickets.getFirst());
    long skips = tree.skipsOfFirst();
    for (Ticket each : model.tickets) {
      assertThat(skips).isEqualTo(model.skips(each));
      skips -= tree.marks(each);
    }
  }

  private static Sizes room(Random random) {
    Sizes room = new Sizes();
    if (random.nextBoolean()) {
      room.lower(Dimension.INPUT, random.nextLong(100));
    }
    if (random.nextBoolean()) {
      room.lower(Dimension.TOTAL, random.nextLong(200));
    }
    if (random.nextInt(4) == 0) {
      room.lower(Dimension.OUTPUT, random.nextLong(100));
    }
    return room;
  }

  @Test
  void randomUse_isWhatAListWouldDo() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      TicketTree<Ticket> tree = new TicketTree<>();
      Model model = new Model();
      long next = 0;
      for (int step = 0; step < 600; step++) {
        if (model.tickets.isEmpty() || random.nextInt(10) < 5) {
          next += 10;
          long order = random.nextInt(5) == 0 ? next - 10 * random.nextLong(30) - 5 : next;
          if (tree.find(order) == null) {
            Ticket added = ticket(order, random.nextLong(100), random.nextLong(100));
            tree.add(added);
            model.add(added);
          }
        } else {
          Ticket gone = model.tickets.get(random.nextInt(model.tickets.size()));
          if (random.nextBoolean()) {
            tree.pass(gone);
            model.pass(gone);
          } else {
            tree.remove(gone);
            model.tickets.remove(gone);
          }
          assertThat(gone.queued()).isFalse();
        }
        assertSame(tree, model);
        Sizes room = room(random);
        assertThat(tree.firstWithin(room)).as("seed " + seed).isSameAs(model.firstWithin(room));
        ToLongFunction<Sizes> instant =
            sizes -> sizes.get(Dimension.TOTAL) / 7 * 100 + sizes.get(Dimension.INPUT);
        assertThat(tree.soonest(instant)).as("seed " + seed).isEqualTo(model.soonest(instant));
      }
    }
  }

  @Test
  void find_givesThatTicketAndNoOther() {
    TicketTree<Ticket> tree = new TicketTree<>();
    Ticket five = ticket(5, 1, 1);
    tree.add(five);
    tree.add(ticket(9, 1, 1));
    assertThat(tree.find(5)).isSameAs(five);
    assertThat(tree.find(6)).isNull();
    tree.remove(five);
    assertThat(tree.find(5)).isNull();
    assertThat(tree.first()).isNotNull();
  }

  @Test
  void ticketThatWaitsElsewhere_canNeitherBeAddedNorRemoved() {
    TicketTree<Ticket> one = new TicketTree<>();
    TicketTree<Ticket> two = new TicketTree<>();
    Ticket ticket = ticket(1, 1, 1);
    one.add(ticket);
    assertThatThrownBy(() -> one.add(ticket)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> two.add(ticket)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> two.remove(ticket)).isInstanceOf(IllegalStateException.class);
    assertThat(one.size()).isEqualTo(1);
    one.remove(ticket);
    two.add(ticket);
    assertThat(two.first()).isSameAs(ticket);
  }

  @Test
  void visitorThatRemoves_seesAllOfThem() {
    TicketTree<Ticket> tree = new TicketTree<>();
    for (int order = 0; order < 50; order++) {
      tree.add(ticket(order, 1, 1));
    }
    List<Long> seen = new ArrayList<>();
    tree.forEach(
        each -> {
          seen.add(each.order());
          tree.remove(each);
        });
    assertThat(seen).hasSize(50).isSorted();
    assertThat(tree.size()).isZero();
  }

  @Test
  void manyInOrder_neitherOverflowTheStackNorTakeLong() {
    TicketTree<Ticket> tree = new TicketTree<>();
    for (long order = 0; order < 200_000; order++) {
      tree.add(ticket(order, order, 0));
    }
    Sizes room = new Sizes();
    room.lower(Dimension.INPUT, -1);
    assertThat(tree.firstWithin(room)).isNull();
    for (Ticket first = tree.first(); first != null; first = tree.first()) {
      tree.pass(first);
    }
    assertThat(tree.skipsOfFirst()).isZero();
  }

  /** A waiting ticket with its cost, as an upper bound: all that is allocated to make it wait. */
  @Test
  void waitingTicket_takesAtMostHalfAKilobyte() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    TicketTree<Ticket> tree = new TicketTree<>();
    tree.add(ticket(0, 1, 1));
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int order = 1; order <= 10_000; order++) {
      tree.add(ticket(order, order, 1));
    }
    long each = (threads.getCurrentThreadAllocatedBytes() - before) / 10_000;
    assertThat(each).isBetween(64L, 512L);
  }
}
