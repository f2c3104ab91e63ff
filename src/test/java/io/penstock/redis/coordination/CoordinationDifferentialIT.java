package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.MemoryCoordination;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.fake.RedisProgram;
import io.penstock.fake.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares the objects of one instance with those of three instances that share them, over random
 * histories of clients that come, take, go away and change sizes. Every answer must be the same,
 * and come at the same instant.
 */
@Order(2) // takes long
class CoordinationDifferentialIT {
  private static final int HISTORIES = Integer.getInteger("penstock.coordination.histories", 20);
  private static final int STEPS = 120;
  private static final long MILLI = 1_000_000L;

  /** One client on each side. */
  private record Both(ObjectOperation operation, ClientTurn here, ClientTurn there) {}

  /** An instance alone, and three that share. */
  private record Sides(RedisCrew crew, CoordinationService shared, CoordinationService memory) {
    static Sides on(RedisServer server) {
      RedisCrew redisCrew = new RedisCrew(server, 3, ObjectBounds.DEFAULT);
      CoordinationService memory =
          new MemoryCoordination(
              ObjectBounds.DEFAULT,
              redisCrew.ticker,
              () -> RedisCrew.BORN_MICROS / 1_000 + redisCrew.ticker.nanos() / MILLI,
              redisCrew.bell());
      return new Sides(redisCrew, redisCrew.together(), memory);
    }
  }

  private final Map<Class<? extends ObjectReply>, Integer> seen = new HashMap<>();

  private Random random = new Random();
  private String name = "";
  private List<Both> clients = new ArrayList<>();

  private ObjectOperation operation(ObjectKind objectKind) {
    long size = random.nextInt(5);
    String key = "key " + random.nextInt(6);
    if (random.nextInt(12) == 0) {
      return new ObjectOperation.Inspect(objectKind);
    }
    if (random.nextInt(40) == 0) {
      return new ObjectOperation.Delete(objectKind);
    }
    return switch (objectKind) {
      case TOKENBUCKET ->
          new ObjectOperation.TakeToken(size, 125 * MILLI * (1 + random.nextInt(4)));
      case SEMAPHORE ->
          random.nextInt(3) == 0
              ? new ObjectOperation.Release(key)
              : new ObjectOperation.Acquire(size, key, 200 * MILLI * random.nextInt(4));
      case EVENT ->
          random.nextInt(10) == 0
              ? new ObjectOperation.Send(message())
              : new ObjectOperation.AwaitEvent();
      case WATCHDOG ->
          random.nextInt(4) == 0
              ? new ObjectOperation.Kick(random.nextInt(1_000) * MILLI)
              : new ObjectOperation.AwaitSilence();
      case COUNTER -> counter();
      case BARRIER -> new ObjectOperation.Arrive(random.nextInt(8) == 0 ? size : 6);
    };
  }

  private String message() {
    return List.of("", "on", "two\nlines, \u00e4\u20ac").get(random.nextInt(3));
  }

  private ObjectOperation counter() {
    long any = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(9) - 4;
    return switch (random.nextInt(4)) {
      case 0 -> new ObjectOperation.Reset(any);
      case 1 -> new ObjectOperation.Value();
      default -> new ObjectOperation.Count(any);
    };
  }

  private void arrive(Sides sides) {
    List<ObjectKind> kinds = List.of(ObjectKind.values());
    ObjectKind objectKind = kinds.get(random.nextInt(kinds.size()));
    if (random.nextBoolean()) {
      objectKind = random.nextBoolean() ? ObjectKind.TOKENBUCKET : ObjectKind.SEMAPHORE;
    }
    ObjectOperation objectOperation = operation(objectKind);
    long maxWait =
        switch (random.nextInt(3)) {
          case 0 -> 0;
          case 1 -> (1 + random.nextInt(1_500)) * MILLI;
          default -> CoordinationService.FOR_EVER;
        };
    ClientTurn here = sides.memory().call(name, objectOperation, maxWait);
    ClientTurn there = sides.shared().call(name, objectOperation, maxWait);
    clients.add(new Both(objectOperation, here, there));
  }

  private void step(Sides sides) {
    switch (random.nextInt(8)) {
      case 0, 1, 2, 3 -> arrive(sides);
      case 4, 5 -> sides.crew().pass(random.nextInt(300) * 1_000L * random.nextInt(1_000));
      default -> {
        if (!clients.isEmpty()) {
          Both client = clients.get(random.nextInt(clients.size()));
          if (random.nextInt(3) == 0) {
            assertThat(client.there().take()).isEqualTo(client.here().take());
          } else {
            client.here().cancel();
            client.there().cancel();
          }
        }
      }
    }
    sides.crew().settle();
  }

  private void compare(long seed, int step) {
    for (int i = 0; i < clients.size(); i++) {
      Both client = clients.get(i);
      @Nullable ObjectReply expected = client.here().reply();
      if (!Objects.equals(client.there().reply(), expected)) {
        assertThat(client.there().reply())
            .as("seed %d, step %d, client %d: %s", seed, step, i, client.operation())
            .isEqualTo(expected);
      }
    }
  }

  private void play(Sides sides, long seed) {
    random = new Random(seed);
    name = "h" + seed;
    clients = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      step(sides);
      compare(seed, step);
    }
    for (ObjectKind objectKind : ObjectKind.values()) {
      ObjectOperation inspect = new ObjectOperation.Inspect(objectKind);
      clients.add(
          new Both(
              inspect,
              sides.memory().call(name, inspect, 0),
              sides.shared().call(name, inspect, 0)));
    }
    sides.crew().settle();
    compare(seed, STEPS);
    for (Both client : clients) {
      ObjectReply objectReply = client.here().reply();
      if (objectReply != null) {
        seen.merge(objectReply.getClass(), 1, Integer::sum);
      }
      client.here().cancel();
      client.there().cancel();
    }
    sides.crew().settle();
    long waiting = sides.memory().waiting();
    assertThat(sides.shared().waiting()).as("seed %d", seed).isEqualTo(waiting).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void randomHistories_everyAnswerIsTheSameAloneAndShared(RedisProgram program) {
    program.assumeInstalled();
    int histories = program.histories(HISTORIES);
    LongStream seeds =
        LongStream.concat(
            LongStream.rangeClosed(1, histories), LongStream.of(new Random().nextLong()));
    try (RedisServer server = program.started()) {
      Sides sides = Sides.on(server);
      RedisCrew redisCrew = sides.crew();
      try (redisCrew) {
        seeds.forEach(seed -> play(sides, seed));
      }
    }
    for (Class<? extends ObjectReply> kind :
        List.<Class<? extends ObjectReply>>of(
            ObjectReply.Done.class,
            ObjectReply.Result.class,
            ObjectReply.Statistics.class,
            ObjectReply.TimedOut.class,
            ObjectReply.Conflict.class,
            ObjectReply.Missing.class)) {
      assertThat(seen.getOrDefault(kind, 0)).as("%s", kind).isGreaterThan(histories / 2);
    }
  }
}
