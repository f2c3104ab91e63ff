package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReplies;
import io.penstock.coordination.ObjectReply;
import io.penstock.fake.FaultProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.suite.DocumentPages;
import io.penstock.suite.KnownFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests shared objects in a cluster, and for a Redis user with no more rights than needed. */
class CoordinationRedisIT {
  private static final String[] ADMIN = {"AUTH", "admin", "admin"};

  /** Rights for sharing limits, as listed in {@code src/docs/instances.md}. */
  private static final String LIMITS =
      "+ping +del +eval +evalsha +exists +hdel +hget +hgetall +hmget +hset +info +pexpire +pttl"
          + " +publish +subscribe +time +unsubscribe +zadd +zcard +zrandmember +zrangebyscore"
          + " +zrem";

  /** Further rights for coordination. */
  private static final List<String> RIGHTS =
      List.of("hexists", "hincrby", "hkeys", "persist", "zrange", "zscore");

  private static ObjectOperation place(String key) {
    return new ObjectOperation.Acquire(1, key, 0);
  }

  private static ObjectReply answer(ClientTurn turn) {
    PatientWaits.await("an answer").until(() -> turn.reply() != null);
    return Objects.requireNonNull(turn.reply());
  }

  @Test
  void rights_areThoseOfThePage() {
    String page = DocumentPages.text(DocumentPages.page("instances.md"));
    assertThat(page).contains(LIMITS + "`");
    RIGHTS.forEach(right -> assertThat(page).containsPattern(" \\+" + right + "[ `]"));
  }

  @Test
  void objectsOfACluster_areOnAnyMaster_andKnownToAll() {
    try (RedisCluster redis = RedisCluster.started(2);
        RedisCrew redisCrew =
            new RedisCrew(RedisAddress.parse(redis.url(), null, null), 2, ObjectBounds.DEFAULT)) {
      CoordinationService one = redisCrew.members.get(0);
      CoordinationService other = redisCrew.members.get(1);
      for (int i = 0; i < 20; i++) {
        String name = "s" + i + "}{";
        assertThat(answer(one.call(name, place("a"), 0))).isEqualTo(new ObjectReply.Result("a"));
        ClientTurn waits = other.call(name, place("b"), CoordinationService.FOR_EVER);
        redisCrew.settle();
        assertThat(waits.reply()).isNull();
        assertThat(answer(one.call(name, new ObjectOperation.Release("a"), 0)))
            .isEqualTo(ObjectReplies.DONE);
        assertThat(answer(waits)).isEqualTo(new ObjectReply.Result("b"));
      }
      for (RedisServer master : redis.masters()) {
        assertThat(Long.parseLong(master.command("DBSIZE").substring(1))).isGreaterThan(3);
      }
    }
  }

  @KnownFailure("Redis loses who holds a lock: somebody else is given it.")
  void redisThatLostItsData_givesNoLockThatIsHeld() {
    try (RedisServer server = RedisServer.started();
        RedisCrew redisCrew = new RedisCrew(address(server.port()), 2, ObjectBounds.DEFAULT)) {
      CoordinationService one = redisCrew.members.get(0);
      CoordinationService other = redisCrew.members.get(1);
      if (!answer(one.call("lock", place("a"), 0)).equals(new ObjectReply.Result("a"))) {
        throw new IllegalStateException("nobody has the lock, yet it is not to be had");
      }
      server.command("FLUSHALL");
      assertThat(answer(other.call("lock", place("b"), 0)))
          .isNotEqualTo(new ObjectReply.Result("b"));
    }
  }

  @Test
  void whatWasNotHeard_isAskedForOrUndone_onceThereIsAConnection() {
    try (RedisServer server = RedisServer.started();
        FaultProxy way = new FaultProxy(server.port());
        RedisCrew redisCrew =
            new RedisCrew(
                List.of(address(way.port()), address(server.port())), ObjectBounds.DEFAULT)) {
      CoordinationService far = redisCrew.members.get(0);
      CoordinationService near = redisCrew.members.get(1);
      assertThat(answer(near.call("s", place("held"), 0)))
          .isEqualTo(new ObjectReply.Result("held"));
      assertThat(answer(near.call("other", place("first"), 0)))
          .isEqualTo(new ObjectReply.Result("first"));
      assertThat(answer(near.call("other", new ObjectOperation.Release("first"), 0)))
          .isEqualTo(ObjectReplies.DONE);
      ClientTurn waits = far.call("s", place("waits"), CoordinationService.FOR_EVER);
      redisCrew.settle();
      way.become(FaultProxy.Manner.ANSWERS_LOST);
      ClientTurn unheard = far.call("other", place("unheard"), 0);
      assertThat(answer(near.call("s", new ObjectOperation.Release("held"), 0)))
          .isEqualTo(ObjectReplies.DONE);
      assertThat(answer(unheard)).isInstanceOf(ObjectReply.Unavailable.class);
      assertThat(answer(near.call("other", place("next"), 0))).isEqualTo(ObjectReplies.TIMED_OUT);
      assertThat(waits.reply()).isNull();
      way.become(FaultProxy.Manner.FINE);
      assertThat(answer(waits)).as("it is asked for").isEqualTo(new ObjectReply.Result("waits"));
      redisCrew.ticker.advance(10_000_000_000L); // by now it is done, or never will be
      PatientWaits.await("what nobody heard of is undone")
          .until(
              () -> {
                redisCrew.members.getFirst().beat();
                return answer(near.call("other", place("next"), 0))
                    .equals(new ObjectReply.Result("next"));
              });
    }
  }

  private static RedisAddress address(int port) {
    return RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
  }

  private static long wrong(RedisCrew redisCrew) {
    return redisCrew.members.getFirst().troubles().counts().values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Does everything that needs rights; returns whether all of it worked. */
  private static boolean works(RedisCrew redisCrew, String name) {
    RedisCoordination member = redisCrew.members.getFirst();
    long before = wrong(redisCrew);
    member.beat();
    PatientWaits.await("a sign of life").until(() -> member.settled() || wrong(redisCrew) > before);
    List<ObjectReply> replies = new ArrayList<>();
    replies.add(answer(member.call(name, place("a"), 0)));
    ClientTurn waits = member.call(name, place("b"), 1_000_000_000_000L);
    PatientWaits.await("a place").until(() -> member.waiting() == 1 || waits.reply() != null);
    replies.add(answer(member.call(name, new ObjectOperation.Release("a"), 0)));
    if (replies.contains(ObjectReplies.DONE)) {
      replies.add(answer(waits));
    }
    waits.cancel();
    replies.add(answer(member.call(name, new ObjectOperation.Delete(ObjectKind.SEMAPHORE), 0)));
    return wrong(redisCrew) == before
        && replies.equals(
            List.of(
                new ObjectReply.Result("a"),
                ObjectReplies.DONE,
                new ObjectReply.Result("b"),
                ObjectReplies.DONE));
  }

  @Test
  void userWithTheRights_needsNoOthers_andEachOfThem() {
    String rule =
        "&crew*:coordination:* -@all +subscribe +unsubscribe +" + String.join(" +", RIGHTS);
    try (RedisServer server =
            RedisServer.started(
                    "user default off",
                    "user admin on >admin ~* &* +@all",
                    "user app on >secret ~crew* resetchannels " + rule + " " + LIMITS)
                .login(ADMIN);
        RedisCrew redisCrew =
            new RedisCrew(
                RedisAddress.parse(server.url(), "app", "secret"), 1, ObjectBounds.DEFAULT)) {
      assertThat(works(redisCrew, "first")).isTrue();
      server.command("ACL", "LOG", "RESET"); // Redisson probes its rights when it connects
      assertThat(works(redisCrew, "second")).isTrue();
      assertThat(server.command("ACL", "LOG")).as("what was refused").isEqualTo("*0");
      for (String right : RIGHTS) {
        server.command("ACL", "SETUSER", "app", "-" + right);
        server.command("SCRIPT", "FLUSH");
        assertThat(works(redisCrew, "without " + right)).as(right).isFalse();
        server.command("ACL", "SETUSER", "app", "+" + right);
        PatientWaits.await("all is well with " + right)
            .until(() -> works(redisCrew, "with " + right + wrong(redisCrew)));
      }
    }
  }
}
