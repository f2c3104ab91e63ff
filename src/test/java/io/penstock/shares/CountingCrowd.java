package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongFunction;

/** Instances that count one limit together, each by its own clocks, with more demand than fits. */
final class CountingCrowd {
  static final long STEP = 10 * MILLI;
  private static final ShareTerms TERMS =
      new ShareTerms(4 * SECOND, SECOND, SECOND, 100 * MILLI, SECOND, true);

  /** How messages fare. */
  record Way(long nanos, int lossPercent, int latePercent) {}

  final ShareWorld world;
  private final LimitId id;
  private final LimitSpec spec;
  private final List<Long> released = new ArrayList<>();

  CountingCrowd(LimitId id, LimitSpec spec, Way way, long seed) {
    this.id = id;
    this.spec = spec;
    this.world =
        new ShareWorld(
            seed,
            new ShareWorld.Setting(
                TERMS,
                Map.of(),
                way.nanos(),
                way.lossPercent(),
                way.latePercent(),
                0,
                50 * MILLI,
                15,
                SECOND,
                Set.of()));
  }

  /** Adds an instance with a demand of {@code perSecond}. */
  ShareWorld.Node add(double perSecond, long skewMillis) {
    ShareWorld.Node node = world.join(world.nodes.size(), 0);
    node.wall(skewMillis * MILLI);
    Limit limit = new Limit(spec, node.clock());
    node.sync.count(id, limit, true);
    demand(node, limit, perSecond * STEP / SECOND, 0);
    return node;
  }

  private void demand(ShareWorld.Node node, Limit limit, double perStep, double due) {
    double left = due + perStep;
    for (; left >= 1; left--) {
      if (limit.take(Weight.exactly(1), node.clock()) instanceof LimitAnswer.Receipt) {
        released.add(world.now());
      }
    }
    double rest = left;
    world.at(world.now() + STEP, () -> demand(node, limit, perStep, rest));
  }

  /** Adds instances with clocks that are off by up to {@code skewMillis}. */
  void add(int count, double perSecondEach, long skewMillis, Random random) {
    for (int each = 0; each < count; each++) {
      add(perSecondEach, skewMillis == 0 ? 0 : random.nextLong(-skewMillis, skewMillis));
    }
  }

  void run(long nanos) {
    world.run((double) (world.now() + nanos) / SECOND);
  }

  /**
   * Returns the largest amount released in any window that ends at a release after {@code since}.
   */
  long mostInAnyWindow(long windowNanos, long since) {
    long most = 0;
    int first = 0;
    for (int last = 0; last < released.size(); last++) {
      while (released.get(first) <= released.get(last) - windowNanos) {
        first++;
      }
      if (released.get(last) >= since) {
        most = Math.max(most, last - first + 1);
      }
    }
    return most;
  }

  /** Returns the largest amount released in any cell of the Unix clock. */
  long mostInAnyCell(long windowNanos) {
    LongFunction<Long> cell = instant -> Math.floorDiv(1_000 * SECOND + instant, windowNanos);
    long most = 0;
    int first = 0;
    for (int last = 0; last < released.size(); last++) {
      while (!cell.apply(released.get(first)).equals(cell.apply(released.get(last)))) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** Returns the amount released from {@code since} until now. */
  long releasedSince(long since) {
    return released.stream().filter(at -> at > since).count();
  }
}
