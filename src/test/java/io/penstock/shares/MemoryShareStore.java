package io.penstock.shares;

import io.penstock.shares.ShareStore.Absent;
import io.penstock.shares.ShareStore.Answer;
import io.penstock.shares.ShareStore.Beat;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Call;
import io.penstock.shares.ShareStore.Life;
import io.penstock.shares.ShareStore.Message;
import io.penstock.shares.ShareStore.Outcome;
import io.penstock.shares.ShareStore.Peer;
import io.penstock.shares.ShareStore.Reply;
import io.penstock.shares.ShareStore.Row;
import io.penstock.shares.ShareStore.Still;
import io.penstock.shares.ShareStore.Told;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of the store in Java: what they do with one message, at once. A copy is a snapshot.
 */
public final class MemoryShareStore {
  /** Rules that can be left out, to show that each is needed. */
  public enum Rule {
    LATE_CALLS_ARE_IGNORED,
    OLDER_EPOCHS_ARE_IGNORED,
    LONGER_WAITERS_COME_FIRST,
    THE_DEAD_COUNT_UNTIL_THEY_DECAYED,
    OTHER_RUNS_ARE_DOUBTED,
    LOWER_COUNTS_ARE_DOUBTED,
    NEW_EPOCHS_KEEP_ROWS,
    HEARD_ROWS_ARE_KEPT,
    ALL_MUST_REGISTER,
    NEWCOMERS_WAIT,
    STRANGERS_GET_NOTHING,
    BEATS_ARE_COMPARED,
    THE_BURIED_ARE_TOLD,
    MISSING_STATEMENTS_ARE_UNCERTAIN,
    THE_LEAST_CAPACITY_HOLDS,
    EARLIER_CELLS_COUNT,
    LONG_SHARES_ARE_TOLD,
    LATER_STATEMENTS_OF_THE_DEAD_COUNT,
    WHAT_THE_RELEASED_SPENT_COUNTS,
    THE_LIVING_ARE_NOT_RELEASED
  }

  /** By how much the clocks of two instances may differ, twice. */
  private static final long CLOCKS_MILLIS = 2_000;

  /** The largest number that the scripts know. */
  private static final long MOST = (1L << 53) - 1;

  /** How many shares told are kept, and how many an answer has at most. */
  private int mostKept = 10_000;

  private int mostTold = 1_000;

  private static final class Member {
    private long number;
    private Life life = Life.LIVING;
    private boolean registered;

    /** Whether it was declared dead and came back, and has not heard of that. */
    private boolean buried;

    private long heard;
    private long joined;
    private long ageMillis;
    private Set<LimitId> waits = Set.of();

    private Member copy() {
      Member copy = new Member();
      copy.number = number;
      copy.life = life;
      copy.registered = registered;
      copy.buried = buried;
      copy.heard = heard;
      copy.joined = joined;
      copy.ageMillis = ageMillis;
      copy.waits = waits;
      return copy;
    }
  }

  /** All that the store keeps about the instances. */
  private static final class Lives {
    private String run = "";
    private ShareEpoch epoch = ShareEpoch.NONE;
    private long count;
    private long firstCount;
    private long firstNumber;
    private long version;
    private boolean settled;
    private boolean remembered;
    private boolean uncertain;
    private final Map<String, Member> members = new TreeMap<>();
    private final TreeMap<Long, Told> told = new TreeMap<>();
    private final Map<String, Long> numbers = new HashMap<>();
    private long toldUpTo;

    /** Puts it last; what was told before about the same is forgotten. */
    private void tell(Told news) {
      String cell = news instanceof Told.Counted counted ? " " + counted.cell() : "";
      Long before = numbers.put(news.id() + " " + news.member() + cell, ++toldUpTo);
      if (before != null) {
        told.remove(before);
      }
      told.put(toldUpTo, news);
    }

    private Lives copy() {
      Lives copy = new Lives();
      copy.told.putAll(told);
      copy.numbers.putAll(numbers);
      copy.toldUpTo = toldUpTo;
      copy.run = run;
      copy.epoch = epoch;
      copy.count = count;
      copy.firstCount = firstCount;
      copy.firstNumber = firstNumber;
      copy.version = version;
      copy.settled = settled;
      copy.remembered = remembered;
      copy.uncertain = uncertain;
      members.forEach((name, each) -> copy.members.put(name, each.copy()));
      return copy;
    }
  }

  private record Stored(
      ShareEpoch epoch,
      long sequence,
      long beat,
      long share,
      long later,
      ShareUse.Cell cell,
      long decayMillis,
      long capacity,
      long need,
      long head,
      long turn,
      long spent) {
    Stored heard(Row row) {
      boolean newer = cell.isBefore(row.cell());
      long most = newer ? row.share() : Math.max(share, row.share());
      return new Stored(
          epoch,
          sequence,
          beat,
          most,
          Math.max(later, row.later()),
          newer ? row.cell() : cell,
          Math.max(decayMillis, row.decayMillis()),
          capacity,
          need,
          head,
          turn,
          most);
    }

    /** Returns the row of an instance that is gone: only what it spent counts. */
    Stored released(long counts) {
      return new Stored(
          epoch,
          sequence,
          beat,
          Math.min(share, counts),
          0,
          cell,
          decayMillis,
          capacity,
          need,
          head,
          turn,
          spent);
    }
  }

  private static final class Hash {
    private ShareEpoch epoch = ShareEpoch.NONE;
    private long turns;
    private final Map<String, Stored> rows = new TreeMap<>();

    private Hash copy() {
      Hash copy = new Hash();
      copy.epoch = epoch;
      copy.turns = turns;
      copy.rows.putAll(rows);
      return copy;
    }
  }

  private final Set<Rule> leftOut;
  private final String run;
  private @Nullable Lives lives;
  private final Map<LimitId, Hash> hashes = new HashMap<>();
  private final Set<LimitId> spoiled = new HashSet<>();
  private final TagSource tags;

  /** The limits whose waiting instances, or holders, were told since the last look. */
  private final List<LimitId> news = new ArrayList<>();

  /** Returns the limits of which all instances are told because of the last message. */
  public List<LimitId> news() {
    List<LimitId> last = List.copyOf(news);
    news.clear();
    return last;
  }

  /** Gives the tags of new epochs. */
  public interface TagSource {
    String next();
  }

  public MemoryShareStore(String run, TagSource tags, Set<Rule> leftOut) {
    this.run = run;
    this.tags = tags;
    this.leftOut = leftOut;
  }

  /** Sets how many shares told are kept, and how many an answer has at most. */
  public void bound(int kept, int told) {
    mostKept = kept;
    mostTold = told;
  }

  private boolean holds(Rule rule) {
    return !leftOut.contains(rule);
  }

  /** Returns a copy of the data in a server with another run id. */
  public MemoryShareStore inRun(String other) {
    MemoryShareStore copy = new MemoryShareStore(other, tags, leftOut);
    copy.mostKept = mostKept;
    copy.mostTold = mostTold;
    copy.lives = lives == null ? null : lives.copy();
    hashes.forEach((id, each) -> copy.hashes.put(id, each.copy()));
    copy.spoiled.addAll(spoiled);
    return copy;
  }

  /** Loses all data. */
  public void flush() {
    lives = null;
    hashes.clear();
    spoiled.clear();
  }

  /** Loses what is kept about one limit. */
  public void lose(LimitId id) {
    hashes.remove(id);
    spoiled.remove(id);
  }

  /** Loses what is kept about the instances. */
  public void loseInstances() {
    lives = null;
  }

  /** Lets the key of a limit hold something else. */
  public void spoil(LimitId id) {
    hashes.remove(id);
    spoiled.add(id);
  }

  /** Returns the share that an instance stated in the running epoch, −1 if it stated none. */
  long stated(LimitId id, String member) {
    Hash hash = hashes.get(id);
    Stored row = hash == null ? null : hash.rows.get(member);
    boolean counts = row != null && lives != null && row.epoch().equals(lives.epoch);
    return counts ? row.share() : -1;
  }

  /** Carries out the calls of a message, then its beat. */
  public Reply carryOut(Message message) {
    List<Answer> answers = new ArrayList<>();
    for (Call call : message.calls()) {
      answers.add(carryOut(message.member(), call));
    }
    return new Reply(answers, carryOut(message.member(), message.beat()));
  }

  BeatAnswer carryOut(String me, Beat beat) {
    Lives now = lives;
    if (now == null || isDoubted(now, beat)) {
      now = begun(now, beat);
      lives = now;
    }
    now.count++;
    Member mine = now.members.get(me);
    if (mine == null || mine.life == Life.DEAD || mine.life == Life.RELEASED) {
      boolean died = mine != null;
      mine = mine == null ? new Member() : mine;
      mine.buried = died;
      mine.life = Life.LIVING;
      mine.registered = false;
      mine.joined = ++now.version;
      mine.ageMillis = 0;
      now.members.put(me, mine);
    } else if (beat.epoch().equals(now.epoch) && beat.version() >= mine.joined) {
      mine.buried = false; // it has had an answer since
    }
    if (beat.number() > mine.number) {
      mine.number = beat.number();
      mine.heard = beat.epoch().equals(now.epoch) ? beat.version() : 0;
      mine.registered |= beat.epoch().equals(now.epoch) && beat.registered();
      mine.waits = Set.copyOf(beat.waits());
      beat.told().forEach(now::tell);
      while (now.told.size() > mostKept) {
        now.told.pollFirstEntry();
      }
      if (beat.leaves()) {
        mine.life = Life.LEFT;
        now.version++;
      }
    }
    remember(now, beat);
    hearAges(now, beat);
    bury(now, beat);
    settle(now, beat);
    boolean listed = true;
    for (Map.Entry<String, Member> each : now.members.entrySet()) {
      Member other = each.getValue();
      listed &= other == mine || other.life != Life.LIVING || other.heard >= mine.joined;
    }
    SortedMap<Long, Told> told = now.told.tailMap(beat.toldUpTo(), false);
    long toldUpTo = now.toldUpTo;
    if (told.size() > mostTold) {
      toldUpTo = told.keySet().stream().skip(mostTold - 1).findFirst().orElseThrow();
      told = told.headMap(toldUpTo + 1);
    }
    return new BeatAnswer(
        now.epoch,
        now.count,
        now.version,
        now.settled,
        now.uncertain && holds(Rule.MISSING_STATEMENTS_ARE_UNCERTAIN),
        listed || !holds(Rule.STRANGERS_GET_NOTHING),
        mine.buried && holds(Rule.THE_BURIED_ARE_TOLD),
        peers(now),
        wanted(now, me),
        holds(Rule.LONG_SHARES_ARE_TOLD)
            ? told.values().stream().filter(each -> !each.member().equals(me)).toList()
            : List.of(),
        toldUpTo,
        toldUpTo == now.toldUpTo);
  }

  private boolean isDoubted(Lives now, Beat beat) {
    boolean same = beat.epoch().equals(now.epoch);
    return (!now.run.equals(run) && holds(Rule.OTHER_RUNS_ARE_DOUBTED))
        || beat.epoch().conflicts(now.epoch)
        || (same && beat.count() > now.count && holds(Rule.LOWER_COUNTS_ARE_DOUBTED))
        || (same && beat.doubts());
  }

  private Lives begun(@Nullable Lives before, Beat beat) {
    Lives next = before == null ? new Lives() : before.copy();
    next.run = run;
    next.firstNumber = next.epoch.number();
    next.firstCount = next.count;
    next.epoch =
        new ShareEpoch(Math.max(next.epoch.number(), beat.epoch().number()) + 1, tags.next());
    next.count = Math.max(next.count, beat.count()) + 1_000;
    next.version = Math.max(next.version, beat.version()) + 1;
    next.toldUpTo = Math.max(next.toldUpTo, beat.toldUpTo()) + 1_000;
    next.remembered |= next.settled;
    next.settled = false;
    next.uncertain |= beat.doubts() || before == null;
    for (Member each : next.members.values()) {
      // what the absent stated is among the data, unless it was lost alone
      each.registered &= each.life != Life.LIVING && !beat.doubts();
      each.heard = 0;
    }
    return next;
  }

  /** Takes in what others knew before the epoch. */
  private void remember(Lives now, Beat beat) {
    if (now.settled) {
      return;
    }
    now.remembered |= beat.remembers();
    boolean earlier = !beat.epoch().equals(now.epoch) && beat.epoch().number() > 0;
    now.uncertain |=
        earlier
            && (beat.epoch().number() > now.firstNumber
                || (beat.epoch().number() == now.firstNumber && beat.count() > now.firstCount));
    for (Peer each : holds(Rule.ALL_MUST_REGISTER) ? beat.known() : List.<Peer>of()) {
      Member other = now.members.get(each.member());
      if (other == null) {
        other = new Member();
        other.number = -1;
        other.life = each.life();
        other.joined = ++now.version;
        now.members.put(each.member(), other);
      } else if (each.life() != Life.LIVING
          && other.life != Life.RELEASED
          && !other.registered
          && each.number() >= other.number) {
        other.life = each.life();
      }
    }
  }

  /** Takes in for how long others have watched instances that stopped. */
  private static void hearAges(Lives now, Beat beat) {
    for (Peer each : beat.known()) {
      Member other = now.members.get(each.member());
      if (other != null
          && other.life != Life.LIVING
          && each.number() >= other.number
          && 4 * each.ageMillis() > 5 * other.ageMillis + 4_000) {
        other.ageMillis = each.ageMillis();
      }
    }
  }

  private void bury(Lives now, Beat beat) {
    for (Still each : beat.still()) {
      Member other = now.members.get(each.member());
      if (other != null
          && (each.gone() != (other.life == Life.LIVING)
              || (each.gone() && !holds(Rule.THE_LIVING_ARE_NOT_RELEASED)))
          && (other.number == each.number() || !holds(Rule.BEATS_ARE_COMPARED))) {
        other.life = each.gone() ? Life.RELEASED : Life.DEAD;
        other.waits = Set.of();
        now.version++;
      }
    }
    for (String each : beat.forgotten()) {
      Member other = now.members.get(each);
      if (other != null && other.life != Life.LIVING) {
        now.members.remove(each);
      }
    }
  }

  private void settle(Lives now, Beat beat) {
    if (now.settled) {
      return;
    }
    for (Member each : now.members.values()) {
      if (each.life == Life.LIVING && !each.registered) {
        return;
      }
    }
    boolean known = now.remembered || (beat.epoch().equals(now.epoch) && beat.waited());
    if (known || !holds(Rule.NEWCOMERS_WAIT)) {
      now.settled = true;
    }
  }

  private static List<Peer> peers(Lives now) {
    List<Peer> peers = new ArrayList<>();
    now.members.forEach(
        (name, each) ->
            peers.add(new Peer(name, each.number, each.life, each.registered, each.ageMillis)));
    return peers;
  }

  private static List<LimitId> wanted(Lives now, String me) {
    Set<LimitId> wanted = new HashSet<>();
    now.members.forEach(
        (name, each) -> {
          if (!name.equals(me) && each.life == Life.LIVING) {
            wanted.addAll(each.waits);
          }
        });
    return List.copyOf(wanted);
  }

  Answer carryOut(String me, Call call) {
    if (spoiled.contains(call.id())) {
      return Answer.ignored(call.id(), Outcome.UNUSABLE);
    }
    Hash hash = hashes.computeIfAbsent(call.id(), id -> new Hash());
    if (hash.epoch.number() > call.epoch().number() && holds(Rule.OLDER_EPOCHS_ARE_IGNORED)) {
      return Answer.ignored(call.id(), Outcome.LATE);
    }
    if (!hash.epoch.equals(call.epoch())) {
      if (hash.epoch.number() == call.epoch().number()) {
        return Answer.ignored(call.id(), Outcome.LATE);
      }
      hash.epoch = call.epoch();
      if (!holds(Rule.NEW_EPOCHS_KEEP_ROWS)) {
        hash.rows.clear();
      }
    }
    Stored before = hash.rows.get(me);
    if (before != null
        && call.sequence() <= before.sequence()
        && holds(Rule.LATE_CALLS_ARE_IGNORED)) {
      return Answer.ignored(call.id(), Outcome.LATE);
    }
    if (holds(Rule.HEARD_ROWS_ARE_KEPT)) {
      hear(hash, me, call);
    }
    Map<String, Long> absent = new TreeMap<>();
    for (Absent each : call.absent()) {
      Stored row = hash.rows.get(each.member());
      if (row != null
          && (row.beat() <= each.number() || !holds(Rule.LATER_STATEMENTS_OF_THE_DEAD_COUNT))) {
        absent.put(each.member(), each.ageMillis());
        if (each.released()) {
          long counts = holds(Rule.WHAT_THE_RELEASED_SPENT_COUNTS) ? row.spent() : 0;
          hash.rows.put(each.member(), row.released(counts));
        }
      }
    }
    forget(hash, absent, call.use());
    return new Sharing(hash, me, call, before, absent.keySet()).answer();
  }

  private static void hear(Hash hash, String me, Call call) {
    for (Row row : call.heard()) {
      Stored known = hash.rows.get(row.member());
      if (row.member().equals(me) || (known != null && known.epoch().equals(call.epoch()))) {
        continue;
      }
      Stored first =
          new Stored(
              ShareEpoch.NONE,
              0,
              -1,
              row.share(),
              row.later(),
              row.cell(),
              row.decayMillis(),
              MOST,
              row.share(),
              0,
              0,
              row.share());
      hash.rows.put(row.member(), known == null ? first : known.heard(row));
    }
  }

  private void forget(Hash hash, Map<String, Long> absent, ShareUse use) {
    Iterator<Map.Entry<String, Stored>> rows = hash.rows.entrySet().iterator();
    while (rows.hasNext()) {
      Map.Entry<String, Stored> row = rows.next();
      Long age = absent.get(row.getKey());
      if (age != null && age >= decay(row.getValue(), use)) {
        rows.remove();
      }
    }
  }

  /** Returns how long ago an instance must have stopped for its share to count no more. */
  private long decay(Stored row, ShareUse use) {
    if (!holds(Rule.THE_DEAD_COUNT_UNTIL_THEY_DECAYED)) {
      return 0;
    }
    if (use.isLong() && use.cell().number() != 0) {
      long length = use.cell().length();
      if (row.cell().length() == 0) { // it may have begun a day unheard
        return length > 0 ? length + CLOCKS_MILLIS : row.decayMillis();
      }
      // it stopped before this day began, and nobody is in the day before any more
      boolean over = row.cell().isBefore(use.cell()) && use.cell().sinceMillis() >= CLOCKS_MILLIS;
      return over ? use.cell().sinceMillis() + CLOCKS_MILLIS : Long.MAX_VALUE;
    }
    return row.decayMillis() + row.decayMillis() / 1_000;
  }

  /** One call about one limit. */
  private final class Sharing {
    private final Hash hash;
    private final String me;
    private final Call call;
    private final @Nullable Stored before;
    private final Set<String> absent;
    private final ShareUse use;
    private long capacity;
    private boolean crowded;

    Sharing(Hash hash, String me, Call call, @Nullable Stored before, Set<String> absent) {
      this.hash = hash;
      this.me = me;
      this.call = call;
      this.before = before;
      this.absent = absent;
      this.use = call.use();
      this.capacity = stated();
    }

    private long stated() {
      return use.capacity() == 0 ? MOST : use.capacity();
    }

    private long counts(Stored row) {
      if (row.cell().isBefore(use.cell())) {
        return Math.min(row.share(), row.later());
      }
      boolean ahead = use.cell().isBefore(row.cell()) && holds(Rule.EARLIER_CELLS_COUNT);
      return ahead ? Math.max(row.share(), row.cell().earlier()) : row.share();
    }

    private Stored mine(long share, long need, long turn) {
      return new Stored(
          call.epoch(),
          call.sequence(),
          call.beat(),
          share,
          call.later(),
          use.cell(),
          use.decayMillis(),
          stated(),
          need,
          use.first() > call.held() ? use.first() : 0,
          turn,
          use.least());
    }

    Answer answer() {
      long head = use.first() > call.held() ? use.first() : 0;
      long turn = before == null ? 0 : before.turn();
      if (head == 0) {
        turn = 0;
      } else if (turn == 0) {
        turn = ++hash.turns;
      }
      long sum = call.held();
      for (Map.Entry<String, Stored> each : hash.rows.entrySet()) {
        if (!each.getKey().equals(me)) {
          if (!absent.contains(each.getKey()) && holds(Rule.THE_LEAST_CAPACITY_HOLDS)) {
            capacity = Math.min(capacity, each.getValue().capacity());
          }
          sum += counts(each.getValue());
        }
      }
      long need = Math.min(capacity, use.need(call.held()));
      hash.rows.put(me, mine(call.held(), need, turn));
      long target = target(need);
      if (sum > capacity) { // what the others hold counts first, until it has decayed
        crowded = true;
        target = Math.min(target, Math.max(0, capacity - sum + call.held()));
      }
      long free = call.raises() ? Math.max(0, capacity - sum - ahead(turn)) : 0;
      long more = Math.min(free, Math.max(0, Math.min(need, target) - call.held()));
      if (head > 0 && call.held() + more < head) {
        more = 0; // it is left to those whom it would be enough for
      }
      long share = call.held() + more;
      long left = capacity - sum - more;
      long next = share >= head ? 0 : turn;
      boolean waits = next > 0 && (before == null || before.turn() == 0);
      boolean leaves = before != null && share < before.share() && left >= lack();
      if (waits || leaves) {
        news.add(call.id());
      }
      if (call.isLast() && share == 0) {
        hash.rows.remove(me);
      } else {
        hash.rows.put(me, mine(share, need, next));
      }
      return new Answer(
          call.id(),
          Outcome.TAKEN,
          before != null && before.epoch().equals(call.epoch()),
          share,
          target,
          crowded,
          Math.max(0, left),
          capacity,
          rows());
    }

    private List<Row> rows() {
      List<Row> rows = new ArrayList<>();
      hash.rows.forEach(
          (name, row) -> {
            if (!name.equals(me)) {
              rows.add(
                  new Row(
                      name, row.beat(), row.share(), row.later(), row.cell(), row.decayMillis()));
            }
          });
      return rows;
    }

    /** Returns what the instance lacks that waits for longest. */
    private long lack() {
      long first = Long.MAX_VALUE;
      long lack = Long.MAX_VALUE;
      for (Map.Entry<String, Stored> each : hash.rows.entrySet()) {
        Stored row = each.getValue();
        if (!each.getKey().equals(me) && row.turn() > 0 && row.turn() < first) {
          first = row.turn();
          lack = row.head() - row.share();
        }
      }
      return lack;
    }

    /** Returns what those who wait for longer still lack. */
    private long ahead(long turn) {
      long ahead = 0;
      for (Map.Entry<String, Stored> each : hash.rows.entrySet()) {
        Stored row = each.getValue();
        if (!each.getKey().equals(me)
            && !absent.contains(each.getKey())
            && row.turn() > 0
            && (turn == 0 || row.turn() < turn)
            && holds(Rule.LONGER_WAITERS_COME_FIRST)) {
          ahead += Math.max(0, Math.min(row.head(), capacity) - row.share());
        }
      }
      return ahead;
    }

    /**
     * Finds the target: the share that the first waiting request of whoever waits for longest
     * needs, and for all others an even part; what is left goes to those who wait first.
     */
    private long target(long need) {
      long rest = capacity;
      Map<String, Stored> living = new TreeMap<>();
      for (Map.Entry<String, Stored> each : hash.rows.entrySet()) {
        if (absent.contains(each.getKey())) {
          rest -= counts(each.getValue());
        } else {
          living.put(each.getKey(), each.getValue());
        }
      }
      rest = Math.max(0, rest);
      long level = level(living, rest);
      if (level < 0) {
        long sum = living.values().stream().mapToLong(Stored::need).sum();
        return need + (rest - sum) / (2L * living.size());
      }
      crowded = true;
      String first = longest(living);
      long head = first == null ? 0 : Math.min(rest, living.get(first).head());
      if (head <= level) {
        return filled(living, level, rest);
      }
      if (me.equals(first)) {
        return head;
      }
      living.remove(first);
      level = level(living, rest - head);
      return level < 0 ? need : filled(living, level, rest - head);
    }

    /** Returns the most that each can have if all needs are filled evenly, or −1 for any need. */
    private static long level(Map<String, Stored> living, long rest) {
      List<Long> needs = living.values().stream().map(Stored::need).sorted().toList();
      long left = rest;
      int count = needs.size();
      for (long each : needs) {
        if (each > left / count) {
          return left / count;
        }
        left -= each;
        count--;
      }
      return -1;
    }

    /** Returns the instance that waits for longest, or null. */
    private static @Nullable String longest(Map<String, Stored> living) {
      String longest = null;
      long turn = Long.MAX_VALUE;
      for (Map.Entry<String, Stored> each : living.entrySet()) {
        if (each.getValue().turn() > 0 && each.getValue().turn() < turn) {
          longest = each.getKey();
          turn = each.getValue().turn();
        }
      }
      return longest;
    }

    private long filled(Map<String, Stored> living, long level, long rest) {
      Map<String, Long> filled = new TreeMap<>();
      long left = rest;
      for (Map.Entry<String, Stored> each : living.entrySet()) {
        long part = Math.min(each.getValue().need(), level);
        filled.put(each.getKey(), part);
        left -= part;
      }
      TreeSet<Map.Entry<Long, String>> queue =
          new TreeSet<>(
              Map.Entry.<Long, String>comparingByKey().thenComparing(Map.Entry::getValue));
      living.forEach(
          (name, row) -> {
            if (row.need() > filled.get(name)) {
              long turn = row.turn();
              queue.add(Map.entry(turn == 0 ? Long.MAX_VALUE : turn, name));
            }
          });
      for (Map.Entry<Long, String> each : queue) {
        Stored row = living.get(each.getValue());
        long part = filled.get(each.getValue());
        boolean waits = row.turn() > 0 && row.head() > part;
        long add = Math.min(left, waits ? row.head() - part : 1);
        filled.put(each.getValue(), part + Math.max(0, add));
        left -= Math.max(0, add);
      }
      return filled.get(me);
    }
  }
}
