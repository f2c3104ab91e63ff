package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TreapTest {
  /** A node that counts how often it was compared with a room. */
  private static final class Compared extends TreapNode {
    int comparisons;

    Compared(long order, long input) {
      super(order, Cost.ofInput(input));
    }

    @Override
    boolean fits(DimensionSizes room) {
      comparisons++;
      return super.fits(room);
    }
  }

  private static Ticket ticket(long order, long input) {
    return new Ticket(order, Cost.ofInput(input), 0, 0, Ticker.NEVER);
  }

  private static int depth(@Nullable TreapNode treapNode) {
    return treapNode == null ? 0 : 1 + Math.max(depth(treapNode.left), depth(treapNode.right));
  }

  /** A treap, and a map with the number of skips of each node as its model. */
  private static final class Skipped {
    final Random random;
    final Treap<Ticket> treap = new Treap<>();
    final TreeMap<Long, Ticket> tickets = new TreeMap<>();
    final Map<Long, Integer> skips = new TreeMap<>();
    private long next;

    Skipped(long seed) {
      random = new Random(seed);
    }

    Ticket any() {
      return tickets.values().stream()
          .skip(random.nextInt(tickets.size()))
          .findFirst()
          .orElseThrow();
    }

    void step() {
      int what = tickets.isEmpty() ? 0 : random.nextInt(10);
      if (what < 4) {
        Ticket added = ticket(random.nextInt(1_000) * 1_000L + next++, 1);
        treap.add(added);
        tickets.put(added.order(), added);
        skips.put(added.order(), 0);
      } else if (what < 7) {
        Ticket released = any();
        treap.remove(released);
        tickets.remove(released.order());
        skips.remove(released.order());
      } else if (what < 8) {
        int times = 1 + random.nextInt(2);
        treap.skip(times);
        skips.replaceAll((order, count) -> count + times);
      } else if (what < 9) {
        long place = random.nextInt(1_000_000);
        treap.skipBefore(0, place);
        skips.replaceAll((order, count) -> order < place ? count + 1 : count);
      } else {
        Ticket changed = any();
        int count = random.nextInt(5);
        treap.changed(changed, () -> changed.skips(count));
        skips.put(changed.order(), count);
      }
    }

    void check() {
      int most = skips.values().stream().mapToInt(Integer::intValue).max().orElse(0);
      assertThat(treap.mostSkips()).isEqualTo(most);
      assertThat(treap.size()).isEqualTo(tickets.size());
      long place = random.nextInt(1_000_000);
      int times = most == 0 ? 1 : 1 + random.nextInt(most);
      Long expected =
          skips.entrySet().stream()
              .filter(each -> each.getKey() > place && each.getValue() >= times)
              .map(Map.Entry::getKey)
              .findFirst()
              .orElse(null);
      Ticket found = treap.skipped(0, place, times);
      assertThat(found == null ? null : (Long) found.order()).isEqualTo(expected);
      if (!tickets.isEmpty()) {
        Ticket one = any();
        assertThat(treap.skips(one)).isEqualTo(skips.get(one.order()));
      }
    }
  }

  @Test
  void randomUse_skipsAreCountedExactly() {
    for (long seed = 1; seed <= 10; seed++) {
      Skipped both = new Skipped(seed);
      for (int step = 0; step < 1_000; step++) {
        both.step();
        both.check();
      }
    }
  }

  @Test
  void oneThatIsNotHere_isNeitherRemovedNorChanged() {
    Treap<Ticket> treap = new Treap<>();
    treap.add(ticket(1, 1));
    Ticket absent = ticket(2, 1);
    assertThatThrownBy(() -> treap.remove(absent)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> treap.changed(absent, () -> {}))
        .isInstanceOf(IllegalStateException.class);
    assertThat(treap.size()).isEqualTo(1);
  }

  @Test
  void nothingFits_nothingIsComparedWithTheRoom() {
    Treap<Compared> treap = new Treap<>();
    Deque<Compared> all = new ArrayDeque<>();
    for (int each = 0; each < 1_000; each++) {
      Compared node = new Compared(each, 10L + each % 7);
      treap.add(node);
      all.add(node);
    }
    DimensionSizes room = new DimensionSizes();
    room.lower(CostDimension.INPUT, 9);
    assertThat(treap.firstWithin(room)).isNull();
    assertThat(all).allMatch(each -> each.comparisons == 0);
    room.reset();
    assertThat(treap.firstWithin(room)).isSameAs(all.getFirst());
  }

  @Test
  void manyComeInOrder_staysShallow() {
    Treap<Ticket> treap = new Treap<>();
    for (int order = 0; order < 100_000; order++) {
      treap.add(ticket(order, 1));
    }
    // A perfect tree of these nodes has 17 levels.
    assertThat(depth(treap.top())).isLessThan(70);
  }

  @Test
  void anyGoesAndAnotherComes_staysShallow() {
    Random random = new Random(1);
    Treap<Ticket> treap = new Treap<>();
    List<Ticket> waiting = new ArrayList<>();
    int deepest = 0;
    for (int order = 0; order < 50_000; order++) {
      Ticket added = ticket(order, 1);
      treap.add(added);
      waiting.add(added);
      if (order >= 1_000) {
        treap.remove(waiting.remove(random.nextInt(waiting.size())));
      }
      deepest = order % 500 == 0 ? Math.max(deepest, depth(treap.top())) : deepest;
    }
    // A perfect tree of these nodes has 10 levels.
    assertThat(deepest).isLessThan(40);
  }
}
