package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
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

/** Tests members that have different kinds of one limit, on a real server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KindChangeRedisIT {
  private static final long MICROS = 1_000_000;
  private static final long TTL_NANOS = 2_000_000_000L;
  private static final long START = 1_700_000_000L * MICROS;
  private static final long MIDNIGHT = START / 86_400 / MICROS * 86_400 * MICROS;

  /** Time for which a member with the old kind is waited for. */
  private static final long STAYS = 1_000 * MICROS;

  private static final LimitSpec UTC =
      new LimitSpec.Day(900, new ZoneMidnights(ZoneOffset.UTC, () -> 0), 0);
  private static final LimitSpec FIRST_USE = new LimitSpec.Day(900, null, 0);
  private static final LimitId DAY =
      new LimitId(LimitId.Kind.UPSTREAM, "u", "m", LimitMeasure.REQUESTS, LimitSpec.Day.NANOS);
  private static final LimitId RATE =
      new LimitId(LimitId.Kind.ENDPOINT, "/e", "", LimitMeasure.REQUESTS, 0);

  private RawRedis redis;
  private long now;
  private long number;

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
    now = START;
  }

  private static SliceStore.Ask ask(LimitId id, LimitSpec spec, long head, CellAmount... uses) {
    return new SliceStore.Ask(
        id, spec, 0, List.of(uses), head, 0, SliceStore.Ask.NONE, SliceStore.Ask.NONE);
  }

  private Object answer(String member, SliceStore.Ask ask) throws IOException {
    number++;
    GrantScript.Call call = GrantScript.call(member, number, ask, TTL_NANOS, now * 1_000).at(now);
    List<String> words = new ArrayList<>(List.of("EVAL", GrantScript.source(), "1", call.key()));
    words.addAll(call.arguments());
    redis.send(words);
    Object answer = redis.answer();
    assertThat(answer).isInstanceOf(List.class);
    return answer;
  }

  /** Returns the grant of a member, and the amount left then. */
  private List<Long> asks(String member, SliceStore.Ask ask) throws IOException {
    SliceStore.Grant grant =
        Objects.requireNonNull(GrantScript.reply(ask, answer(member, ask)).grant());
    return List.of(grant.slices().stream().mapToLong(CellAmount::amount).sum(), grant.remaining());
  }

  private long grant(String member, SliceStore.Ask ask) throws IOException {
    return asks(member, ask).getFirst();
  }

  private List<String> fields(LimitId id) throws IOException {
    return ((List<?>) redis.call("HKEYS", id.text())).stream().map(String::valueOf).toList();
  }

  @Test
  void bothKindsSideBySide_areGranted_andNeverMoreThanTheLimit() throws IOException {
    assertThat(grant("old", ask(DAY, UTC, 600))).isEqualTo(600);
    assertThat(asks("new", ask(DAY, FIRST_USE, 301))).containsExactly(0L, 300L);
    assertThat(asks("new", ask(DAY, FIRST_USE, 100))).containsExactly(100L, 200L);
    CellAmount spent = new CellAmount(MIDNIGHT, 600);
    assertThat(grant("old", ask(DAY, UTC, 201, spent))).isZero();
    assertThat(grant("old", ask(DAY, UTC, 150, spent))).isEqualTo(150);
    assertThat(asks("new", ask(DAY, FIRST_USE, 51, new CellAmount(START, 100))))
        .containsExactly(0L, 50L);
    assertThat(asks("new", ask(DAY, FIRST_USE, 50, new CellAmount(START, 100))))
        .containsExactly(50L, 0L);
    assertThat(grant("old", ask(DAY, UTC, 1, new CellAmount(MIDNIGHT, 750)))).isZero();
  }

  @Test
  void whatTheNewKindGivesBack_isTheOthers() throws IOException {
    assertThat(grant("old", ask(DAY, UTC, 600))).isEqualTo(600);
    assertThat(asks("new", ask(DAY, FIRST_USE, 300))).containsExactly(300L, 0L);
    asks("new", ask(DAY, FIRST_USE, 0, new CellAmount(START, 100)));
    assertThat(grant("old", ask(DAY, UTC, 200, new CellAmount(MIDNIGHT, 600)))).isEqualTo(200);
  }

  @Test
  void nobodyHasTheOldKindAnyMore_theNewOneHasItsName_withAllThatWasSpent() throws IOException {
    grant("old", ask(DAY, UTC, 600));
    asks("new", ask(DAY, FIRST_USE, 100));
    assertThat(fields(DAY)).contains(DAY.field() + "@SPAN", DAY.field() + "@SPAN:new");
    now += STAYS + 1;
    assertThat(asks("new", ask(DAY, FIRST_USE, 0, new CellAmount(START, 100))))
        .containsExactly(0L, 200L);
    assertThat(fields(DAY))
        .containsExactlyInAnyOrder(DAY.field(), DAY.field() + ":new", DAY.field() + ":old");
  }

  @Test
  void everyMemberWasReloaded_theNewKindHasTheNameAtOnce_andBackAgain() throws IOException {
    asks("a", ask(DAY, UTC, 300));
    asks("b", ask(DAY, UTC, 200));
    CellAmount ofA = new CellAmount(START, 300);
    CellAmount ofB = new CellAmount(START, 200);
    assertThat(asks("a", ask(DAY, FIRST_USE, 0, ofA))).containsExactly(0L, 400L);
    assertThat(fields(DAY)).hasSize(5);
    assertThat(asks("b", ask(DAY, FIRST_USE, 0, ofB))).containsExactly(0L, 400L);
    assertThat(fields(DAY)).hasSize(3);
    assertThat(asks("a", ask(DAY, FIRST_USE, 100, ofA))).containsExactly(100L, 300L);
    assertThat(asks("a", ask(DAY, UTC, 0, new CellAmount(MIDNIGHT, 400))))
        .containsExactly(0L, 300L);
    assertThat(asks("b", ask(DAY, UTC, 301, new CellAmount(MIDNIGHT, 200))))
        .containsExactly(0L, 300L);
    assertThat(asks("b", ask(DAY, UTC, 300, new CellAmount(MIDNIGHT, 200))))
        .containsExactly(300L, 0L);
    assertThat(fields(DAY)).hasSize(3);
  }

  @Test
  void dayOfTheOldKindEnds_whatIsSpentCountsInTheNextOne() throws IOException {
    grant("old", ask(DAY, UTC, 900));
    assertThat(asks("new", ask(DAY, FIRST_USE, 1))).containsExactly(0L, 0L);
    now = MIDNIGHT + 86_400 * MICROS + 1;
    grant("old", ask(DAY, UTC, 0));
    assertThat(asks("new", ask(DAY, FIRST_USE, 500))).containsExactly(500L, 400L);
    assertThat(grant("old", ask(DAY, UTC, 401))).isZero();
    assertThat(grant("old", ask(DAY, UTC, 400))).isEqualTo(400);
  }

  @Test
  void oldBucketAndNewSlots_goOnTogether() throws IOException {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(10, 1), 50);
    LimitSpec strict = new LimitSpec.Strict(new ExactRate(10, 1), 0);
    assertThat(grant("old", ask(RATE, bucket, 48))).isEqualTo(48);
    assertThat(asks("new", ask(RATE, strict, 1)).getFirst()).isEqualTo(1);
    assertThat(grant("old", ask(RATE, bucket, 2, new CellAmount(START / 60 / MICROS, 48))))
        .isZero();
    now += MICROS / 10;
    assertThat(grant("old", ask(RATE, bucket, 2, new CellAmount(START / 60 / MICROS, 48))))
        .isEqualTo(2);
    assertThat(asks("new", ask(RATE, strict, 1)).getFirst()).isZero();
  }

  @Test
  void oldSlotsAndNewBucket_goOnTogether() throws IOException {
    LimitSpec bucket = new LimitSpec.TokenBucket(new ExactRate(10, 1), 50);
    LimitSpec strict = new LimitSpec.Strict(new ExactRate(10, 1), 0);
    assertThat(grant("old", ask(RATE, strict, 1))).isEqualTo(1);
    long granted = asks("new", ask(RATE, bucket, 5)).getFirst();
    assertThat(granted).isEqualTo(5);
    List<?> answer = (List<?>) answer("old", ask(RATE, strict, 1));
    assertThat((Long) answer.get(3)).as("the slot after those").isEqualTo(START + 602_000);
  }

  @Test
  void limitWasLost_isNoticedByAMemberOfTheOtherKind() throws IOException {
    asks("old", ask(DAY, UTC, 10));
    SliceStore.Ask knows =
        new SliceStore.Ask(DAY, FIRST_USE, 0, List.of(), 5, 0, SliceStore.Ask.NONE, START - 7);
    assertThat(asks("new", knows).getFirst()).isZero();
    assertThat(asks("old", ask(DAY, UTC, 20)).getFirst()).isZero();
    now += TTL_NANOS / 1_000;
    assertThat(asks("old", ask(DAY, UTC, 20)).getFirst()).isEqualTo(20);
  }
}
