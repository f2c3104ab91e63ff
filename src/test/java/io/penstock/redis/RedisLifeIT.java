package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.FaultProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.slices.RedisSliceStore;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests rounds without asks, against a server that is disturbed in every way. */
class RedisLifeIT {
  /** Time that a busy machine may take for something that succeeds. */
  private static final int PATIENT_MILLIS = PatientWaits.LONGEST_MILLIS;

  /** Time after which something that does not succeed is noticed. */
  private static final int HASTY_MILLIS = 1_000;

  /** Allowance for tests that wait for this machine, not for Redis. */
  private static final long SLACK_NANOS = PatientWaits.LONGEST.toNanos();

  private RedisServer server = started();
  private FaultProxy proxy = new FaultProxy(server.port());
  private int timeoutMillis = PATIENT_MILLIS;
  private RedisLink link = link("redis://127.0.0.1:" + proxy.port());
  private RedisSliceStore supply = supply(link);
  private long number;
  private @Nullable Answer answer;

  /** Starts a server of the version under test. */
  RedisServer started(String... settings) {
    return RedisServer.started(settings);
  }

  private RedisLink link(String url) {
    return new RedisLink(RedisAddress.parse(url, null, null), null, timeoutMillis, Ticker.system());
  }

  /** Makes rounds fail soon from now on. */
  private void hasten() {
    link.close();
    timeoutMillis = HASTY_MILLIS;
    link = link("redis://127.0.0.1:" + proxy.port());
    supply = supply(link);
  }

  private static RedisSliceStore supply(RedisLink link) {
    // A breaker never waits if its clock advances an hour between two looks.
    long[] hours = {0};
    return new RedisSliceStore(
        link, "test", 2_000_000_000L, () -> ++hours[0] * 3_600_000_000_000L, WallClock.system());
  }

  @AfterEach
  void closeAll() {
    link.close();
    proxy.close();
    server.close();
  }

  private void use(RedisServer other, String url) {
    link.close();
    proxy.close();
    server.close();
    server = other;
    proxy = new FaultProxy(server.port());
    link = link(url.replace("PORT", String.valueOf(proxy.port())));
    supply = supply(link);
  }

  private Answer round() {
    return PatientWaits.join(supply.round(SliceFixture.round("me", ++number, List.of())));
  }

  /** Returns why a round fails, or null; it must fail in time, whatever the reason. */
  private @Nullable Kind trouble() {
    Ticker ticker = Ticker.system();
    try {
      answer = round();
      return null;
    } catch (CompletionException failed) {
      assertThat(ticker.nanos()).isLessThan(timeoutMillis * 1_000_000L + SLACK_NANOS);
      if (failed.getCause() instanceof RedisTrouble trouble) {
        return trouble.kind();
      }
      throw failed;
    }
  }

  private Answer well() {
    PatientWaits.await("a round that goes well").until(() -> trouble() == null);
    return Objects.requireNonNull(answer);
  }

  private void awaitTrouble(Kind kind) {
    PatientWaits.await("trouble " + kind).until(() -> trouble() == kind);
  }

  @Test
  void rounds_countUpInOneLife_andKnowTheirMember() {
    Answer first = well();
    Answer second = round();
    assertThat(second.life()).isEqualTo(first.life());
    assertThat(second.count()).isEqualTo(first.count() + 1);
    assertThat(second.clockNanos()).isGreaterThanOrEqualTo(first.clockNanos());
    assertThat(second.members()).containsExactly(SliceFixture.member("me", 0));
  }

  @Test
  void otherMembers_areKnown_andForgottenAfterAnHour() {
    well();
    server.command("HSET", "test:life:0", "m:gone", "1000");
    server.command("HSET", "test:life:0", "m:odd", "words");
    server.command("HSET", "test:life:0", "p:before", "1000");
    supply.round(SliceFixture.round("other", 1, List.of())).toCompletableFuture().join();
    assertThat(round().members())
        .extracting(SliceStore.Member::name)
        .containsExactlyInAnyOrder("me", "other");
    assertThat(server.command("HEXISTS", "test:life:0", "m:gone")).isEqualTo(":0");
    assertThat(server.command("HEXISTS", "test:life:0", "p:before")).isEqualTo(":0");
  }

  @Test
  void serverKnowsFewerRoundsThanAMemberSaw_isAnotherLifeForAll() {
    Answer before = well();
    round();
    server.command("HSET", "test:life:0", "count", String.valueOf(before.count() - 1));
    Answer after = round();
    assertThat(after.life()).isNotEqualTo(before.life());
    assertThat(after.sinceLossNanos()).isZero();
    assertThat(after.members())
        .as("it said all of what it knew then")
        .singleElement()
        .extracting(SliceStore.Member::sinceCompleteNanos)
        .isNotEqualTo(0L);
    Answer next = round();
    assertThat(next.life()).isEqualTo(after.life());
    assertThat(next.members()).containsExactly(SliceFixture.member("me", 0));
  }

  @Test
  void flushedServer_isAnotherLife() {
    Answer before = well();
    server.flush();
    Answer after = round();
    assertThat(after.life()).isNotEqualTo(before.life());
    assertThat(after.count()).isEqualTo(1);
    assertThat(before.sinceLossNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(after.sinceLossNanos()).as("who saw the life before says so").isZero();
    Answer joined =
        supply(link).round(SliceFixture.round("joiner", 1, List.of())).toCompletableFuture().join();
    assertThat(joined.sinceLossNanos()).isBetween(0L, SLACK_NANOS);
  }

  @Test
  void killedServer_failsRounds_andIsAnotherRunAfterItsRestart_withAllThatItKnew() {
    hasten();
    Answer before = well();
    server.save();
    server.kill();
    awaitTrouble(Kind.AWAY);
    server.start();
    Answer after = well();
    assertThat(after.life()).isEqualTo(before.life());
    assertThat(after.run().name()).isNotEqualTo(before.run().name());
    assertThat(after.run().gapNanos()).isBetween(1L, SLACK_NANOS);
    assertThat(after.sinceLossNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(after.count()).isGreaterThan(before.count());
  }

  @Test
  void serverThatIsAwayAtFirst_isFoundLater() {
    hasten();
    server.kill();
    assertThat(trouble()).isEqualTo(Kind.AWAY);
    assertThat(trouble()).isEqualTo(Kind.AWAY);
    server.start();
    assertThat(well().members()).hasSize(1);
  }

  @Test
  void pausedServer_failsRoundsInTime_andGoesOn() {
    hasten();
    Answer before = well();
    server.pause();
    try {
      assertThat(trouble()).isEqualTo(Kind.SLOW);
      assertThat(trouble()).isIn(Kind.SLOW, Kind.AWAY);
    } finally {
      server.resume();
    }
    Answer after = well();
    assertThat(after.life()).isEqualTo(before.life());
    assertThat(after.count()).isGreaterThan(before.count());
  }

  @Test
  void slowWay_isStillAWay() {
    well();
    proxy.delay(250);
    Answer before = round();
    Answer after = round();
    assertThat(after.life()).isEqualTo(before.life());
    assertThat(after.count()).isEqualTo(before.count() + 1);
  }

  @Test
  void everyBadWay_failsRounds_andHeals() {
    hasten();
    well();
    for (FaultProxy.Manner manner : FaultProxy.Manner.values()) {
      if (manner != FaultProxy.Manner.FINE) {
        proxy.become(manner);
        assertThat(trouble()).as("%s", manner).isIn(Kind.SLOW, Kind.AWAY);
        proxy.become(FaultProxy.Manner.FINE);
        well();
      }
    }
  }

  @Test
  void lostAnswer_isNotAskedForAgain() {
    hasten();
    Answer before = well();
    proxy.become(FaultProxy.Manner.ANSWERS_LOST);
    assertThat(trouble()).isEqualTo(Kind.SLOW);
    proxy.become(FaultProxy.Manner.FINE);
    long failed = supply.troubles().counts().values().stream().mapToLong(Long::longValue).sum();
    Answer after = well();
    assertThat(after.count()).isLessThanOrEqualTo(before.count() + failed + 2);
  }

  @Test
  void scriptsThatAreForgotten_areLoadedOnTheWay() {
    Answer before = well();
    server.command("SCRIPT", "FLUSH");
    assertThat(round().count()).isEqualTo(before.count() + 1);
  }

  @Test
  void wrongPassword_saysSo_andTheRightOneIsTaken() {
    use(started("requirepass right"), "redis://:wrong@127.0.0.1:PORT");
    awaitTrouble(Kind.ACCESS);
    server.login("AUTH", "right").command("CONFIG", "SET", "requirepass", "wrong");
    well();
  }

  @Test
  void userWithoutTheRight_saysSo() {
    RedisServer guarded = started("user default off", "user app on >pass ~test:* +@all -info");
    use(guarded.login("AUTH", "app", "pass"), "redis://app:pass@127.0.0.1:PORT");
    awaitTrouble(Kind.ACCESS);
    server.command("ACL", "SETUSER", "app", "+info");
    well();
  }

  @Test
  void readOnlyServer_saysSo() {
    well();
    server.command("REPLICAOF", "127.0.0.1", "1");
    awaitTrouble(Kind.READ_ONLY);
    server.command("REPLICAOF", "NO", "ONE");
    well();
  }

  @Test
  void fullServer_goesOn() {
    well();
    server.command("CONFIG", "SET", "maxmemory", "1");
    assertThat(server.command("SET", "foreign", "value")).startsWith("-OOM");
    well();
    server.command("CONFIG", "SET", "maxmemory", "0");
    well();
  }

  @Test
  void serverThatCannotSave_saysSo() {
    use(started("save 3600 1000000"), "redis://127.0.0.1:PORT");
    well();
    server.blockSaving(true);
    server.command("BGSAVE");
    awaitTrouble(Kind.DISK);
    server.blockSaving(false);
    server.command("BGSAVE");
    well();
  }

  @Test
  void serverThatLoadsItsData_saysSo() {
    // it checks for requests after every two megabytes
    use(started("key-load-delay 20000", "rdbcompression no"), "redis://127.0.0.1:PORT");
    Answer before = well();
    String fill = "for i = 1, 400 do redis.call('SET', 'k' .. i, string.rep('x', 100000)) end";
    server.command("EVAL", fill + " return 1", "0");
    server.save();
    server.restart();
    awaitTrouble(Kind.LOADING);
    server.command("CONFIG", "SET", "key-load-delay", "0");
    assertThat(well().life()).isEqualTo(before.life());
  }

  @Test
  void foreignValueUnderTheKeyOfLives_failsRounds_andStays() {
    server.command("SET", "test:life:0", "foreign");
    awaitTrouble(Kind.VALUE);
    assertThat(server.command("GET", "test:life:0")).isEqualTo("foreign");
    server.command("DEL", "test:life:0");
    well();
  }

  @Test
  void idleLink_hasOneConnection() {
    well();
    round();
    assertThat(proxy.accepted()).isEqualTo(1);
  }

  @Test
  void closedLink_failsRounds() {
    well();
    link.close();
    assertThat(trouble()).isEqualTo(Kind.AWAY);
  }
}
