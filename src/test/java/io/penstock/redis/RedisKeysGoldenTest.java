package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.counts.RedisCountStore;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.sharing.SliceStore.Grant;
import io.penstock.sharing.SliceStore.Loss;
import io.penstock.sharing.SliceStore.Missed;
import io.penstock.sharing.SliceStore.Round;
import io.penstock.sharing.SliceStore.Run;
import io.penstock.slices.RedisSliceStore;
import io.penstock.suite.SourceTree;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the data of shared limits in Redis with golden records, and lets the program continue
 * from the records.
 */
@Tag(GoldenRecords.TAG)
class RedisKeysGoldenTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final long DAY = 1_440 * MINUTE;
  private static final long NOW_MILLIS = 1_700_000_000_000L;
  private static final RedisServer SERVER = RedisServer.shared();

  private final String namespace = "golden-" + UUID.randomUUID();
  private final AtomicLong nowMicros = new AtomicLong(NOW_MILLIS * 1_000);
  private final RedisLink link =
      new RedisLink(
          RedisAddress.parse(SERVER.url(), null, null),
          null,
          PatientWaits.LONGEST_MILLIS,
          Ticker.system());
  private final RedisRecord redis = new RedisRecord(SERVER, namespace);

  @AfterEach
  void close() {
    link.close();
  }

  /** Returns a limit of each kind, and of each way to divide time into cells. */
  private static Map<LimitId, LimitSpec> limits() {
    ZoneMidnights zoneMidnights = new ZoneMidnights(ZoneOffset.UTC, () -> NOW_MILLIS);
    Map<LimitId, LimitSpec> limits = new LinkedHashMap<>();
    limits.put(
        new LimitId(LimitId.Kind.ENDPOINT, "/fixed", "", LimitMeasure.TOKENS, 10 * SECOND),
        new LimitSpec.FixedWindow(100, 10 * SECOND));
    limits.put(
        new LimitId(LimitId.Kind.ENDPOINT, "/bucket", "", LimitMeasure.REQUESTS, 0),
        new LimitSpec.TokenBucket(new ExactRate(10, 1), 100));
    limits.put(
        new LimitId(LimitId.Kind.ENDPOINT, "/strict", "", LimitMeasure.REQUESTS, 0),
        new LimitSpec.Strict(new ExactRate(10, 1), 0));
    limits.put(
        new LimitId(LimitId.Kind.ENDPOINT, "/sliding", "", LimitMeasure.REQUESTS, MINUTE),
        new LimitSpec.SlidingWindow(100, MINUTE));
    limits.put(
        new LimitId(LimitId.Kind.UPSTREAM, "ü a:b", "m/1 {x}", LimitMeasure.INPUT_TOKENS, MINUTE),
        new LimitSpec.TrailingWindow(100, MINUTE, 0, LimitSpec.TrailingWindow.UNPACED));
    limits.put(
        new LimitId(LimitId.Kind.MODEL, "m", "", LimitMeasure.REQUESTS, DAY),
        new LimitSpec.Day(100, zoneMidnights, 300_000_000));
    limits.put(
        new LimitId(LimitId.Kind.GROUP, "g", "", LimitMeasure.REQUESTS, DAY),
        new LimitSpec.Day(100, null, 300_000_000));
    limits.put(
        new LimitId(LimitId.Kind.KEY, "k", "m", LimitMeasure.CONCURRENCY, 0),
        new LimitSpec.Concurrency(100));
    return limits;
  }

  private <T> T answer(CompletionStage<T> stage) {
    T answer = PatientWaits.join(stage);
    redis.note();
    return answer;
  }

  private RedisSliceStore supply(String of) {
    return new RedisSliceStore(
        link, of, 2 * SECOND, Ticker.system(), nowMicros.get() * 1_000, nowMicros::get);
  }

  private static List<Ask> asks(Answer before, long head, long wanted) {
    List<Ask> asks = new ArrayList<>();
    limits()
        .forEach(
            (id, spec) -> {
              List<CellAmount> uses =
                  before.grants().stream()
                      .filter(grant -> grant.id().equals(id))
                      .flatMap(grant -> grant.slices().stream())
                      .map(slice -> new CellAmount(slice.cell(), Math.ceilDiv(slice.amount(), 2)))
                      .toList();
              asks.add(new Ask(id, spec, 0, uses, head, wanted, Ask.NONE, Ask.NONE));
            });
    return asks;
  }

  private static Answer nothing() {
    return new Answer(0, "", new Run("", 0, 0, 0), 0, List.of(), List.of(), List.of(), 0);
  }

  /** Plays three rounds of two instances; one instance has lost something and waits for more. */
  private void share(RedisSliceStore supply) {
    answer(supply.round(SliceFixture.round("a.1|é", 1, List.of())));
    SERVER.command("DEL", namespace + ":life:0");
    Answer first = answer(supply.round(SliceFixture.round("a.1|é", 2, asks(nothing(), 0, 40))));
    assertThat(first.grants()).hasSize(limits().size()).noneMatch(each -> each.slices().isEmpty());
    nowMicros.addAndGet(100_000);
    answer(supply.round(SliceFixture.round("b", 1, asks(nothing(), 90, 10))));
    nowMicros.addAndGet(100_000);
    LimitId lost = limits().keySet().iterator().next();
    answer(
        supply.round(
            new Round(
                "a.1|é",
                3,
                asks(first, 0, 10),
                true,
                List.of(new Loss(lost, NOW_MILLIS)),
                null,
                List.of(new Missed("c", NOW_MILLIS * 1_000_000)),
                false)));
    answer(supply.round(SliceFixture.round("d", 1, List.of(ofAnotherKind()))));
  }

  /**
   * Returns an ask for a limit that a reload gave another kind, while other members have the old
   * one.
   */
  private static Ask ofAnotherKind() {
    LimitId id = new LimitId(LimitId.Kind.MODEL, "m", "", LimitMeasure.REQUESTS, DAY);
    LimitSpec spec = new LimitSpec.Day(100, null, 300_000_000);
    return new Ask(id, spec, 0, List.of(), 0, 20, Ask.NONE, Ask.NONE);
  }

  /** Replaces random names and times of the clock in the life of a server. */
  private static String steady(String record) {
    return record
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>")
        .replaceAll("<id>:\\d+", "<id>:<micros>")
        .replaceAll("[0-9a-f]{40}\\.\\d+", "<run>.<micros>")
        .replaceAll("(?m)^(  born = ')\\d+", "$1<micros>");
  }

  @Test
  void exactSharing_isStoredAsRecorded_andGoesOnFromTheRecord() throws IOException {
    share(supply(namespace));
    GoldenRecords.check("stored/redis-exact.txt", steady(redis.of(":*")));
    String copy = namespace + "-copy";
    RedisRecord restored = new RedisRecord(SERVER, copy);
    restored.restore(Files.readString(Path.of("src/test/golden/stored/redis-exact.txt")));
    nowMicros.addAndGet(100_000);
    Round next = SliceFixture.round("c", 1, asks(nothing(), 0, 5));
    List<Grant> here = answer(supply(namespace).round(next)).grants();
    List<Grant> there = answer(supply(copy).round(next)).grants();
    assertThat(there).isEqualTo(here).hasSize(limits().size());
    assertThat(held(restored)).isEqualTo(held(redis));
  }

  /** Returns the data of limits; without times to live, which restored keys do not have. */
  private static String held(RedisRecord redis) {
    return (redis.of(":limit:*") + redis.of(":ratelimit:*")).replaceAll(", kept .*", "");
  }

  private static List<Count> counted(long amount) {
    return limits().keySet().stream()
        .filter(id -> id.durationNanos() > 0)
        .map(id -> new Count(id, NOW_MILLIS * 1_000_000 / id.durationNanos(), amount))
        .toList();
  }

  private RedisCountStore counts(String of) {
    return new RedisCountStore(link, of, Ticker.system(), () -> NOW_MILLIS, true);
  }

  @Test
  void eventualSharing_isStoredAsRecorded_andIsReadFromTheRecord() throws IOException {
    answer(counts(namespace).exchange("a.1|é", counted(7)));
    answer(counts(namespace).exchange("b", counted(Long.MAX_VALUE - 7)));
    String record = redis.of(":*");
    GoldenRecords.check(
        "stored/redis-eventual.txt", record.replaceAll(" = '\\d{16}'", " = '<micros>'"));
    String copy = namespace + "-copy";
    String micros = String.valueOf(Long.parseLong(time()) * 1_000_000);
    new RedisRecord(SERVER, copy)
        .restore(
            Files.readString(Path.of("src/test/golden/stored/redis-eventual.txt"))
                .replace("<micros>", micros));
    assertThat(answer(counts(copy).exchange("c", List.of())))
        .containsExactlyInAnyOrderElementsOf(counted(Long.MAX_VALUE));
  }

  private static String time() {
    return SERVER.command("EVAL", "return redis.call('TIME')[1]", "0");
  }

  @Test
  void claimOfKeys_isStoredAsRecorded_andIsSeenInTheRecord() throws IOException {
    answer(new KeysClaim(namespace, "member", "7@host").take(link));
    GoldenRecords.check("stored/redis-keys.txt", redis.of(":*"));
    String copy = namespace + "-copy";
    new RedisRecord(SERVER, copy)
        .restore(Files.readString(Path.of("src/test/golden/stored/redis-keys.txt")));
    SERVER.command("PEXPIRE", copy + ":keys-store", "100");
    assertThat(answer(new KeysClaim(copy, "member", "7@host").take(link)))
        .isEqualTo(new KeysClaim.Ours());
  }

  @Test
  void format_isStoredAsRecorded_andIsReadFromTheRecord() throws IOException {
    assertThat(answer(RedisFormat.of(namespace, link))).isEqualTo(RedisFormat.VERSION);
    GoldenRecords.check("stored/redis-format.txt", redis.of(":*"));
    String copy = namespace + "-copy";
    new RedisRecord(SERVER, copy)
        .restore(Files.readString(Path.of("src/test/golden/stored/redis-format.txt")));
    assertThat(answer(RedisFormat.of(copy, link))).isEqualTo(RedisFormat.VERSION);
  }

  /** A changed text has another name in Redis. */
  @Test
  void scripts_areThoseRecorded() throws IOException {
    List<String> scripts = new ArrayList<>();
    for (Path file : SourceTree.PROJECT.files(Path.of("src/main/resources"), ".lua")) {
      scripts.add(file.getFileName() + " " + LuaScript.of(Files.readString(file)).sha1());
    }
    assertThat(scripts).isNotEmpty();
    GoldenRecords.check(
        "stored/redis-scripts.txt", String.join("\n", scripts.stream().sorted().toList()));
  }
}
