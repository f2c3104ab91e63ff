package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareUse;
import io.penstock.sharing.LimitId;
import io.penstock.suite.SourceTree;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
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
  private static final LimitId DAY_LIMIT =
      new LimitId(LimitId.Kind.MODEL, "m", "", LimitMeasure.REQUESTS, DAY);
  private static final RedisServer SERVER = RedisServer.shared();

  private final String namespace = "golden-" + UUID.randomUUID();
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

  /** Returns a limit of each kind. */
  private static List<LimitId> limits() {
    return List.of(
        new LimitId(LimitId.Kind.ENDPOINT, "/fixed", "", LimitMeasure.TOKENS, 10 * SECOND),
        new LimitId(LimitId.Kind.ENDPOINT, "/bucket", "", LimitMeasure.REQUESTS, 0),
        new LimitId(LimitId.Kind.ENDPOINT, "/sliding", "", LimitMeasure.REQUESTS, MINUTE),
        new LimitId(LimitId.Kind.UPSTREAM, "ü a:b", "m/1 {x}", LimitMeasure.INPUT_TOKENS, MINUTE),
        DAY_LIMIT,
        new LimitId(LimitId.Kind.GROUP, "g", "", LimitMeasure.REQUESTS, DAY),
        new LimitId(LimitId.Kind.KEY, "k", "m", LimitMeasure.CONCURRENCY, 0));
  }

  private <T> T answer(CompletionStage<T> stage) {
    T answer = PatientWaits.join(stage);
    redis.note();
    return answer;
  }

  private RedisShareStore shares(String of) {
    return RedisShareStore.of(link, of, Ticker.system()).getFirst();
  }

  /** Returns the use of a limit of 100, which is that of a day or of a window that ends at once. */
  private static ShareUse use(LimitId id, long held, long first) {
    long nanos = id.durationNanos();
    long millis = nanos / 1_000_000;
    ShareUse.Cell cell =
        nanos == 0
            ? ShareUse.Cell.NONE
            : new ShareUse.Cell(NOW_MILLIS / millis, 1, 3, NOW_MILLIS % millis);
    return new ShareUse(100, held, held, first, first, 0, cell, nanos == DAY, 2 * millis);
  }

  private static List<Call> calls(ShareEpoch epoch, long number, long held, long first) {
    return limits().stream()
        .map(
            id ->
                new Call(
                    id,
                    number,
                    number,
                    epoch,
                    true,
                    held,
                    held / 2,
                    use(id, held, first),
                    List.of(),
                    List.of()))
        .toList();
  }

  /** Returns a message of an instance that knows all that was answered, and waits for a limit. */
  private static Message message(
      String member, long number, BeatAnswer known, List<Call> calls, List<Told> told) {
    Beat beat =
        new Beat(
            number,
            known.epoch(),
            known.count(),
            known.version(),
            true,
            false,
            false,
            List.of(),
            List.of(new Still("c", 0, false)),
            List.of(),
            List.of(limits().getFirst()),
            true,
            false,
            told,
            known.toldUpTo());
    return new Message(member, calls, beat);
  }

  /** Lets two instances share all limits, for which one waits, while a third one has died. */
  private BeatAnswer share(RedisShareStore store) {
    BeatAnswer none =
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
    answer(store.exchange(message("c", 0, none, List.of(), List.of())));
    BeatAnswer joined =
        answer(store.exchange(message("a.1|é", 1, none, List.of(), List.of()))).beat();
    ShareEpoch epoch = joined.epoch();
    Reply first =
        answer(store.exchange(message("a.1|é", 3, joined, calls(epoch, 2, 40, 50), List.of())));
    assertThat(first.answers()).hasSize(limits().size()).allMatch(each -> each.share() >= 50);
    ShareUse.Cell day = use(DAY_LIMIT, 0, 0).cell();
    Told share = new Told.Share(DAY_LIMIT, new Row("b", 2, 10, 5, day, 2 * DAY / 1_000_000));
    Told counted = new Told.Counted(DAY_LIMIT, "b", NOW_MILLIS * 1_000_000 / DAY, 7, 60_000);
    List<Told> told = List.of(share, counted);
    return answer(store.exchange(message("b", 2, joined, calls(epoch, 1, 10, 60), told))).beat();
  }

  /** Replaces random names. */
  private static String steady(String record) {
    return record
        .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>")
        .replaceAll("[0-9a-f]{40}", "<run>")
        .replaceAll("'\\d{13} ", "'<until> ");
  }

  @Test
  void exactSharing_isStoredAsRecorded_andGoesOnFromTheRecord() throws IOException {
    BeatAnswer last = share(shares(namespace));
    GoldenRecords.check("stored/redis-exact.txt", steady(redis.of(":*")));
    String copy = namespace + "-copy";
    RedisRecord restored = new RedisRecord(SERVER, copy);
    restored.restore(
        Files.readString(Path.of("src/test/golden/stored/redis-exact.txt"))
            .replace("<until>", "9".repeat(13)));
    Reply here = next(shares(namespace), last.epoch(), last);
    ShareEpoch recorded = new ShareEpoch(last.epoch().number(), "<id>");
    Reply there = next(shares(copy), recorded, last);
    assertThat(there.answers()).isEqualTo(here.answers()).allMatch(Answer::taken);
    assertThat(there.beat().peers()).hasSameSizeAs(here.beat().peers());
    assertThat(there.beat().told()).isEqualTo(here.beat().told());
    assertThat(there.beat().epoch().number()).as("another run").isGreaterThan(recorded.number());
  }

  private Reply next(RedisShareStore store, ShareEpoch epoch, BeatAnswer last) {
    return answer(store.exchange(message("d", 5, last, calls(epoch, 4, 1, 5), List.of())));
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
