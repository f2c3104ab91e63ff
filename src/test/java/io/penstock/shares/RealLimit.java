package io.penstock.shares;

import io.penstock.cost.Weight;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ShareDemand;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/** A limit of the program in the simulation, with a queue of its own. */
final class RealLimit implements WorldLimit {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000;
  private static final long DAY = LimitSpec.Day.NANOS;
  private static final long EDGE_MILLIS = 3;

  /** A strict rate lets requests go earlier by this part of the time between two. */
  static final int EARLY_PARTS = 4;

  private record Waiting(long amount, Runnable go) {}

  private final SpentLimit.Terms terms;
  private final Limit limit;
  private final WallClock wall;
  private final SharedLimit shared;
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  RealLimit(
      SpentLimit.Terms terms,
      ShareLease lease,
      WallClock wall,
      Ticker ticker,
      Runnable hurry,
      Runnable looks,
      long now) {
    this.terms = terms;
    this.wall = wall;
    this.limit = new Limit(spec(terms, wall), now);
    this.shared =
        new SharedLimit(
            limit,
            new UnixTime(wall, ticker),
            lease,
            hurry,
            new SharedLimit.Terms(OutagePolicy.CONTINUE, false, false, terms.windowNanos()),
            now);
    ShareDemand demand = Objects.requireNonNull(limit.sharing().demand());
    demand.join(looks::run);
  }

  private static LimitSpec spec(SpentLimit.Terms terms, WallClock wall) {
    long window = terms.windowNanos();
    return switch (terms.kind()) {
      case TRAILING ->
          new LimitSpec.TrailingWindow(
              terms.capacity(), window, window / 1_000, LimitSpec.TrailingWindow.UNPACED);
      case STRICT -> new LimitSpec.Strict(new ExactRate(SECOND / window, 1), window / EARLY_PARTS);
      case FIXED -> new LimitSpec.FixedWindow(terms.capacity(), window);
      case BUCKET ->
          new LimitSpec.TokenBucket(
              new ExactRate(terms.capacity() * 999, window / SECOND * 1_000), terms.capacity());
      case PERMITS -> new LimitSpec.Concurrency(terms.capacity());
      case DAY -> new LimitSpec.Day(terms.capacity(), midnights(window, wall), 0);
      case FIRST_USE -> ofFirstUse(terms);
    };
  }

  private static LimitSpec ofFirstUse(SpentLimit.Terms terms) {
    if (terms.windowNanos() != DAY) {
      throw new IllegalArgumentException("its days take 24 hours");
    }
    return new LimitSpec.Day(terms.capacity(), null, 0);
  }

  private static ZoneMidnights midnights(long window, WallClock wall) {
    if (window < DAY) {
      throw new IllegalArgumentException("its days take 24 hours");
    }
    ZoneMidnights.Each each = window == DAY ? ZoneMidnights.Each.DAY : ZoneMidnights.Each.MONTH;
    return new ZoneMidnights(ZoneOffset.UTC, wall, each);
  }

  @Override
  public void arrive(long amount, Runnable go, long now) {
    waiting.addLast(new Waiting(amount, go));
    look(now);
  }

  @Override
  public void leave() {
    waiting.pollFirst();
  }

  /** Returns whether a window may just begin: the wall clock is read to the millisecond. */
  private boolean isAtEdge() {
    long window = terms.windowNanos() / MILLI;
    long into = (wall.unixMillis() + EDGE_MILLIS) % window;
    boolean ends = terms.kind() == SpentLimit.Kind.FIXED || terms.kind() == SpentLimit.Kind.DAY;
    return ends && into < 2 * EDGE_MILLIS;
  }

  @Override
  public void look(long now) {
    while (!isAtEdge()
        && !waiting.isEmpty()
        && limit.take(Weight.exactly(waiting.peekFirst().amount()), now)
            instanceof LimitAnswer.Receipt) {
      waiting.removeFirst().go().run();
    }
  }

  @Override
  public void end(long amount, long now) {
    limit.giveBack(new LimitAnswer.Receipt(0, amount, 0, 0, 0), amount, 0, now);
    look(now);
  }

  @Override
  public ShareUse shrink(long most, long now) {
    return shared.shrink(most, now);
  }

  @Override
  public ShareUse use(long now) {
    return shared.use(now);
  }

  @Override
  public long share(long now) {
    return shared.share(now);
  }

  @Override
  public void hold(long share, long later, ShareUse.Cell cell, long now) {
    shared.hold(share, later, cell, now);
  }

  @Override
  public void wake() {
    shared.wake();
  }

  @Override
  public String toString() {
    return terms.toString();
  }
}
