package io.penstock.region;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Simulates regions with a database that replicates between them, in one thread and with one true
 * time. As an oracle, it counts the amounts that all regions admit by cells of the true time,
 * without knowing how they decide.
 */
final class Ocean {
  static final long SECOND = 1_000_000_000L;
  static final long ROUND_TRIP = SECOND / 20;

  /**
   * Time from an admission until other regions know it, without the replication: one period each
   * for writing and reading, and round trips.
   */
  static final long KNOWN_AFTER = 10 * SECOND + 4 * ROUND_TRIP;

  /**
   * Regions read their clocks in whole milliseconds, so their cells may begin up to this much late.
   */
  private static final long CLOCK_STEP = 1_000_000;

  /** True time at which the simulation starts, somewhere within a cell. */
  static final long START = 1_700_000_000L * SECOND + 4_321_123_456L;

  private record Happening(long at, long order, Runnable what) implements Comparable<Happening> {
    @Override
    public int compareTo(Happening other) {
      int sooner = Long.compare(at, other.at);
      return sooner == 0 ? Long.compare(order, other.order) : sooner;
    }
  }

  private record Admitted(Island by, long at, long amount) {}

  final Random random;
  final long window;
  final long limit;
  final double share;
  final boolean counts;

  /** Maximum time a row takes to another region; each row takes a random time. */
  final long lag;

  final List<Island> islands = new ArrayList<>();
  private final Map<String, Replica> replicas = new LinkedHashMap<>();
  private final PriorityQueue<Happening> happenings = new PriorityQueue<>();
  private final ArrayDeque<Admitted> trailing = new ArrayDeque<>();
  private final ArrayDeque<Admitted> unknown = new ArrayDeque<>();
  private long inTrailing;
  private long cell = Long.MIN_VALUE;
  private long cur;
  private long prev;

  /**
   * Parts of these two amounts that were admitted so early in a cell that a region may count them
   * in the cell before.
   */
  private long curEarly;

  private long prevEarly;
  private long now = START;
  private long orders;
  private long partedUntil = Long.MIN_VALUE / 2;

  /** Amount that lost regions admitted just before and may never have published. */
  private long neverTold;

  /** Largest excess over the limit: by cells, and in any trailing window. */
  long over;

  long overTrailing;

  /**
   * Largest excess beyond the amount that could not have been known at that time; at most 0 if all
   * is well.
   */
  long unexplained = Long.MIN_VALUE;

  Ocean(long seed, long windowSeconds, long limit, double share, boolean counts, long lag) {
    this.random = new Random(seed);
    this.window = windowSeconds * SECOND;
    this.limit = limit;
    this.share = share;
    this.counts = counts;
    this.lag = lag;
  }

  LimitId id() {
    return new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, window);
  }

  LimitSpec spec() {
    return new LimitSpec.TrailingWindow(limit, window, 0, LimitSpec.TrailingWindow.UNPACED);
  }

  long now() {
    return now;
  }

  void after(long nanos, Runnable what) {
    happenings.add(new Happening(now + nanos, orders++, what));
  }

  Island add(long skew) {
    String name = "region-" + islands.size();
    Replica replica = new Replica(this);
    replicas.put(name, replica);
    Island island = new Island(this, name, skew, replica);
    islands.add(island);
    return island;
  }

  void run(long nanos) {
    long until = now + nanos;
    while (!happenings.isEmpty() && happenings.peek().at() <= until) {
      Happening next = happenings.remove();
      now = next.at();
      next.what().run();
    }
    now = until;
  }

  /**
   * Makes requests of the given size arrive at a region at random times, so much in a window on
   * average.
   */
  void offer(Island island, double perWindow, long size) {
    double gap = (double) window * size / perWindow;
    after(
        (long) (-Math.log(1 - random.nextDouble()) * gap),
        () -> {
          island.arrive(size);
          offer(island, perWindow, size);
        });
  }

  /** Stops replication between regions for a while; then all rows arrive. */
  void part(long nanos) {
    partedUntil = Math.max(partedUntil, now + nanos);
  }

  /** Ends a region and loses its unpublished counts. */
  void lose(Island island) {
    island.lose();
    roll();
    for (Admitted each : unknown) {
      neverTold += each.by() == island ? each.amount() : 0;
    }
  }

  /** Delivers a row to its own region at once, and to the others later, sometimes twice. */
  void replicate(String from, Consumer<Replica> row) {
    replicas.forEach(
        (name, to) -> {
          if (name.equals(from)) {
            row.accept(to);
          } else {
            int copies = random.nextInt(10) == 0 ? 2 : 1;
            for (int copy = 0; copy < copies; copy++) {
              long delay = (lag == 0 ? 0 : random.nextLong(lag)) + copy * SECOND * 20;
              after(Math.max(delay, partedUntil - now), () -> row.accept(to));
            }
          }
        });
  }

  void admitted(Island by, long amount) {
    Admitted each = new Admitted(by, now, amount);
    roll();
    cur += amount;
    curEarly += Math.floorMod(now, window) < CLOCK_STEP ? amount : 0;
    unknown.add(each);
    trailing.add(each);
    inTrailing += amount;
    long used = cur + (long) Math.floor(prev * (1 - elapsed()));
    over = Math.max(over, used - limit);
    overTrailing = Math.max(overTrailing, inTrailing - limit);
    if (now - partedUntil > KNOWN_AFTER + lag) {
      // A region without reports of other regions goes by its own window alone.
      long both = Math.min(used, inTrailing);
      unexplained = Math.max(unexplained, both - limit - notKnown(by));
    }
  }

  private double elapsed() {
    return (double) Math.floorMod(now, window) / window;
  }

  private void roll() {
    long running = Math.floorDiv(now, window);
    if (running != cell) {
      prev = running == cell + 1 ? cur : 0;
      prevEarly = running == cell + 1 ? curEarly : 0;
      cur = 0;
      curEarly = 0;
      cell = running;
    }
    while (!trailing.isEmpty() && trailing.getFirst().at() <= now - window) {
      inTrailing -= trailing.removeFirst().amount();
    }
    while (!unknown.isEmpty() && unknown.getFirst().at() <= now - KNOWN_AFTER - lag) {
      unknown.removeFirst();
    }
  }

  /**
   * Returns the amount that a region could not know: recent admissions of other regions, the small
   * amounts that are not published in two cells, and the amount admitted just as a cell began.
   */
  private long notKnown(Island by) {
    long recent = 0;
    for (Admitted each : unknown) {
      recent += each.by() == by ? 0 : each.amount();
    }
    long untold = (long) Math.ceil(2 * share * limit * (islands.size() - 1));
    return recent + neverTold + untold + curEarly + prevEarly + 1;
  }
}
