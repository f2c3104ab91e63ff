package io.penstock.redis.shares;

import io.penstock.cost.LimitMeasure;
import io.penstock.redis.RawRedis;
import io.penstock.shares.MemoryShareStore;
import io.penstock.shares.ShareEpoch;
import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareUse;
import io.penstock.shares.ShareUse.Cell;
import io.penstock.sharing.LimitId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Random history of a few instances and limits, played on real servers and on {@link
 * MemoryShareStore} at the same time.
 *
 * <p>Messages are repeated and late, of old epochs, and with doubts. Instances die, leave, and are
 * replaced. The data is flushed, lost in part, moved to a server with another run id, and restored
 * to an earlier state.
 */
final class ShareHistory {
  /** Events that histories must contain, so that answers are compared after each of them. */
  static final List<String> HAPPENINGS =
      List.of(
          "share raised",
          "share refused",
          "target of those in need",
          "target of one that waits",
          "share given up",
          "share of another day",
          "row forgotten",
          "row heard",
          "call ignored",
          "store settled",
          "epoch uncertain",
          "instance unlisted",
          "instance buried",
          "instance left",
          "instance released",
          "share released",
          "limit wanted",
          "instances told at once",
          "share told",
          "shares told in part",
          "epoch begun",
          "message repeated",
          "message late",
          "all lost",
          "limit lost",
          "data moved",
          "data of before");

  private static final int MOST_KEPT = 12;
  private static final int MOST_TOLD = 3;
  private static final int MEMBERS = 4;

  /** Place of the word of an answer that tells whether instances are told at once. */
  private static final int PUBLISHED = 7;

  /**
   * A reply, in one order, and with numbers clamped as in Lua.
   *
   * @param news the limits at which other instances should look
   */
  record Answered(Reply reply, List<LimitId> news) {}

  /** A message with both answers to it. */
  record Compared(Message message, Answered expected, Answered said) {}

  private enum Cells {
    NONE,
    GRID,
    FIRST_USE
  }

  private record Kind(LimitId id, long capacity, Cells cells, boolean isLong, long decayMillis) {}

  /** An instance, and its knowledge. */
  private static final class Member {
    private final String name;

    /** By how many cells its clock is early. */
    private final long early;

    private long number;
    private long sequence;
    private ShareEpoch epoch = ShareEpoch.NONE;
    private @Nullable BeatAnswer last;
    private final Map<LimitId, Long> shares = new HashMap<>();
    private final Map<LimitId, Row> rows = new LinkedHashMap<>();

    Member(String name, long early) {
      this.name = name;
      this.early = early;
    }
  }

  private record Saved(MemoryShareStore here, List<List<String>> there) {}

  private final Random random;
  private final List<RawRedis> servers;
  private final List<Kind> kinds = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final List<Message> sent = new ArrayList<>();
  private final List<Message> late = new ArrayList<>();
  private final List<Row> heard = new ArrayList<>();
  private final Map<String, Integer> happened;
  private @Nullable Saved saved;
  private MemoryShareStore store;
  private int server;
  private int names;
  private int tags;
  private long cell = 100;

  /**
   * Creates a history without data.
   *
   * @param servers two, on which the scripts are loaded
   * @param happened is told what happens, and how often
   */
  ShareHistory(long seed, List<RawRedis> servers, Map<String, Integer> happened)
      throws IOException {
    this.random = new Random(seed);
    this.servers = servers;
    this.happened = happened;
    this.store = new MemoryShareStore("run0", () -> "e" + tags, Set.of());
    this.store.bound(MOST_KEPT, MOST_TOLD);
    for (RawRedis each : servers) {
      each.call("FLUSHALL");
    }
    int limits = 1 + random.nextInt(3);
    for (int i = 0; i < limits; i++) {
      kinds.add(kind(i));
    }
    int count = 2 + random.nextInt(MEMBERS - 1);
    for (int i = 0; i < count; i++) {
      members.add(member());
    }
  }

  private Kind kind(int number) {
    LimitId.Kind owner = one(LimitId.Kind.KEY, LimitId.Kind.UPSTREAM, LimitId.Kind.ENDPOINT);
    LimitId id = new LimitId(owner, "/l " + number, one("", "ü:m"), LimitMeasure.TOKENS, 1_000_000);
    long capacity = one(1L, 3L, 20L, 300L, 1_000_000_000_000L);
    return switch (random.nextInt(5)) {
      case 0 -> new Kind(id, capacity, Cells.NONE, false, one(0L, 5_001L));
      case 1 -> new Kind(id, capacity, Cells.NONE, true, 7_000);
      case 2 -> new Kind(id, capacity, Cells.GRID, false, 62_000);
      case 3 -> new Kind(id, capacity, Cells.FIRST_USE, true, 90_000_000);
      default -> new Kind(id, capacity, Cells.GRID, true, 90_000_000);
    };
  }

  /** Names are equally long, so that every collation of a server has them in the same order. */
  private Member member() {
    return new Member("m%03d".formatted(names++), random.nextInt(3) == 0 ? 1 : 0);
  }

  @SafeVarargs
  private final <T> T one(T... of) {
    return of[random.nextInt(of.length)];
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private long below(long bound) {
    return random.nextLong(Math.max(1, bound));
  }

  private void note(String what) {
    happened.merge(what, 1, Integer::sum);
  }

  private void note(boolean is, String what) {
    if (is) {
      note(what);
    }
  }

  /** Plays one step; returns what was sent and answered. */
  Compared step() throws IOException {
    if (oneIn(12)) {
      cell++;
    }
    switch (random.nextInt(90)) {
      case 0 -> loseAll();
      case 1, 2 -> loseLimit(one(kinds).id());
      case 3, 4 -> saved = new Saved(store.inRun("run" + server), data());
      case 5, 6 -> {
        note("data moved");
        restore(new Saved(store, data()), 1 - server);
      }
      case 7, 8 -> restoreEarlier();
      case 9, 10 -> members.set(random.nextInt(members.size()), member());
      default -> {}
    }
    return play(next());
  }

  private void loseAll() throws IOException {
    note("all lost");
    store.flush();
    servers.get(server).call("FLUSHALL");
  }

  private void loseLimit(LimitId id) throws IOException {
    note("limit lost");
    store.lose(id);
    servers.get(server).call("DEL", ShareScript.key("ns", id));
  }

  private void restoreEarlier() throws IOException {
    Saved earlier = saved;
    if (earlier != null) {
      note("data of before");
      restore(earlier, oneIn(2) ? server : 1 - server);
    }
  }

  private List<List<String>> data() throws IOException {
    List<List<String>> data = new ArrayList<>();
    RawRedis from = servers.get(server);
    for (Object each : (List<?>) from.call("KEYS", "*")) {
      String key = String.valueOf(each);
      if (key.endsWith(":order")) {
        List<String> words = words(from.call("ZRANGE", key, "0", "-1", "WITHSCORES"));
        for (int i = 0; i < words.size(); i += 2) {
          data.add(List.of("ZADD", key, words.get(i + 1), words.get(i)));
        }
      } else {
        List<String> command = new ArrayList<>(List.of("HSET", key));
        command.addAll(words(from.call("HGETALL", key)));
        data.add(command);
      }
    }
    return data;
  }

  private static List<String> words(Object reply) {
    return ((List<?>) reply).stream().map(String::valueOf).toList();
  }

  private void restore(Saved data, int onto) throws IOException {
    server = onto;
    store = data.here().inRun("run" + onto);
    RawRedis to = servers.get(onto);
    to.call("FLUSHALL");
    for (List<String> command : data.there()) {
      to.call(command.toArray(String[]::new));
    }
  }

  private Message next() {
    if (!sent.isEmpty() && oneIn(15)) {
      note("message repeated");
      return sent.get(Math.max(0, sent.size() - 1 - random.nextInt(20)));
    }
    if (!late.isEmpty() && oneIn(6)) {
      note("message late");
      return late.removeFirst();
    }
    if (oneIn(12)) {
      late.add(message(one(members)));
    }
    return message(one(members));
  }

  private Message message(Member member) {
    member.number++;
    List<Call> calls = new ArrayList<>();
    ShareEpoch epoch = oneIn(25) ? new ShareEpoch(random.nextLong(4), "e1") : member.epoch;
    for (int i = random.nextInt(4); i > 0 && epoch.number() > 0; i--) {
      calls.add(call(member, one(kinds), epoch));
    }
    return new Message(member.name, calls, beat(member, epoch));
  }

  private Call call(Member member, Kind kind, ShareEpoch epoch) {
    long share = member.shares.getOrDefault(kind.id(), 0L);
    long held = oneIn(3) ? share : below(share + 1);
    held = oneIn(20) ? below(2 * kind.capacity()) : held;
    long first = oneIn(2) ? 0 : held + 1 + below(kind.capacity() / 2);
    List<Row> known = heard.subList(Math.max(0, heard.size() - 3), heard.size());
    if (oneIn(15)) {
      return last(member, kind, epoch, held);
    }
    return new Call(
        kind.id(),
        ++member.sequence,
        member.number,
        epoch,
        !oneIn(5),
        held,
        kind.isLong() ? below(held + 2) : Long.MAX_VALUE,
        use(member, kind, held, first),
        absent(member, kind),
        oneIn(6) ? List.copyOf(known) : List.of());
  }

  /** Returns a call about a limit that the instance does not share any more. */
  private Call last(Member member, Kind kind, ShareEpoch epoch, long held) {
    long counts = oneIn(3) ? held : 0;
    ShareUse use = use(member, kind, counts, 0).ended();
    note(counts == 0, "share given up");
    return new Call(
        kind.id(),
        ++member.sequence,
        member.number,
        epoch,
        oneIn(5),
        counts,
        0,
        oneIn(2) ? use : unspent(use),
        absent(member, kind),
        List.of());
  }

  private static ShareUse unspent(ShareUse of) {
    Cell cell = of.cell();
    Cell unspent = new Cell(cell.number(), cell.length(), 0, cell.sinceMillis());
    return new ShareUse(0, 0, 0, 0, 0, 0, unspent, of.isLong(), of.decayMillis());
  }

  private ShareUse use(Member member, Kind kind, long held, long first) {
    long begin = (cell + member.early) * 60_000;
    Cell running =
        switch (kind.cells()) {
          case NONE -> Cell.NONE;
          case GRID -> new Cell(begin, 60_000, below(kind.capacity()), below(8_000));
          case FIRST_USE ->
              oneIn(3)
                  ? new Cell(begin + below(60_000), 0, below(kind.capacity()), 0)
                  : new Cell(begin + below(3_000), 60_000, below(kind.capacity()), below(8_000));
        };
    return new ShareUse(
        oneIn(10) ? 1 + below(kind.capacity()) : kind.capacity(),
        oneIn(2) ? held : below(held + 1),
        held,
        Math.min(first, kind.capacity()),
        first == 0 ? 0 : first - held + below(kind.capacity()),
        below(kind.capacity() / 4),
        running,
        kind.isLong(),
        kind.decayMillis() + below(1_000));
  }

  private List<Absent> absent(Member member, Kind kind) {
    List<Absent> absent = new ArrayList<>();
    for (Peer each : peers(member)) {
      if (each.life() != Life.LIVING || oneIn(40)) {
        long age = oneIn(2) ? below(9_000) : below(2 * kind.decayMillis());
        absent.add(
            new Absent(each.member(), each.number() - (oneIn(8) ? 1 : 0), age, released(each)));
      }
    }
    return absent;
  }

  private boolean released(Peer peer) {
    boolean released = peer.life() == Life.RELEASED ? !oneIn(8) : oneIn(40);
    note(released, "instance released");
    return released;
  }

  private static List<Peer> peers(Member member) {
    BeatAnswer last = member.last;
    return last == null
        ? List.of()
        : last.peers().stream().filter(each -> !each.member().equals(member.name)).toList();
  }

  private Peer older(Peer peer) {
    long age = oneIn(3) ? below(9_000) : peer.ageMillis() + below(2_500);
    return new Peer(peer.member(), peer.number(), peer.life(), peer.stated(), age);
  }

  private Beat beat(Member member, ShareEpoch epoch) {
    BeatAnswer last = member.last;
    List<Still> still = new ArrayList<>();
    List<String> forgotten = new ArrayList<>();
    for (Peer each : peers(member)) {
      boolean living = each.life() == Life.LIVING;
      if (oneIn(living ? 12 : 30)) {
        still.add(new Still(each.member(), each.number() - (oneIn(6) ? 1 : 0), false));
      }
      if (oneIn(living ? 30 : 6)) {
        still.add(new Still(each.member(), each.number() - (oneIn(6) ? 1 : 0), true));
      }
      if (oneIn(living ? 80 : 12)) {
        forgotten.add(each.member());
      }
    }
    List<Told> told = new ArrayList<>();
    if (oneIn(3)) {
      member.rows.forEach((id, row) -> told.add(new Told.Share(id, lasting(row))));
    }
    if (oneIn(3)) {
      for (Kind each : kinds) {
        long cell = below(3);
        long counts = 3_600_000 + below(1_000);
        told.add(new Told.Counted(each.id(), member.name, cell, below(1_000), counts));
      }
    }
    List<LimitId> waits = new ArrayList<>();
    kinds.stream().filter(each -> oneIn(4)).forEach(each -> waits.add(each.id()));
    return new Beat(
        member.number,
        epoch,
        last == null ? 0 : last.count() + (oneIn(60) ? 5_000 : 0),
        last == null ? 0 : last.version(),
        !oneIn(6),
        oneIn(60),
        last != null && last.settled(),
        peers(member).stream().map(this::older).toList(),
        still,
        forgotten,
        waits,
        oneIn(2),
        oneIn(40),
        told,
        last == null || oneIn(20) ? 0 : last.toldUpTo());
  }

  private Compared play(Message message) throws IOException {
    RawRedis redis = servers.get(server);
    sent.add(message);
    tags++;
    for (Call each : message.calls()) {
      String key = ShareScript.key("ns", each.id());
      List<String> arguments = ShareScript.arguments(message.member(), each, "ns:shares");
      send(redis, ShareScript.SCRIPT.sha1(), key, arguments);
    }
    List<String> beat =
        BeatScript.arguments(message.member(), message.beat(), "e" + tags, MOST_KEPT, MOST_TOLD);
    send(redis, BeatScript.SCRIPT.sha1(), "ns:instances:0", beat);
    List<Answer> answers = new ArrayList<>();
    List<LimitId> news = new ArrayList<>();
    for (Call each : message.calls()) {
      Object answer = answer(redis, each);
      answers.add(ShareScript.answer(each.id(), answer));
      if (answer instanceof List<?> words && words.size() > PUBLISHED) {
        news.addAll(words.get(PUBLISHED).equals(1L) ? List.of(each.id()) : List.of());
      }
    }
    Reply said = new Reply(answers, BeatScript.answer(answer(redis, message.beat())));
    Reply expected = store.carryOut(message);
    learn(message, expected);
    note(!news.isEmpty(), "instances told at once");
    return new Compared(
        message, new Answered(ordered(expected), store.news()), new Answered(ordered(said), news));
  }

  private static void send(RawRedis redis, String script, String key, List<String> arguments)
      throws IOException {
    List<String> words = new ArrayList<>(List.of("EVALSHA", script, "1", key));
    words.addAll(arguments);
    redis.send(words);
  }

  private static Object answer(RawRedis redis, Object to) throws IOException {
    Object answer = redis.answer();
    if (answer instanceof RawRedis.Failure failure) {
      throw new AssertionError(failure.message() + " in answer to " + to);
    }
    return answer;
  }

  /** Lets the instance know what it was answered, unless the answer is lost. */
  private void learn(Message message, Reply reply) {
    BeatAnswer beat = reply.beat();
    for (Member each : members) {
      if (each.name.equals(message.member()) && !oneIn(10)) {
        note(!each.epoch.equals(beat.epoch()), "epoch begun");
        each.epoch = beat.epoch();
        each.last = beat;
        for (int i = 0; i < reply.answers().size(); i++) {
          learn(each, message.calls().get(i), reply.answers().get(i));
        }
      }
    }
    note(beat.settled(), "store settled");
    note(beat.uncertain(), "epoch uncertain");
    note(!beat.listed(), "instance unlisted");
    note(beat.buried(), "instance buried");
    note(message.beat().leaves(), "instance left");
    note(!beat.wanted().isEmpty(), "limit wanted");
    note(!beat.told().isEmpty(), "share told");
    note(beat.told().size() == MOST_TOLD, "shares told in part");
  }

  private void learn(Member member, Call call, Answer answer) {
    note(!answer.taken(), "call ignored");
    if (!answer.taken()) {
      return;
    }
    ShareUse use = call.use();
    Row own = new Row(member.name, -1, answer.share(), call.later(), use.cell(), use.decayMillis());
    member.shares.put(call.id(), answer.share());
    member.rows.put(call.id(), own);
    heard.add(own);
    note(answer.share() > call.held(), "share raised");
    note(use.first() > answer.share(), "share refused");
    note(answer.crowded(), "target of those in need");
    note(answer.crowded() && use.first() > answer.share(), "target of one that waits");
    note(
        answer.rows().stream()
            .map(Row::cell)
            .anyMatch(each -> each.isBefore(use.cell()) || use.cell().isBefore(each)),
        "share of another day");
    Set<String> known = Set.copyOf(answer.rows().stream().map(Row::member).toList());
    note(call.absent().stream().anyMatch(each -> !known.contains(each.member())), "row forgotten");
    Set<String> gone =
        Set.copyOf(call.absent().stream().filter(Absent::released).map(Absent::member).toList());
    note(
        answer.rows().stream().anyMatch(each -> gone.contains(each.member()) && each.later() == 0),
        "share released");
    note(call.heard().stream().anyMatch(each -> known.contains(each.member())), "row heard");
  }

  private static Reply ordered(Reply reply) {
    return new Reply(
        reply.answers().stream().map(ShareHistory::ordered).toList(), ordered(reply.beat()));
  }

  private static Answer ordered(Answer answer) {
    List<Row> rows =
        answer.rows().stream()
            .map(ShareHistory::clamped)
            .sorted(Comparator.comparing(Row::member))
            .toList();
    return new Answer(
        answer.id(),
        answer.outcome(),
        answer.known(),
        answer.share(),
        answer.target(),
        answer.crowded(),
        answer.free(),
        answer.capacity(),
        rows);
  }

  /** Returns a row that counts until the history has ended. */
  private static Row lasting(Row row) {
    long decay = row.decayMillis() + 3_600_000;
    return new Row(row.member(), row.beat(), row.share(), row.later(), row.cell(), decay);
  }

  private static Told clamped(Told told) {
    return told instanceof Told.Share share
        ? new Told.Share(share.id(), clamped(share.row()))
        : told;
  }

  private static Row clamped(Row row) {
    long later = Math.min(row.later(), ScriptWords.MOST);
    return new Row(row.member(), row.beat(), row.share(), later, row.cell(), row.decayMillis());
  }

  private static BeatAnswer ordered(BeatAnswer answer) {
    return new BeatAnswer(
        answer.epoch(),
        answer.count(),
        answer.version(),
        answer.settled(),
        answer.uncertain(),
        answer.listed(),
        answer.buried(),
        answer.peers().stream().sorted(Comparator.comparing(Peer::member)).toList(),
        answer.wanted().stream().sorted(Comparator.comparing(LimitId::toString)).toList(),
        answer.told().stream().map(ShareHistory::clamped).toList(),
        answer.toldUpTo(),
        answer.complete());
  }
}
