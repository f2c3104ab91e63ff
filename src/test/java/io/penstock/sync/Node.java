package io.penstock.sync;

import io.penstock.cost.Weight;
import io.penstock.limit.Answer;
import io.penstock.limit.Demand;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sim.SimRelease;
import io.penstock.sim.Violation;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.Objects;

/**
 * One member of a {@link World}, with a clock that runs at a slightly different rate, and a queue
 * of its own.
 */
final class Node implements StepAlarm {
  private record Took(Answer.Receipt receipt, SimRelease release) {}

  private final World world;
  private final String name;
  private final long offset;
  private final double drift;
  private final Rounds rounds;
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

  Node(World world, String name, LimitSpec spec) {
    this.world = world;
    this.name = name;
    this.offset = world.random.nextLong(4 * World.SECOND) - World.START + World.SECOND;
    this.drift = (world.random.nextDouble() - 0.5) * 100e-6;
    this.rounds =
        new Rounds(
            name,
            world.store::carry,
            this::local,
            this,
            World.PACE,
            world.onOutage,
            world.random::nextDouble);
    this.source = new SharedLimitSource(rounds, id -> true);
    this.limit = source.limit(World.ID, spec, local());
    Demand demand = Objects.requireNonNull(limit.demand());
    demand.join(() -> world.at(world.now(), this::look));
  }

  String name() {
    return name;
  }

  Limit limit() {
    return limit;
  }

  Rounds rounds() {
    return rounds;
  }

  long local() {
    return localAt(world.now());
  }

  private long localAt(long time) {
    return time + offset + (long) ((time - World.START) * drift);
  }

  void start() {
    rounds.start();
  }

  /** Changes the limit by a reload. */
  void reload(LimitSpec spec) {
    source.limit(World.ID, spec, local());
  }

  /** Crashes the member: it sends and releases nothing more. */
  void crash() {
    crashed = true;
    rounds.stop();
    world.permits.end(this);
    waiting.clear();
    since.clear();
  }

  /** Makes the member leave, with a report of that. */
  void leave() {
    left = true;
    rounds.leave();
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
    time -= (long) ((time - World.START) * drift);
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
    return amount <= limit.room(now) && limit.paced(amount, now) <= now;
  }

  /** Fails if anything would still pass although all slices have expired. */
  void assertNothingLeft() {
    if (serves() && limit.room(local()) > 0) {
      throw new Violation(
          "%s may spend %d of slices that the store has given to others"
              .formatted(name, limit.room(local())));
    }
  }

  private void look() {
    while (!waiting.isEmpty() && !crashed) {
      long amount = waiting.getFirst();
      Answer answer = limit.take(Weight.exactly(amount), local());
      if (answer instanceof Answer.Receipt receipt) {
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
      if (answer instanceof Answer.Wait wait && wait.untilNanos() != Ticker.NEVER) {
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
  private void runOn(Answer.Receipt receipt, SimRelease release) {
    world.permits.begin(release);
    world.at(
        world.now() + world.shortestRun + world.random.nextLong(3 * World.SECOND),
        () -> {
          if (!crashed) {
            world.permits.end(release);
            limit.give(receipt, release.amount, 0, local());
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
      limit.give(took.receipt(), back, 0, local());
      look();
    }
  }
}
