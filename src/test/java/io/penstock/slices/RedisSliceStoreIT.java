package io.penstock.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.FaultProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisBreaker;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.sharing.SliceStore.Grant;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests rounds with asks, on a server of their own. */
@SuppressWarnings("this-escape") // a subclass only chooses the server, which needs no state
public class RedisSliceStoreIT {
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_000 * SECOND;
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(100, 10 * SECOND);

  private final RedisServer server = server();
  private final FaultProxy proxy = new FaultProxy(server.port());
  private final RedisLink link = link(PatientWaits.LONGEST_MILLIS);
  private RedisSliceStore supply = supply(link);
  private long number;

  /** Starts a server of the version under test. */
  public RedisServer server() {
    return RedisServer.started();
  }

  private RedisLink link(int timeoutMillis) {
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + proxy.port(), null, null);
    return new RedisLink(address, null, timeoutMillis, Ticker.system());
  }

  private static RedisSliceStore supply(RedisLink link) {
    return new RedisSliceStore(link, "ns", 2 * SECOND, Ticker.system(), START, () -> START / 1_000);
  }

  @AfterEach
  void closeAll() {
    link.close();
    proxy.close();
    server.close();
  }

  private static LimitId id(String name) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.TOKENS, 10 * SECOND);
  }

  private static Ask ask(String name, long wanted) {
    return new Ask(id(name), FIXED, 0, List.of(), 0, wanted, Ask.NONE, Ask.NONE);
  }

  private Answer round(String member, Ask... asks) {
    return round(member, ++number, asks);
  }

  private Answer round(String member, long numbered, Ask... asks) {
    return PatientWaits.join(supply.round(SliceFixture.round(member, numbered, List.of(asks))));
  }

  private boolean connected() {
    try {
      return round("b", ask("k", 0)).count() > 0;
    } catch (CompletionException notYet) {
      return false;
    }
  }

  private static long sum(Answer answer) {
    return answer.grants().stream()
        .flatMap(grant -> grant.slices().stream())
        .mapToLong(CellAmount::amount)
        .sum();
  }

  @Test
  void whatIsWanted_isGranted_andNeverMoreThanTheLimit() {
    Answer first = round("a", ask("k", 30));
    assertThat(first.grants())
        .containsExactly(
            new Grant(
                id("k"),
                100,
                START / 1_000,
                List.of(new CellAmount(100, 30)),
                Ask.NONE,
                70,
                START + 10 * SECOND));
    assertThat(first.clockNanos()).isEqualTo(START);
    Answer all = round("b", ask("k", 1_000));
    Answer none = round("b", ask("k", 1_000));
    assertThat(sum(all)).isBetween(1L, 70L);
    assertThat(none.count()).isEqualTo(first.count() + 2);
  }

  @Test
  void roundThatComesTwice_isGrantedNothing() {
    assertThat(sum(round("a", 7, ask("k", 10)))).isEqualTo(10);
    assertThat(sum(round("a", 7, ask("k", 10)))).isZero();
  }

  @Test
  void thousandLimits_areOneRound() {
    Ask[] asks = IntStream.range(0, 1_000).mapToObj(i -> ask("k" + i, 1)).toArray(Ask[]::new);
    assertThat(round("a", asks).grants()).hasSize(asks.length);
  }

  @Test
  void answersThatTakeLongerThanASecond_areNotLost() {
    round("a", ask("k", 1));
    proxy.delay(2_500);
    assertThat(round("a", ask("k", 1), ask("l", 1)).grants()).hasSize(2);
  }

  @Test
  void foreignValue_failsItsLimitAlone_andHeals() {
    server.command("SET", "ns:" + id("bad").text(), "foreign");
    Answer answer = round("a", ask("bad", 5), ask("good", 6));
    assertThat(answer.grants()).extracting(Grant::id).containsExactly(id("good"));
    assertThat(supply.troubles().counts()).containsEntry(Kind.VALUE, 1L);
    server.command("DEL", "ns:" + id("bad").text());
    assertThat(sum(round("a", ask("bad", 5)))).isEqualTo(5);
  }

  @Test
  void oldFormat_failsItsLimitAlone() {
    server.command("HSET", "ns:" + id("bad").text(), id("bad").field(), "0|old|format");
    Answer answer = round("a", ask("bad", 5), ask("good", 6));
    assertThat(answer.grants()).extracting(Grant::id).containsExactly(id("good"));
    assertThat(supply.troubles().counts()).containsEntry(Kind.VALUE, 1L);
  }

  @Test
  void otherNamespaces_areNotTouched() {
    server.command("SET", "other:" + id("k").text(), "theirs");
    round("a", ask("k", 100));
    assertThat(server.command("GET", "other:" + id("k").text())).isEqualTo("theirs");
  }

  @Test
  void limitOfAKindThatIsNotShared_isRefused_andNothingIsSent() {
    Ask bad = new Ask(id("k"), new LimitSpec.Unlimited(), 0, List.of(), 0, 1, Ask.NONE, Ask.NONE);
    assertThatThrownBy(() -> round("a", bad))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
    assertThat(proxy.accepted()).isZero();
  }

  @Test
  void restartedServer_isAskedAgainInTheSameRound_andIsAnotherRun() {
    Answer before = round("a", ask("k", 10), ask("l", 10));
    server.save();
    server.restart();
    List<Answer> after = new ArrayList<>();
    PatientWaits.await("a round after the restart")
        .until(
            () -> {
              try {
                return after.add(round("a", ask("k", 10), ask("l", 10)));
              } catch (CompletionException notYet) {
                return false;
              }
            });
    assertThat(sum(after.getFirst())).isEqualTo(20);
    assertThat(after.getFirst().life()).isEqualTo(before.life());
    assertThat(after.getFirst().run().name()).isNotEqualTo(before.run().name());
  }

  @Test
  void forgottenScripts_areLoaded_andEachLimitGrantsOnce() {
    round("a", ask("k", 10));
    server.command("SCRIPT", "FLUSH");
    Answer answer = round("a", ask("k", 10), ask("l", 10), ask("m", 10));
    assertThat(answer.grants()).hasSize(3);
    assertThat(answer.count()).isEqualTo(2);
  }

  @Test
  void flushBetweenTwoRounds_isAnotherLife() {
    Answer before = round("a", ask("k", 10));
    server.flush();
    assertThat(round("a", ask("k", 10)).life()).isNotEqualTo(before.life());
  }

  @Test
  void roundsThatFail_stopTheAsking_untilATryGoesWell() {
    server.command("SET", "ns:life:0", "foreign");
    for (int i = 0; i < RedisBreaker.ROUNDS; i++) {
      assertThatThrownBy(() -> round("a")).isInstanceOf(CompletionException.class);
    }
    server.command("DEL", "ns:life:0");
    assertThatThrownBy(() -> round("a")).cause().extracting("kind").isEqualTo(Kind.PAUSED);
    assertThat(supply.troubles().counts()).containsEntry(Kind.VALUE, (long) RedisBreaker.ROUNDS);
  }

  @Test
  void serverThatIsBack_isAskedAtOnce_whateverThePauseIs() {
    FakeTicker standing = new FakeTicker();
    RedisAddress address = RedisAddress.parse(server.url(), null, null);
    try (RedisLink direct = new RedisLink(address, null, 1_000, standing)) {
      supply = new RedisSliceStore(direct, "ns", 2 * SECOND, standing, START, () -> START / 1_000);
      PatientWaits.await("a connection").until(this::connected);
      server.kill();
      PatientWaits.await("a pause")
          .until(
              () -> {
                connected();
                return supply.troubles().counts().containsKey(Kind.PAUSED);
              });
      server.start();
      PatientWaits.await("a round, with no pause over").until(this::connected);
    }
  }

  @Test
  void serverThatDropsKeys_isSaidToDoSo() {
    server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    round("a", ask("k", 10));
    PatientWaits.await("a word on it").until(() -> supply.evicts());
  }

  @Test
  void serverThatDropsNothing_isNoTrouble() {
    round("a", ask("k", 10));
    round("a", ask("k", 10));
    assertThat(supply.evicts()).isFalse();
  }

  @Test
  void limitDeleted_isNoticedByWhoKnewIt() {
    long born = round("a", ask("k", 60)).grants().getFirst().born();
    server.command("DEL", "ns:" + id("k").text());
    Ask knowing = new Ask(id("k"), FIXED, 0, List.of(), 0, 40, Ask.NONE, born - 1);
    assertThat(sum(round("a", knowing))).isZero();
    assertThat(sum(round("b", ask("k", 40)))).isZero();
  }

  @Test
  void lostAnswer_isNotAskedForAgain_soThatItsSlicesAreGrantedOnce() {
    try (RedisLink hasty = link(1_000)) {
      supply = supply(hasty);
      PatientWaits.await("a connection").until(this::connected);
      proxy.become(FaultProxy.Manner.ANSWERS_LOST);
      assertThatThrownBy(() -> round("a", ask("k", 40))).isInstanceOf(CompletionException.class);
      proxy.become(FaultProxy.Manner.FINE);
      PatientWaits.await("a connection again").until(this::connected);
      assertThat(sum(round("c", ask("k", 100)))).isBetween(1L, 60L);
    }
  }
}
