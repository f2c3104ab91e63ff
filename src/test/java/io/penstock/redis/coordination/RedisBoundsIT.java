package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectBoundsContract;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReply;
import io.penstock.fake.RedisServer;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the bounds of objects in Redis, and that they count at least what Redis needs. */
class RedisBoundsIT extends ObjectBoundsContract {
  private static final long HOUR = 3_600_000_000_000L;
  private static final int MANY = 4_000;

  private final RedisServer server = RedisServer.shared();
  private final RedisCrew crew = new RedisCrew(server, 1, BOUNDS);
  private final RedisCoordination member = crew.members.getFirst();

  @AfterEach
  void close() {
    crew.close();
  }

  @Override
  protected CoordinationService coordination() {
    return member;
  }

  @Override
  protected void settle() {
    crew.settle();
  }

  private ObjectReply now(RedisCrew of, String tenant, String name, ObjectOperation operation) {
    var turn = of.members.getFirst().call(tenant, name, operation, 0);
    of.settle();
    assertThat(turn.take()).isTrue();
    return turn.reply();
  }

  private ObjectReply count(String name) {
    return now(crew, "a", name, new ObjectOperation.Count(1));
  }

  private String registry(String part) {
    return crew.namespace + ":coordination:{all}" + part;
  }

  private String key(ObjectKind kind, String name) {
    return crew.namespace + ":coordination:{" + kind.word() + ":" + name + "}";
  }

  /** Returns the objects and bytes that are counted for a tenant. */
  private String counted(String tenant) {
    return server.command("HGET", registry(":t"), tenant);
  }

  @Test
  void objectsThatRedisForgot_areSweptAndNotCounted() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 20; i++) {
        assertThat(count("c" + i)).isEqualTo(new ObjectReply.Result("1"));
      }
      assertThat(count("more")).isInstanceOf(ObjectReply.Full.class);
      for (int i = 0; i < 20; i++) {
        server.command("DEL", key(ObjectKind.COUNTER, "c" + i));
      }
      crew.pass(HOUR);
      member.beat();
      crew.settle();
      member.beat();
      crew.settle();
      assertThat(member.objects()).isZero();
      assertThat(member.bytes()).isZero();
      assertThat(counted("a")).isEqualTo("$-1");
      assertThat(counted("")).isEqualTo("$-1");
    }
  }

  @Test
  void roomThatIsNotNeededAnyMore_isGivenBack() {
    for (int i = 0; i < 100; i++) {
      now(crew, "a", "s", new ObjectOperation.Acquire(1_000, "k" + i, HOUR));
    }
    long most = Long.parseLong(counted("a").split(" ", -1)[1]);
    for (int i = 0; i < 100; i++) {
      now(crew, "a", "s", new ObjectOperation.Release("k" + i));
    }
    crew.pass(HOUR);
    member.beat();
    crew.settle();
    assertThat(Long.parseLong(counted("a").split(" ", -1)[1])).isLessThan(most / 10);
  }

  private static long usedBytes(RedisServer redis) {
    return redis
        .command("INFO", "memory")
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void memoryOfRedis_isNotMoreThanWhatIsCounted() {
    List<IntFunction<ObjectOperation>> operations =
        List.of(
            i -> new ObjectOperation.Count(1),
            i -> new ObjectOperation.Send("m".repeat(1_000)),
            i -> new ObjectOperation.Kick(HOUR),
            i -> new ObjectOperation.Arrive(1),
            i -> new ObjectOperation.TakeToken(1, HOUR),
            i -> new ObjectOperation.Acquire(1, UUID.randomUUID().toString(), HOUR),
            i -> new ObjectOperation.Acquire(MANY, i + "k".repeat(200), HOUR),
            i -> new ObjectOperation.Acquire(MANY, Integer.toString(i), HOUR));
    ObjectBounds wide = new ObjectBounds(10, 100_000, 1L << 30, 1, MANY, HOUR);
    for (int each = 0; each < operations.size(); each++) {
      boolean one = each >= operations.size() - 2; // one semaphore with many places
      try (RedisServer redis = RedisServer.started();
          RedisCrew filling = new RedisCrew(redis, 1, wide)) {
        now(filling, "a", "first", operations.get(each).apply(0));
        long before = usedBytes(redis);
        for (int i = 0; i < MANY; i++) {
          String name = one ? "it" : "object " + i;
          filling.members.getFirst().call("a", name, operations.get(each).apply(i), 0);
        }
        filling.settle();
        long used = usedBytes(redis) - before;
        String key = filling.namespace + ":coordination:{all}:t";
        long counted = Long.parseLong(redis.command("HGET", key, "").split(" ", -1)[1]);
        String operation = operations.get(each).apply(0).toString();
        String shown = operation.substring(0, Math.min(60, operation.length()));
        System.out.printf(
            "%s: %d bytes in Redis for each, %d counted%n", shown, used / MANY, counted / MANY);
        assertThat(used).as(shown).isBetween(counted / 10, counted);
      }
    }
  }
}
