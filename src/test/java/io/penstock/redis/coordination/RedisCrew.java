package io.penstock.redis.coordination;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Instances that share objects of a real Redis, on one clock that the test moves. */
final class RedisCrew implements AutoCloseable {
  static final long BORN_MICROS = 1_700_000_000_000_000L;
  private static final AtomicInteger CREWS = new AtomicInteger();
  private static final long FOR_EVER = 1_000_000_000_000_000_000L;
  private static final long MOST_NANOS = PatientWaits.LONGEST.toNanos();

  /** Alarm that rings when the test makes it. */
  private static final class Bell implements StepAlarm {
    private long atNanos = Ticker.NEVER;
    private @Nullable Runnable step;

    @Override
    public void soon(Runnable step) {
      throw new UnsupportedOperationException("coordination runs its steps at instants");
    }

    @Override
    public synchronized void at(long instantNanos, Runnable step) {
      this.atNanos = instantNanos;
      this.step = step;
    }

    synchronized long next() {
      return atNanos;
    }

    synchronized Runnable due() {
      Runnable due = step == null ? () -> {} : step;
      atNanos = Ticker.NEVER;
      step = null;
      return due;
    }

    @Override
    public synchronized void close() {
      atNanos = Ticker.NEVER;
      step = null;
    }
  }

  /** Store clock for a Redis with the same clock as this instance. */
  private final class Shared implements StoreClock {
    @Override
    public void addReading(long askedNanos, long heardNanos, long storeMicros) {
      // the clock is known
    }

    @Override
    public long localNanos(long storeMicros, long nowNanos) {
      return (storeMicros - BORN_MICROS) * 1_000;
    }

    @Override
    public String fence(long nowNanos) {
      return "";
    }

    @Override
    public String now() {
      return Long.toString(BORN_MICROS + ticker.nanos() / 1_000);
    }
  }

  /** Time for an answer of Redis, also to thousands of questions at once on a busy machine. */
  private static final int ANSWER_MILLIS = 60_000;

  final FakeTicker ticker = new FakeTicker();
  final String namespace = "crew" + CREWS.incrementAndGet();
  final List<RedisCoordination> members = new ArrayList<>();
  private final List<Bell> bells = new ArrayList<>();
  private int turn;

  /** Returns another alarm on the same clock. */
  StepAlarm bell() {
    Bell bell = new Bell();
    bells.add(bell);
    return bell;
  }

  RedisCrew(RedisServer server, int size, ObjectBounds bounds) {
    this(RedisAddress.parse(server.url(), null, null), size, bounds);
  }

  RedisCrew(RedisAddress address, int size, ObjectBounds bounds) {
    this(Collections.nCopies(size, address), bounds);
  }

  /** Creates instances, each with a connection of its own. */
  RedisCrew(List<RedisAddress> ways, ObjectBounds bounds) {
    for (int i = 0; i < ways.size(); i++) {
      RedisLink link = new RedisLink(ways.get(i), null, ANSWER_MILLIS, Ticker.system());
      Bell bell = new Bell();
      Membership.Names names = RedisCoordination.names(namespace, "m" + i, FOR_EVER);
      members.add(
          new RedisCoordination(link, names, bounds, ticker, new Shared(), bell, new Bell()));
      bells.add(bell);
    }
    for (RedisCoordination member : members) {
      await(
          "an instance that has joined",
          () -> {
            if (!member.ready()) {
              member.beat();
            }
            return member.ready();
          });
    }
    settle();
  }

  private static void await(String what, BooleanSupplier condition) {
    long until = Ticker.system().nanos() + MOST_NANOS;
    Ticker real = Ticker.system();
    for (int tries = 0; !condition.getAsBoolean(); tries++) {
      if (tries > 0 && real.nanos() > until) {
        throw new AssertionError("never came: " + what);
      }
      LockSupport.parkNanos(50_000);
    }
  }

  /** Waits until all calls are answered and all publications received. */
  void settle() {
    await("nothing on its way", () -> members.stream().allMatch(RedisCoordination::settled));
    for (int round = 0; round < 2 && members.size() > 1; round++) {
      members.forEach(RedisCoordination::beat); // it comes after all earlier publications
      await("nothing unheard", () -> members.stream().allMatch(RedisCoordination::settled));
    }
  }

  /** Advances time; each alarm rings at its instant. */
  void pass(long nanos) {
    long end = ticker.nanos() + nanos;
    while (true) {
      long next = bells.stream().mapToLong(Bell::next).min().orElse(Ticker.NEVER);
      if (next > end) {
        break;
      }
      ticker.set(Math.max(next, ticker.nanos()));
      for (Bell bell : bells) {
        if (bell.next() <= ticker.nanos()) {
          bell.due().run();
        }
      }
      settle();
    }
    ticker.set(end);
  }

  /** Returns all instances as one, with each call made by the next one. */
  CoordinationService together() {
    return new CoordinationService() {
      @Override
      public ClientTurn call(
          String tenant, String name, ObjectOperation operation, long maxWaitNanos) {
        turn = (turn + 1) % members.size();
        return members.get(turn).call(tenant, name, operation, maxWaitNanos);
      }

      @Override
      public boolean ready() {
        return members.stream().allMatch(CoordinationService::ready);
      }

      @Override
      public long waiting() {
        return members.stream().mapToLong(CoordinationService::waiting).sum();
      }

      @Override
      public long objects() {
        return members.getFirst().objects();
      }

      @Override
      public long bytes() {
        return members.getFirst().bytes();
      }

      @Override
      public void dismiss(ObjectReply answer) {
        members.forEach(member -> member.dismiss(answer));
      }

      @Override
      public void close() {
        members.forEach(CoordinationService::close);
      }
    };
  }

  @Override
  public void close() {
    members.forEach(RedisCoordination::close);
  }
}
