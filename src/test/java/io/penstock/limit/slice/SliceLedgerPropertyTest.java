package io.penstock.limit.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import io.penstock.limit.LimitSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Random members that spend, return, overrun and lose answers, for windows and permits. */
class SliceLedgerPropertyTest {
  private static final long SECOND = 1_000_000;
  private static final long TTL = 2 * SECOND;
  private static final int SEEDS = 1_000;

  private static final class Game {
    private final Random random;
    private final CellPartition partition;
    private final SliceLedger sliceLedger;
    private final Map<String, TreeMap<Long, Long>> members = new HashMap<>();

    /** Amounts that were granted or overrun, by cell, less what was returned. */
    private final TreeMap<Long, Long> spent = new TreeMap<>();

    private long overrun;
    private long number;
    private long now = 1_700_000_000L * SECOND;

    Game(long seed) {
      random = new Random(seed);
      long capacity = 20L + random.nextInt(200);
      LimitSpec spec =
          switch (random.nextInt(3)) {
            case 0 -> new LimitSpec.FixedWindow(capacity, 5_000_000_000L);
            case 1 -> new LimitSpec.TrailingWindow(capacity, 10_000_000_000L, 50_000_000, 1);
            default -> new LimitSpec.Concurrency(capacity);
          };
      partition = CellPartition.of(spec);
      sliceLedger = new SliceLedger(partition);
      for (int i = 0; i < 2 + random.nextInt(9); i++) {
        members.put("m" + i, new TreeMap<>());
      }
    }

    private NavigableMap<Long, Long> own(String member) {
      return members.computeIfAbsent(member, absent -> new TreeMap<>());
    }

    /** Reports everything in one round. Returns the grants. */
    List<CellAmount> round(String member, long head, long wanted) {
      NavigableMap<Long, Long> own = own(member);
      own.headMap(oldest(), false).clear();
      List<CellAmount> uses =
          own.entrySet().stream().map(use -> new CellAmount(use.getKey(), use.getValue())).toList();
      number++;
      SliceLedger.Report report =
          new SliceLedger.Report(
              member, number, 0, uses, head, wanted, SliceLedger.NONE, SliceLedger.NONE);
      return sliceLedger.round(report, partition, now, TTL).parts();
    }

    private long oldest() {
      return partition.kind() == CellPartition.Kind.CONCURRENCY
          ? 0
          : now / partition.cellMicros() - partition.reach();
    }

    void step() {
      now += random.nextLong(SECOND);
      String member = "m" + random.nextInt(members.size());
      NavigableMap<Long, Long> own = own(member);
      if (random.nextInt(4) == 0) {
        own.replaceAll((cell, amount) -> returned(cell, amount));
      }
      if (!own.isEmpty() && random.nextInt(30) == 0) {
        own.merge(own.lastKey(), 3L, Long::sum);
        spent.merge(own.lastKey(), 3L, Long::sum);
        overrun += 3;
      }
      long head = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
      List<CellAmount> parts = round(member, head, random.nextInt(60));
      if (random.nextInt(10) != 0) { // else the answer is lost
        for (CellAmount part : parts) {
          own.merge(part.cell(), part.amount(), Long::sum);
          spent.merge(part.cell(), part.amount(), Long::sum);
        }
      }
      everybodyHeard();
    }

    /** Keeps members from losing permits by silence, which another test covers. */
    private void everybodyHeard() {
      boolean leases = partition.kind() == CellPartition.Kind.CONCURRENCY;
      if (leases || random.nextInt(2) == 0) {
        members.keySet().forEach(member -> round(member, 0, 0));
      }
    }

    private long returned(long cell, long amount) {
      long back = random.nextLong(amount + 1);
      spent.merge(cell, -back, Long::sum);
      return amount - back;
    }

    void assertNeverOver(String seed) {
      for (long end : spent.keySet()) {
        long reach = partition.kind() == CellPartition.Kind.TRAILING ? partition.reach() : 0;
        long sum = 0;
        for (long amount : spent.subMap(end - reach, true, end, true).values()) {
          sum += amount;
        }
        assertThat(sum).as(seed).isLessThanOrEqualTo(partition.capacity() + overrun);
      }
    }

    /** Asserts that one head takes exactly what is free, once every member has reported. */
    void assertNoLeak(String seed) {
      now += 30 * SECOND;
      members.keySet().forEach(member -> round(member, 0, 0));
      long reserved = members.values().stream().mapToLong(own -> own.getOrDefault(0L, 0L)).sum();
      long free = Math.max(0, partition.capacity() - reserved);
      String member = "m0";
      if (free > 0) {
        assertThat(round(member, free, 0).getFirst().amount()).as(seed).isEqualTo(free);
      }
      members.values().forEach(TreeMap::clear);
    }
  }

  @Test
  void randomMembers_neverOverAndNothingLeaks() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Game game = new Game(seed);
      for (int step = 0; step < 80; step++) {
        game.step();
        if (step % 8 == 7) {
          game.assertNeverOver("seed " + seed + " step " + step);
        }
      }
      game.assertNoLeak("seed " + seed);
    }
  }

  /**
   * Others want all they can get, again and again. In a few windows the old head gets what it
   * lacks.
   */
  @Test
  void oldHeadAmongGreedyMembers_isNotStarved() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Game game = new Game(seed);
      if (game.partition.kind() == CellPartition.Kind.CONCURRENCY) {
        continue; // permits are never given back here
      }
      long head = game.partition.capacity() / 2 + 1;
      long begun = game.now;
      boolean granted = false;
      while (!granted) {
        game.now += 100_000;
        String greedy = "m" + (1 + game.random.nextInt(game.members.size() - 1));
        for (CellAmount part : game.round(greedy, game.random.nextInt(3), 50)) {
          game.own(greedy).merge(part.cell(), part.amount(), Long::sum);
        }
        boolean waits = game.now > begun + 12 * SECOND;
        granted = waits && !game.round("m0", head, 0).isEmpty();
        assertThat(game.now).as("seed " + seed).isLessThan(begun + 24 * SECOND);
      }
    }
  }
}
