package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.time.ZoneMidnights;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests the script on a real server: its answers to foreign values, and when it forgets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrantScriptIT {
  private static final long TTL_NANOS = 2_000_000_000L;
  private static final long NOW = 1_700_000_000_000_000L;
  private static final LimitId ID =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.REQUESTS, 10_000_000_000L);
  private static final LimitId TOKENS =
      new LimitId(LimitId.Kind.KEY, "k", "", LimitMeasure.TOKENS, 10_000_000_000L);
  private static final String FIELD = ID.field();

  private RawRedis redis;

  @BeforeAll
  void start() throws IOException {
    redis = new RawRedis();
  }

  @AfterAll
  void stop() throws IOException {
    redis.close();
  }

  @BeforeEach
  void flush() throws IOException {
    redis.call("FLUSHALL");
  }

  private static SliceStore.Ask ask(LimitId id, long windowNanos, long wanted) {
    LimitSpec spec = new LimitSpec.FixedWindow(100, windowNanos);
    return new SliceStore.Ask(
        id, spec, 0, List.of(), 0, wanted, SliceStore.Ask.NONE, SliceStore.Ask.NONE);
  }

  private static SliceStore.Ask ask(long wanted) {
    return ask(ID, 10_000_000_000L, wanted);
  }

  private Object run(GrantScript.Call call) throws IOException {
    List<String> words = new ArrayList<>(List.of("EVAL", GrantScript.source(), "1", call.key()));
    words.addAll(call.arguments());
    redis.send(words);
    return redis.answer();
  }

  private Object run(String member, long number, SliceStore.Ask ask) throws IOException {
    return run(GrantScript.call(member, number, ask, TTL_NANOS, NOW * 1_000).at(NOW));
  }

  private static List<CellAmount> slices(SliceStore.Ask ask, Object answer) {
    return Objects.requireNonNull(GrantScript.reply(ask, answer).grant()).slices();
  }

  private String failure(String member, SliceStore.Ask ask) throws IOException {
    assertThat(run(member, 1_000, ask)).isInstanceOf(RawRedis.Failure.class);
    return ((RawRedis.Failure) run(member, 1_001, ask)).message();
  }

  @Test
  void answer_isReadAsAGrant() throws IOException {
    GrantScript.Reply reply = GrantScript.reply(ask(30), run("a", 1, ask(30)));
    assertThat(reply.clockMicros()).isEqualTo(NOW);
    assertThat(reply.grant())
        .isEqualTo(
            new SliceStore.Grant(
                ID,
                100,
                NOW,
                List.of(new CellAmount(170_000_000, 30)),
                SliceStore.Ask.NONE,
                70,
                1_700_000_010_000_000_000L));
  }

  @Test
  void withoutATime_theServersClockCounts() throws IOException {
    GrantScript.Call call = GrantScript.call("a", 1, ask(30), TTL_NANOS, 0);
    long seconds = Long.parseLong(String.valueOf(((List<?>) redis.call("TIME")).getFirst()));
    GrantScript.Reply reply = GrantScript.reply(ask(30), run(call));
    assertThat(reply.clockMicros() / 1_000_000).isBetween(seconds, seconds + 60);
  }

  @Test
  void measuresOfOneLimit_shareAHashAndAreApart() throws IOException {
    run("a", 1, ask(100));
    SliceStore.Ask tokens = ask(TOKENS, 10_000_000_000L, 100);
    assertThat(slices(tokens, run("a", 1, tokens))).hasSize(1);
    assertThat((List<?>) redis.call("KEYS", "*")).hasSize(1);
  }

  @Test
  void memberWithAnyName_isKeptApart() throws IOException {
    run("a | 1 2;é\n", 1, ask(60));
    SliceStore.Ask rest = ask(100);
    assertThat(slices(rest, run("b", 1, rest))).containsExactly(new CellAmount(170_000_000, 10));
  }

  @Test
  void keyOfAnotherType_isRefusedAndKept() throws IOException {
    redis.call("SET", ID.text(), "foreign");
    assertThat(failure("a", ask(1))).startsWith("WRONGTYPE");
    assertThat(redis.call("GET", ID.text())).isEqualTo("foreign");
  }

  @Test
  void valuesNobodyHereWrote_areRefusedAndKept() throws IOException {
    for (String value :
        List.of(
            "",
            "17",
            "{\"json\":1}",
            "0 FIXED 10000000 0 -1 0 -1 0 0 0 0 -1||",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 nan||",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 9007199254740992||",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 -1|170000000|",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 -1|170000000 -5|",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 -1|170000000 x|",
            "2 FIXED 10000000 0 -1 0 -1 0 0 0 0 -1||a 1 2 3")) {
      redis.call("HSET", ID.text(), FIELD, value);
      assertThat(failure("a", ask(1))).as(value).contains("FOREIGN").contains(FIELD);
      assertThat(redis.call("HGET", ID.text(), FIELD)).isEqualTo(value);
    }
  }

  @Test
  void valueOfAMemberThatNobodyHereWrote_isRefused() throws IOException {
    run("a", 1, ask(60));
    redis.call("HSET", ID.text(), FIELD + ":a", "170000000 sixty");
    assertThat(failure("a", ask(1))).contains("FOREIGN");
    redis.call("HSET", ID.text(), FIELD + ":a", "170000000 61"); // more than all have
    assertThat(failure("a", ask(1))).contains("FOREIGN");
  }

  @Test
  void otherFieldsInTheHash_doNotMatter() throws IOException {
    redis.call("HSET", ID.text(), "somebody", "else's");
    assertThat(slices(ask(5), run("a", 1, ask(5)))).hasSize(1);
  }

  @Test
  void cellsOfAnotherLength_areGrantedNoMoreThanTheFirstOnesHaveLeft() throws IOException {
    run("a", 1, ask(60));
    SliceStore.Ask other = ask(ID, 5_000_000_000L, 60);
    assertThat(slices(other, run("b", 1, other))).containsExactly(new CellAmount(340_000_000, 40));
  }

  @Test
  void valuesOfAnotherKindThatNobodyHereWrote_areRefusedAndKept() throws IOException {
    run("a", 1, ask(60));
    SliceStore.Ask other =
        new SliceStore.Ask(
            ID,
            new LimitSpec.Concurrency(5),
            0,
            List.of(),
            1,
            0,
            SliceStore.Ask.NONE,
            SliceStore.Ask.NONE);
    String field = FIELD + "@CONCURRENCY";
    redis.call("HSET", ID.text(), field, "17");
    assertThat(failure("b", other)).contains("FOREIGN").contains(field);
    redis.call("HDEL", ID.text(), field);
    redis.call("HSET", ID.text(), FIELD + ":a", "170000000 sixty");
    assertThat(failure("a", other)).contains("FOREIGN").contains(FIELD + ":a");
    assertThat(redis.call("HEXISTS", ID.text(), field)).isEqualTo(0L);
  }

  @Test
  void callThatIsLate_isAnsweredWithoutAGrant() throws IOException {
    run("a", 2, ask(60));
    assertThat(GrantScript.reply(ask(60), run("a", 2, ask(60))).grant()).isNull();
  }

  @Test
  void midnightsOfAnotherTime_areRefused() throws IOException {
    LimitSpec day = new LimitSpec.Day(5, new ZoneMidnights(ZoneOffset.UTC, () -> 0), 0);
    SliceStore.Ask ask =
        new SliceStore.Ask(ID, day, 0, List.of(), 0, 1, SliceStore.Ask.NONE, SliceStore.Ask.NONE);
    GrantScript.Call call = GrantScript.call("a", 1, ask, TTL_NANOS, NOW * 1_000);
    long week = 7 * 86_400_000_000L;
    for (long wrong : List.of(NOW - week, NOW + week)) {
      assertThat(((RawRedis.Failure) run(call.at(wrong))).message()).contains("CLOCK");
    }
  }

  @Test
  void hash_endsWhenItWasLeftAloneForAnHour() throws IOException {
    run("a", 1, ask(60));
    assertThat((long) redis.call("PTTL", ID.text())).isBetween(3_600_000L, 3_660_000L);
  }

  @Test
  void hash_isSmall() throws IOException {
    LimitSpec spec = new LimitSpec.TrailingWindow(1_000_000, 60_000_000_000L, 50_000_000, 1);
    for (int member = 0; member < 10; member++) {
      List<CellAmount> uses = new ArrayList<>();
      for (int cell = 0; cell < 60; cell++) {
        uses.add(new CellAmount(1_700_000_000 - cell, 1_000));
      }
      run(
          "m" + member,
          1,
          new SliceStore.Ask(ID, spec, 0, uses, 0, 1, SliceStore.Ask.NONE, SliceStore.Ask.NONE));
    }
    assertThat((long) redis.call("MEMORY", "USAGE", ID.text())).isLessThan(16_384);
  }

  @Test
  void repliesThatAreNoGrant_areRefused() {
    for (Object reply :
        List.of(
            "OK",
            5L,
            List.of(),
            List.of("now"),
            List.of(NOW, 100L),
            List.of(NOW, 100L, NOW),
            List.of(NOW, 100L, NOW, 70L),
            List.of(NOW, 100L, NOW, 5L, 70L, NOW),
            List.of(NOW, 100L, NOW, "5", 5L, 70L, NOW),
            List.of(NOW, 100L, NOW, 5L, 0L, 70L, NOW),
            List.of(NOW, 100L, NOW, 5L, 31L, 70L, NOW),
            List.of(NOW, 100L, -1L, 70L, NOW),
            List.of(NOW, 100L, NOW, -1L, NOW),
            List.of(NOW, 100L, NOW, 70L, -1L),
            List.of(NOW, 0L, NOW, 70L, NOW))) {
      assertThatThrownBy(() -> GrantScript.reply(ask(30), reply))
          .as(reply.toString())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(ID.text());
    }
    assertThatThrownBy(() -> GrantScript.reply(ask(30), null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
