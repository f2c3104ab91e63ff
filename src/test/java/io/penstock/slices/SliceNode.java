package io.penstock.slices;

import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.simulator.InvariantViolation;
import io.penstock.simulator.SimRelease;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Objects;

/**
 * One member of a {@link SliceWorld}, with a clock that runs at a slightly different rate, and a
 * queue of its own.
 */
public final class SliceNode implements StepAlarm {
  private record Took(LimitAnswer.Receipt receipt, SimRelease release) {}

  private final SliceWorld world;
  private final String name;
  private final long offset;
  private final double drift;
  private final SliceSync sliceSync;
  private final SharedLimitSource source;
  private final Limit limit;
  private final ArrayDeque<Long> waiting = new ArrayDeque<>();
  private final ArrayDeque<Took> taken = new ArrayDeque<>();
  private boolean crashed;
  private boolean left;
  private long alarms;
  private long looks;

  /** Longest wait so far, by the true time, and the arrivals of waiting requests. */
  long longestWait;

  private final ArrayDeque<Long> since = new ArrayDeque<>();

  SliceNode(SliceWorld world, String name, LimitSpec spec) {
    this.world = world;
    this.name = name;
    this.offset =
        world.random.nextLong(4 * SliceWorld.SECOND) - SliceWorld.START + SliceWorld.SECOND;
    this.drift = (world.random.nextDouble() - 0.5) * 100e-6;
    this.sliceSync =
        new SliceSync(
            name,
            world.store::carry,
            this::local,
            this,
            SliceWorld.PACE,
            world.onOutage,
            world.random::nextDouble);
    this.source = new SharedLimitSource(sliceSync, id -> true);
    this.limit = source.limit(SliceWorld.ID, spec, local());
    SliceDemand sliceDemand = Objects.requireNonNull(limit.sharing().demand());
    sliceDemand.join(() -> world.at(world.now(), this::look));
  }

  String name() {
    return name;
  }

  Limit limit() {
    return limit;
  }

  public SliceSync rounds() {
    return sliceSync;
  }

  long local() {
    return localAt(world.now());
  }

  private long localAt(long time) {
    return time + offset + (long) ((time - SliceWorld.START) * drift);
  }

  void start() {
    sliceSync.start();
  }

  /** Changes the limit by a reload. */
  void reload(LimitSpec spec) {
    source.limit(SliceWorld.ID, spec, local());
  }

  /** Crashes the member: it sends and releases nothing more. */
  public void crash() {
    crashed = true;
    sliceSync.stop();
    world.permits.end(this);
    waiting.clear();
    since.clear();
  }

  /** Makes the member leave, with a report of that. */
  void leave() {
    left = true;
    sliceSync.leave();
    waiting.clear();
    since.clear();
  }

  @Override
  public void soon(Runnable step) {
    world.at(world.now(), () -> run(step));
  }

  @Override
  public void at(long instant, Runnable step) {
    long mine = ++alarms;
    if (instant != Ticker.NEVER) {
      world.at(trueTime(instant), () -> runIf(mine == alarms, step));
    }
  }

  private void runIf(boolean still, Runnable step) {
    if (still) {
      run(step);
    }
  }

  private void run(Runnable step) {
    if (!crashed) {
      step.run();
    }
  }

  private long trueTime(long instant) {
    long time = instant - offset;
    time -= (long) ((time - SliceWorld.START) * drift);
    for (long lacks = instant - localAt(time); lacks > 0; lacks = instant - localAt(time)) {
      time += lacks;
    }
    return time;
  }

  void arrive(long amount) {
    if (serves()) {
      waiting.add(amount);
      since.add(world.now());
      look();
    }
  }

  int waits() {
    return waiting.size();
  }

  /** Returns whether it has neither ended nor begun to leave. */
  boolean serves() {
    return !crashed && !left;
  }

  /** Returns whether its limit would let the first waiting request pass. */
  boolean admitsFirst() {
    if (waiting.isEmpty() || !serves()) {
      return false;
    }
    long now = local();
    long amount = Math.min(waiting.getFirst(), limit.capacity(now));
    return amount <= limit.room(now) && limit.paceAllowsAt(amount, now) <= now;
  }

  /** Fails if anything would still pass although all slices have expired. */
  void assertNothingLeft() {
    if (serves() && limit.room(local()) > 0) {
      throw new InvariantViolation(
          "%s may spend %d of slices that the store has given to others"
              .formatted(name, limit.room(local())));
    }
  }

  private void look() {
    while (!waiting.isEmpty() && !crashed) {
      long amount = waiting.getFirst();
      LimitAnswer answer = limit.take(Weight.exactly(amount), local());
      if (answer instanceof LimitAnswer.Receipt receipt) {
        waiting.removeFirst();
        longestWait = Math.max(longestWait, world.now() - since.removeFirst());
        SimRelease release = new SimRelease(name, world.now(), amount);
        world.releases.add(release);
        if (world.spec instanceof LimitSpec.Concurrency) {
          runOn(receipt, release);
        } else {
          taken.add(new Took(receipt, release));
        }
        continue;
      }
      if (answer instanceof LimitAnswer.Wait wait && wait.untilNanos() != Ticker.NEVER) {
        long mine = ++looks;
        world.at(
            trueTime(wait.untilNanos()),
            () -> {
              if (mine == looks) {
                look();
              }
            });
      }
      return;
    }
  }

  /** Keeps a permit for the time of the run. */
  private void runOn(LimitAnswer.Receipt receipt, SimRelease release) {
    world.permits.begin(release);
    world.at(
        world.now() + world.shortestRun + world.random.nextLong(3 * SliceWorld.SECOND),
        () -> {
          if (!crashed) {
            world.permits.end(release);
            limit.giveBack(receipt, release.amount, 0, local());
            look();
          }
        });
  }

  /** Gives back a part of an earlier amount. */
  void giveBack() {
    Took took = taken.pollFirst();
    if (took != null && !crashed && took.release().amount > 1) {
      long back = 1 + world.random.nextLong(took.release().amount - 1);
      took.release().giveBack(back);
      limit.giveBack(took.receipt(), back, 0, local());
      look();
    }
  }
}
