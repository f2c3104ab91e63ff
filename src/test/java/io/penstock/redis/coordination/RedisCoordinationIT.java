package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ClientTurn;
import io.penstock.coordination.CoordinationService;
import io.penstock.coordination.ObjectBounds;
import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.ObjectReplies;
import io.penstock.coordination.ObjectReply;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests behaviour that only shared objects have. */
class RedisCoordinationIT {
  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECOND;
  private static final long HOUR_MILLIS = 3_600_000;

  private final RedisServer server = RedisServer.shared();
  private final RedisCrew crew =
      new RedisCrew(server, 2, new ObjectBounds(2, 5, 1_000_000, 1, 3, HOUR));

  @AfterEach
  void close() {
    crew.close();
  }

  private ClientTurn ask(int member, String name, ObjectOperation operation, long maxWaitNanos) {
    ClientTurn turn = crew.members.get(member).call(name, operation, maxWaitNanos);
    crew.settle();
    return turn;
  }

  private ClientTurn ask(int member, String name, ObjectOperation operation) {
    return ask(member, name, operation, CoordinationService.FOR_EVER);
  }

  private ObjectReply now(int member, String name, ObjectOperation operation) {
    ClientTurn turn = ask(member, name, operation, 0);
    assertThat(turn.take()).as("%s is answered", operation).isTrue();
    return Objects.requireNonNull(turn.reply());
  }

  private static ObjectOperation place(String key, long expiresNanos) {
    return new ObjectOperation.Acquire(1, key, expiresNanos);
  }

  private String key(ObjectKind kind, String name) {
    return crew.namespace + ":coordination:{" + kind.word() + ":" + name + "}";
  }

  private long ttl(ObjectKind kind, String name) {
    return Long.parseLong(server.command("PTTL", key(kind, name)).substring(1));
  }

  @Test
  void soManyWaitAtAnInstance_andNotOneMore() {
    for (int i = 0; i < 2; i++) {
      assertThat(ask(0, "e", new ObjectOperation.AwaitEvent()).reply()).isNull();
    }
    assertThat(ask(0, "e", new ObjectOperation.AwaitEvent()).reply())
        .isEqualTo(new ObjectReply.Full("2 clients wait already"));
    assertThat(ask(0, "e", new ObjectOperation.AwaitEvent(), 0).reply())
        .isEqualTo(ObjectReplies.TIMED_OUT);
    assertThat(ask(1, "e", new ObjectOperation.AwaitEvent()).reply()).isNull();
    assertThat(crew.members.get(0).waiting()).isEqualTo(2);
    assertThat(crew.members.get(1).waiting()).isEqualTo(1);
    assertThat(now(0, "e", new ObjectOperation.Send(""))).isEqualTo(ObjectReplies.DONE);
    assertThat(crew.together().waiting()).isZero();
    assertThat(ask(0, "other", new ObjectOperation.AwaitEvent()).reply()).isNull();
  }

  @Test
  void soManyObjectsAreThere_andNotOneMore() {
    for (int i = 0; i < 5; i++) {
      assertThat(now(i % 2, "c" + i, new ObjectOperation.Count(1)))
          .isEqualTo(new ObjectReply.Result("1"));
    }
    assertThat(now(0, "c5", new ObjectOperation.Count(1)))
        .isEqualTo(new ObjectReply.Full("5 objects are there already"));
    assertThat(now(1, "c0", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("2"));
    assertThat(now(0, "c5", new ObjectOperation.Inspect(ObjectKind.COUNTER)))
        .isEqualTo(ObjectReplies.MISSING);
    assertThat(now(0, "c0", new ObjectOperation.Delete(ObjectKind.COUNTER)))
        .isEqualTo(ObjectReplies.DONE);
    assertThat(now(1, "c5", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("1"));
    crew.members.forEach(RedisCoordination::beat);
    crew.settle();
    assertThat(crew.members.getFirst().objects()).isEqualTo(5);
  }

  @Test
  void objectsThatRedisForgot_makeRoomForOthers() {
    for (int i = 0; i < 5; i++) {
      now(0, "c" + i, new ObjectOperation.Count(1));
    }
    crew.pass(HOUR);
    server.command("DEL", key(ObjectKind.COUNTER, "c3"), key(ObjectKind.COUNTER, "c4"));
    assertThat(now(1, "c5", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("1"));
    assertThat(now(0, "c0", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("2"));
  }

  @Test
  void soManyPlacesOfASemaphoreAreHeld_andNotOneMore() {
    for (int i = 0; i < 3; i++) {
      assertThat(now(i % 2, "s", new ObjectOperation.Acquire(9, "k" + i, 0)))
          .isEqualTo(new ObjectReply.Result("k" + i));
    }
    assertThat(now(0, "s", new ObjectOperation.Acquire(9, "k3", 0)))
        .isEqualTo(new ObjectReply.Full("3 places of semaphores are held already"));
  }

  @Test
  void idleObject_isForgottenByRedis_whenNothingIsLostByThat() {
    now(0, "c", new ObjectOperation.Count(1));
    assertThat(ttl(ObjectKind.COUNTER, "c")).isBetween(HOUR_MILLIS - 60_000, HOUR_MILLIS);
    now(0, "s", place("a", 2 * HOUR));
    assertThat(ttl(ObjectKind.SEMAPHORE, "s")).isBetween(2 * HOUR_MILLIS - 60_000, 2 * HOUR_MILLIS);
    ClientTurn waits = ask(1, "s", place("b", SECOND));
    assertThat(ttl(ObjectKind.SEMAPHORE, "s")).isEqualTo(-1);
    waits.cancel();
    crew.settle();
    assertThat(ttl(ObjectKind.SEMAPHORE, "s")).isPositive();
    now(0, "s", new ObjectOperation.Release("a"));
    assertThat(ttl(ObjectKind.SEMAPHORE, "s")).isBetween(HOUR_MILLIS - 60_000, HOUR_MILLIS);
    now(0, "s", place("a", 0));
    assertThat(ttl(ObjectKind.SEMAPHORE, "s")).as("held for ever").isEqualTo(-1);
    now(0, "t", new ObjectOperation.TakeToken(1, 5 * HOUR));
    assertThat(ttl(ObjectKind.TOKENBUCKET, "t"))
        .isBetween(5 * HOUR_MILLIS - 60_000, 5 * HOUR_MILLIS);
    now(0, "e", new ObjectOperation.Send(""));
    assertThat(ttl(ObjectKind.EVENT, "e")).isBetween(HOUR_MILLIS - 60_000, HOUR_MILLIS);
    now(0, "w", new ObjectOperation.Kick(2 * HOUR));
    assertThat(ttl(ObjectKind.WATCHDOG, "w")).isBetween(3 * HOUR_MILLIS - 60_000, 3 * HOUR_MILLIS);
  }

  @Test
  void objectWhereSomebodyWaits_isKept_andForgottenLater() {
    ClientTurn first = ask(0, "b", new ObjectOperation.Arrive(2));
    assertThat(ttl(ObjectKind.BARRIER, "b")).isEqualTo(-1);
    assertThat(ask(1, "b", new ObjectOperation.Arrive(2)).reply()).isEqualTo(ObjectReplies.DONE);
    assertThat(first.reply()).isEqualTo(ObjectReplies.DONE);
    assertThat(ttl(ObjectKind.BARRIER, "b")).isBetween(HOUR_MILLIS - 60_000, HOUR_MILLIS);
  }

  @Test
  void objectThatWasLost_givesNothingThatMayBeHeldStill() {
    now(0, "s", place("a", 60 * SECOND));
    now(0, "t", new ObjectOperation.TakeToken(1, 60 * SECOND));
    crew.pass(30 * SECOND);
    for (String part : new String[] {"", ":x", ":h"}) {
      server.command("DEL", key(ObjectKind.SEMAPHORE, "s") + part);
    }
    server.command("DEL", key(ObjectKind.TOKENBUCKET, "t"));
    ClientTurn place = ask(1, "s", place("b", 60 * SECOND));
    ClientTurn token = ask(0, "t", new ObjectOperation.TakeToken(1, 60 * SECOND));
    crew.pass(60 * SECOND - 1_000);
    assertThat(place.reply()).isNull();
    assertThat(token.reply()).isNull();
    crew.pass(1_000);
    assertThat(place.reply()).isEqualTo(new ObjectReply.Result("b"));
    assertThat(token.reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void objectThatWasLost_barsFromItsFirstPlaceOn_andNotAgain() {
    now(0, "s", place("a", 60 * SECOND));
    crew.pass(30 * SECOND);
    for (String part : new String[] {"", ":x", ":h"}) {
      server.command("DEL", key(ObjectKind.SEMAPHORE, "s") + part);
    }
    ClientTurn waits = ask(1, "s", place("b", SECOND));
    crew.pass(SECOND);
    assertThat(waits.reply()).isEqualTo(new ObjectReply.Result("b"));
    now(0, "s", new ObjectOperation.Release("b"));
    assertThat(now(0, "s", place("c", 24 * HOUR))).isEqualTo(new ObjectReply.Result("c"));
  }

  @Test
  void whatIsOnlyLookedAt_isForgottenNoLater() {
    now(0, "c", new ObjectOperation.Count(1));
    now(0, "d", new ObjectOperation.Count(1));
    server.command("PEXPIRE", key(ObjectKind.COUNTER, "c"), "60000");
    crew.pass(HOUR); // its own clock suggests that it is forgotten by now, so it is looked at
    now(1, "e", new ObjectOperation.Count(1));
    crew.settle();
    assertThat(ttl(ObjectKind.COUNTER, "c")).isBetween(0L, 60_000L);
    server.command("DEL", key(ObjectKind.COUNTER, "c"));
    crew.pass(61 * SECOND);
    for (int i = 0; i < 2; i++) {
      now(1, "f" + i, new ObjectOperation.Count(1));
    }
    assertThat(crew.members.get(1).objects()).as("d, e, f0, f1").isEqualTo(4);
  }

  @Test
  void whatWasSaidLater_isNotOvertakenByAnAnswer() {
    ClientTurn waits = ask(0, "w", new ObjectOperation.AwaitSilence());
    String channel = crew.namespace + ":coordination:m0";
    String key = key(ObjectKind.WATCHDOG, "w");
    long now = RedisCrew.BORN_MICROS + crew.ticker.nanos() / 1_000;
    // the first is the newer one
    server.command("PUBLISH", channel, publication(key, now + 2, now + 1_000_000));
    server.command("PUBLISH", channel, publication(key, now + 1, now + 50_000_000));
    crew.settle();
    server.command("HSET", key, "expires", Long.toString(now + 1_000_000));
    crew.pass(SECOND);
    assertThat(waits.reply()).isEqualTo(ObjectReplies.DONE);
  }

  private static String publication(String key, long nowMicros, long nextMicros) {
    return "%s\n%d\n%d\n\n".formatted(key, nowMicros, nextMicros);
  }

  @Test
  void signOfLifeThatCameLate_isNoLoss() {
    String key = crew.namespace + ":coordination:{all}";
    long number = Long.parseLong(server.command("HGET", key, "n:m0.1"));
    String script = Membership.SCRIPT.text();
    String channel = crew.namespace + ":coordination:m0";
    String late = Long.toString(number - 1);
    String answered = Long.toString(number - 2);
    String lease = "1000000000000000";
    server.command(
        "EVAL", script, "1", key, "beat", "m0.1", "", "", late, answered, lease, channel);
    crew.settle();
    assertThat(now(0, "c", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("1"));
    assertThat(server.command("HEXISTS", key, "lost")).isEqualTo(":0");
  }

  @Test
  void objectThatWasDeleted_beginsAnew() {
    now(0, "s", place("a", 60 * SECOND));
    crew.pass(30 * SECOND);
    now(1, "s", new ObjectOperation.Delete(ObjectKind.SEMAPHORE));
    assertThat(now(0, "s", place("b", 60 * SECOND))).isEqualTo(new ObjectReply.Result("b"));
  }

  @Test
  void valueOfSomebodyElse_failsThatObjectAlone() {
    server.command("SET", key(ObjectKind.COUNTER, "c"), "text");
    server.command("HSET", key(ObjectKind.EVENT, "e"), "born", "when");
    assertThat(now(0, "c", new ObjectOperation.Count(1)))
        .isInstanceOf(ObjectReply.Unavailable.class);
    assertThat(now(1, "e", new ObjectOperation.Send("")))
        .isInstanceOf(ObjectReply.Unavailable.class);
    assertThat(now(0, "d", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("1"));
    assertThat(server.command("GET", key(ObjectKind.COUNTER, "c"))).isEqualTo("text");
  }

  @Test
  void scriptsThatRedisForgot_areThereAgain() {
    now(0, "c", new ObjectOperation.Count(1));
    server.command("SCRIPT", "FLUSH");
    assertThat(now(0, "c", new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("2"));
  }

  @Test
  void instanceThatNobodyCountsOn_losesItsPlaces_andComesBackUnderAnotherName() {
    now(1, "s", place("held", 0));
    ClientTurn lost = ask(0, "s", place("lost", 0));
    ClientTurn waits = ask(1, "s", place("waits", 0));
    server.command("ZREM", crew.namespace + ":coordination:{all}:m", "m0.1");
    crew.settle(); // it sends a heartbeat, and learns that it is not known
    assertThat(lost.reply()).isInstanceOf(ObjectReply.Unavailable.class);
    assertThat(waits.reply()).isNull();
    now(1, "s", new ObjectOperation.Release("held"));
    PatientWaits.await("the next one")
        .until(() -> new ObjectReply.Result("waits").equals(waits.reply()));
    now(1, "s", new ObjectOperation.Release("waits"));
    assertThat(now(0, "s", place("again", 0))).isEqualTo(new ObjectReply.Result("again"));
    assertThat(now(1, "s", new ObjectOperation.Release("again"))).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void whoLeaves_isNotWaitedFor() {
    now(1, "s", place("held", 0));
    ClientTurn departed = ask(0, "s", place("gone", 0));
    crew.members.getFirst().close();
    assertThat(departed.reply()).isEqualTo(new ObjectReply.Stopping());
    ClientTurn next = crew.members.get(1).call("s", place("next", 0), CoordinationService.FOR_EVER);
    crew.members.get(1).call("s", new ObjectOperation.Release("held"), 0);
    PatientWaits.await("the next one")
        .until(() -> new ObjectReply.Result("next").equals(next.reply()));
  }
}
