package io.penstock.redis.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.RedisTrouble;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareUse;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests messages to a server of its own. */
@SuppressWarnings("this-escape") // a subclass only chooses the server, which needs no state
public class RedisShareStoreIT {
  private final RedisServer server = server();
  private final RedisLink link = link(RedisAddress.parse(server.url(), null, null));
  private final RedisShareStore store = RedisShareStore.of(link, "ns", Ticker.system()).getFirst();
  private BeatAnswer last =
      new BeatAnswer(
          ShareEpoch.NONE,
          0,
          0,
          false,
          false,
          false,
          false,
          List.of(),
          List.of(),
          List.of(),
          0,
          true);
  private long number;

  @BeforeEach
  void join() {
    exchange("a b");
  }

  /** Starts a server of the version under test. */
  public RedisServer server() {
    return RedisServer.started();
  }

  private static RedisLink link(RedisAddress address) {
    return new RedisLink(address, null, PatientWaits.LONGEST_MILLIS, Ticker.system());
  }

  @AfterEach
  void close() {
    link.close();
    server.close();
  }

  private static LimitId id(String name) {
    return new LimitId(LimitId.Kind.UPSTREAM, name, "m:1 é", LimitMeasure.TOKENS, 60_000_000_000L);
  }

  private Call call(LimitId id, long held, long first) {
    ShareUse use =
        new ShareUse(100, held, held, first, first, 0, ShareUse.Cell.NONE, false, 60_000);
    return new Call(
        id, ++number, number, last.epoch(), true, held, Long.MAX_VALUE, use, List.of(), List.of());
  }

  private Message message(String member, Call... calls) {
    return message(member, List.of(), calls);
  }

  private Message message(String member, List<Told> told, Call... calls) {
    Beat beat =
        new Beat(
            ++number,
            last.epoch(),
            last.count(),
            last.version(),
            true,
            false,
            false,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            true,
            false,
            told,
            0);
    return new Message(member, List.of(calls), beat);
  }

  private Reply exchange(String member, Call... calls) {
    Reply reply = PatientWaits.join(store.exchange(message(member, calls)));
    last = reply.beat();
    return reply;
  }

  private @Nullable Kind failure(String member, Call... calls) {
    return PatientWaits.join(
        store
            .exchange(message(member, calls))
            .handle(
                (reply, failure) ->
                    failure != null && failure.getCause() instanceof RedisTrouble trouble
                        ? trouble.kind()
                        : null));
  }

  @Test
  void twoInstances_divideTheLimit_whoseKeyKeepsItsName() {
    Answer first = exchange("a b", call(id("up"), 0, 40)).answers().getFirst();
    Answer second = exchange("c", call(id("up"), 0, 90)).answers().getFirst();
    assertThat(first.share()).isBetween(40L, 100L);
    assertThat(second.share()).isZero();
    assertThat(second.rows())
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.member()).isEqualTo("a b");
              assertThat(row.share()).isEqualTo(first.share());
            });
    String key = "ns:ratelimit:up:m%3A1%20%C3%A9#tokens:60000";
    assertThat(server.command("HEXISTS", key, "c")).isEqualTo(":1");
    assertThat(server.command("PTTL", key)).isBetween(":590000", ":600000");
    assertThat(server.command("EXISTS", "ns:instances:0")).isEqualTo(":1");
  }

  @Test
  void keyThatHoldsSomethingElse_isIgnoredAlone() {
    server.command("SET", ShareScript.key("ns", id("text")), "x");
    server.command("HSET", ShareScript.key("ns", id("hash")), "c", "x");
    server.command("HSET", ShareScript.key("ns", id("rows")), "", "3:e 1", "c", "1 2 x");
    Reply reply =
        exchange(
            "a b",
            call(id("text"), 0, 1),
            call(id("up"), 0, 1),
            call(id("hash"), 0, 1),
            call(id("rows"), 0, 1));
    assertThat(reply.answers())
        .extracting(Answer::outcome)
        .containsExactly(Outcome.UNUSABLE, Outcome.TAKEN, Outcome.UNUSABLE, Outcome.UNUSABLE);
    assertThat(store.troubles().counts()).containsOnly(Map.entry(Kind.VALUE, 3L));
    assertThat(reply.beat().peers()).hasSize(1);
  }

  @Test
  void instancesKeyThatHoldsSomethingElse_failsTheMessage() {
    server.command("DEL", "ns:instances:0");
    server.command("HSET", "ns:instances:0", "x", "y");
    assertThat(failure("c", call(id("up"), 0, 1))).isEqualTo(Kind.VALUE);
    server.command("HSET", "ns:instances:0", "state", "y");
    assertThat(failure("c")).isEqualTo(Kind.VALUE);
  }

  private static Told counted(String member, long amount, long leftMillis) {
    return new Told.Counted(id("up"), member, 7, amount, leftMillis);
  }

  private void tell(Told told) {
    last = PatientWaits.join(store.exchange(message("a b", List.of(told)))).beat();
  }

  @Test
  void whatIsTold_isToldAgainToWhoeverDoesNotKnowIt_theNewestOnly() {
    exchange("a b");
    tell(counted("a b", 3, 60_000));
    tell(counted("a b", 5, 60_000));
    assertThat(exchange("c").beat().told()).containsExactly(counted("a b", 5, 60_000));
    assertThat(server.command("HLEN", "ns:instances:0:told")).isEqualTo(":2");
  }

  @Test
  void whatCountsNoMore_isForgotten() {
    exchange("a b");
    tell(counted("a b", 3, 1));
    PatientWaits.await("what counts no more is gone")
        .until(() -> exchange("c").beat().told().isEmpty());
    assertThat(server.command("ZCARD", "ns:instances:0:order")).isEqualTo(":1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"order", "told"})
  void whatWasToldIsLostAlone_anEpochBegins(String key) {
    exchange("a b");
    tell(counted("a b", 3, 60_000));
    ShareEpoch before = last.epoch();
    server.command("DEL", "ns:instances:0:" + key);
    Reply reply = exchange("c");
    assertThat(reply.beat().epoch().number()).isGreaterThan(before.number());
    assertThat(reply.beat().told()).isEmpty();
    tell(counted("a b", 3, 60_000));
    assertThat(exchange("c").beat().told()).containsExactly(counted("a b", 3, 60_000));
  }

  @Test
  void serverThatForgotTheScripts_isSentThemAgain() {
    exchange("a b", call(id("up"), 0, 1));
    server.command("SCRIPT", "FLUSH");
    Reply reply = exchange("a b", call(id("up"), 1, 2));
    assertThat(reply.answers().getFirst().known()).isTrue();
    assertThat(reply.beat().peers()).hasSize(1);
  }

  @Test
  void serverThatIsReadOnly_failsTheMessage() {
    server.command("REPLICAOF", "127.0.0.1", "1");
    assertThat(failure("a b", call(id("up"), 0, 1))).isEqualTo(Kind.READ_ONLY);
    server.command("REPLICAOF", "NO", "ONE");
    assertThat(exchange("a b", call(id("up"), 0, 1)).answers().getFirst().taken()).isTrue();
  }

  @Test
  void serverWithoutMemory_goesOn() {
    exchange("a b", call(id("up"), 0, 1));
    server.command("CONFIG", "SET", "maxmemory", "1");
    assertThat(exchange("a b", call(id("up"), 1, 2)).answers().getFirst().taken()).isTrue();
  }

  @Test
  void anotherRunOfTheServer_beginsAnEpoch() {
    exchange("a b", call(id("up"), 0, 1));
    ShareEpoch before = last.epoch();
    server.save();
    server.restart();
    PatientWaits.await("a message that is answered").until(() -> failure("a b") == null);
    exchange("a b");
    assertThat(last.epoch().number()).isGreaterThan(before.number());
  }

  @Test
  void instanceThatBeginsToWait_isToldToOthersAtOnce() {
    BlockingQueue<LimitId> toldOfOthers = new LinkedBlockingQueue<>();
    BlockingQueue<LimitId> toldOfSelf = new LinkedBlockingQueue<>();
    try (RedisLink other = link(RedisAddress.parse(server.url(), null, null))) {
      RedisShareStore listening = RedisShareStore.of(other, "ns", Ticker.system()).getFirst();
      listening.listen("c", toldOfOthers::add);
      store.listen("a b", toldOfSelf::add);
      PatientWaits.join(listening.exchange(message("c")));
      exchange("a b");
      PatientWaits.await("both subscriptions")
          .until(() -> server.command("PUBLISH", "ns:shares", "odd").equals(":2"));
      exchange("c", call(id("up"), 100, 0));
      exchange("a b", call(id("up"), 0, 90));
      assertThat(PatientWaits.take(toldOfOthers)).isEqualTo(id("up"));
      exchange("c", call(id("up"), 1, 0));
      assertThat(PatientWaits.take(toldOfSelf)).isEqualTo(id("up"));
      assertThat(toldOfOthers).isEmpty();
    }
  }
}
