package io.penstock.slices;

import io.penstock.cost.LimitMeasure;
import io.penstock.redis.RawRedis;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Round;
import io.penstock.sharing.SliceStore.Seen;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Random history of the life of one store, played on real servers and on {@link ReplayedSliceStore}
 * at the same time.
 *
 * <p>Members join, send rounds, are silent, leave and come back; rounds are repeated and late, and
 * answers get lost. The data is flushed, moved to another server, which has another run id as after
 * a restart, and restored to an earlier state. The clock runs, and is set back and forth.
 */
public final class LifeHistory {
  /** Events that histories must contain, so that answers are compared after each of them. */
  public static final List<String> HAPPENINGS =
      List.of(
          "clock set back",
          "long pause",
          "member came anew",
          "late round",
          "part kept",
          "word of a loss",
          "limit lost",
          "member left",
          "member aware",
          "data moved to another server",
          "all lost",
          "put back",
          "put back on another server");

  private static final long SECOND = 1_000_000L;
  private static final long HOUR = 3_600 * SECOND;
  private static final long START = 1_700_000_000L * SECOND;
  private static final int MEMBERS = 6;

  /** Answer of the script and of the fake, with the names of the script. */
  public record Compared(
      MasterLives.Life said, MasterLives.Life expected, List<String> arguments) {}

  /** Earlier state of the data, in the fake and on the server. */
  private record Saved(ReplayedSliceStore.Saved here, List<String> there) {}

  /**
   * Last answer to a member.
   *
   * @param here from the fake
   * @param there from the script
   */
  private record Told(Seen here, Seen there) {}

  /** A round, as it is sent to both. */
  private record Sent(Member member, Round round, List<String> arguments) {}

  private static final class Member {
    final String name;

    long number;
    @Nullable Told told;

    Member(String name) {
      this.name = name;
    }
  }

  private final Random random;

  /**
   * Whether nothing is ever lost, so that the end of the first run matters until it is forgotten.
   */
  private final boolean calm;

  private final String key;
  private final List<RawRedis> servers;
  private final String script;
  private final List<Member> members = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final List<Saved> saved = new ArrayList<>();
  private final Set<Long> instants = new HashSet<>();

  /** Maps names of lives and runs in the script to those in the fake. */
  private final Map<String, String> names = new HashMap<>();

  /** Number of occurrences by event. */
  public final Map<String, Integer> happened = new HashMap<>();

  private final ReplayedSliceStore store = new ReplayedSliceStore();
  private int server;
  private int ids;
  private long now;

  /**
   * Creates a history without data.
   *
   * @param servers on which the script is loaded
   * @param script name under which they have it
   */
  public LifeHistory(long seed, List<RawRedis> servers, String script) {
    this.random = new Random(seed);
    this.calm = oneIn(4);
    this.key = "life" + seed;
    this.servers = servers;
    this.script = script;
    this.now = START + random.nextLong(HOUR);
    for (int i = 0; i < MEMBERS; i++) {
      members.add(new Member("m " + i));
    }
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private void note(String what) {
    happened.merge(what, 1, Integer::sum);
  }

  private void note(boolean is, String what) {
    if (is) {
      note(what);
    }
  }

  /** Plays one step; returns both answers, or null when no member was answered. */
  @Nullable
  public Compared step() throws IOException {
    pass();
    switch (random.nextInt(60)) {
      case 0 -> loseAll();
      case 1, 2 -> {
        note("data moved to another server");
        move(1 - server, hash());
      }
      case 3, 4 -> putBack(server);
      case 5, 6 -> putBack(random.nextInt(servers.size()));
      case 7, 8, 9, 10 -> saved.add(new Saved(store.saved(), hash()));
      default -> {
        boolean again = !sent.isEmpty() && oneIn(8);
        return answered(again ? sent.get(random.nextInt(sent.size())) : next());
      }
    }
    return null;
  }

  private void pass() {
    now += random.nextLong(300_000);
    if (oneIn(12)) {
      long[] paces = {SECOND, 30 * SECOND, HOUR / 3, 40 * HOUR};
      long most = paces[Math.min(random.nextInt(4), random.nextInt(4))];
      boolean back = oneIn(3);
      note(back ? "clock set back" : "long pause");
      now += back ? -random.nextLong(most) : random.nextLong(3 * most);
    }
    while (!instants.add(now)) {
      now++; // the fake makes names from instants
    }
  }

  private Sent next() {
    Member member = members.get(Math.min(random.nextInt(MEMBERS), random.nextInt(MEMBERS)));
    if (oneIn(40)) {
      note("member came anew");
      member.told = null; // another process with that name
      member.number = oneIn(2) ? 0 : member.number;
    }
    member.number++;
    Told told = member.told;
    boolean whole = !oneIn(4);
    boolean leaves = oneIn(30);
    List<SliceStore.Loss> losses = new ArrayList<>();
    List<SliceStore.Missed> missed = new ArrayList<>();
    while (oneIn(8)) {
      losses.add(new SliceStore.Loss(limit(losses.size()), now - random.nextLong(HOUR)));
    }
    while (oneIn(8)) {
      long ago = random.nextLong(oneIn(4) ? 2 * HOUR : 5 * SECOND) - SECOND;
      String name = members.get(random.nextInt(MEMBERS)).name + (oneIn(3) ? "x" : "");
      missed.add(new SliceStore.Missed(name, (now - ago) * 1_000));
    }
    Seen here = told == null ? null : told.here();
    Round round =
        new Round(member.name, member.number, List.of(), whole, losses, here, missed, leaves);
    Sent made = new Sent(member, round, arguments(round, told == null ? null : told.there()));
    sent.add(made);
    return made;
  }

  private static LimitId limit(int number) {
    return new LimitId(LimitId.Kind.KEY, "k " + number, "", LimitMeasure.TOKENS, 0);
  }

  /** Returns all arguments except the time, which is that of the arrival. */
  private static List<String> arguments(Round round, @Nullable Seen told) {
    List<String> arguments = new ArrayList<>();
    long keepMillis = TimeUnit.DAYS.toMillis(2);
    arguments.addAll(List.of(round.member(), String.valueOf(HOUR), String.valueOf(keepMillis), ""));
    arguments.addAll(List.of(String.valueOf(round.number()), round.complete() ? "1" : ""));
    arguments.addAll(
        told == null ? List.of("", "", "0") : List.of(told.life(), told.run(), "" + told.count()));
    arguments.addAll(List.of("", round.leaves() ? "1" : ""));
    for (SliceStore.Loss loss : round.losses()) {
      arguments.addAll(List.of("l", loss.id().text(), String.valueOf(loss.born())));
    }
    for (SliceStore.Missed missed : round.missed()) {
      arguments.addAll(
          List.of("m", missed.name(), String.valueOf(missed.lastHeartbeatNanos() / 1_000)));
    }
    return arguments;
  }

  private Compared answered(Sent round) throws IOException {
    List<String> words = new ArrayList<>(List.of("EVALSHA", script, "1", key));
    words.addAll(round.arguments());
    words.set(4 + 3, String.valueOf(now));
    words.set(4 + 9, "id" + ids++);
    servers.get(server).send(words);
    Object reply = servers.get(server).answer();
    if (reply instanceof RawRedis.Failure failure) {
      throw new IOException(failure.message());
    }
    MasterLives.Life said = MasterLives.Life.read(reply);
    Answer answer = store.round(round.round(), server, now);
    learn(said.name(), answer.life());
    learn(said.run().name(), answer.run().name());
    Compared compared = new Compared(translated(said), expected(answer), words);
    boolean late = round.round().number() < round.member().number;
    if (!late && !oneIn(8)) {
      Seen here = new Seen(answer.life(), answer.run().name(), answer.count());
      Seen there = new Seen(said.name(), said.run().name(), said.count());
      round.member().told = new Told(here, there);
    }
    note(compared.expected(), late);
    return compared;
  }

  private void note(MasterLives.Life answer, boolean late) {
    note(late, "late round");
    note(answer.run().kept() != Long.MAX_VALUE, "part kept");
    note(answer.lostMicros() == 0, "word of a loss");
    note(!answer.losses().isEmpty(), "limit lost");
    Collection<MasterLives.MemberTimes> heard = answer.members().values();
    note(heard.stream().anyMatch(MasterLives.MemberTimes::left), "member left");
    note(heard.stream().anyMatch(each -> each.sinceAwareMicros() > 0), "member aware");
  }

  private MasterLives.Life translated(MasterLives.Life said) {
    SliceStore.Run run = said.run();
    return new MasterLives.Life(
        name(said.name()),
        new SliceStore.Run(name(run.name()), run.ageNanos(), run.gapNanos(), run.kept()),
        said.count(),
        said.clockMicros(),
        said.members(),
        said.losses(),
        said.lostMicros());
  }

  /** Two names that both appear for the first time mean the same. */
  private void learn(String there, String here) {
    if (!names.containsValue(here)) {
      names.putIfAbsent(there, here);
    }
  }

  /**
   * Returns the name in the fake for a name of the script; a name that means something else is
   * unchanged.
   */
  private String name(String told) {
    return names.getOrDefault(told, told);
  }

  private static MasterLives.Life expected(Answer answer) {
    return new MasterLives.Life(
        answer.life(),
        answer.run(),
        answer.count(),
        answer.clockNanos() / 1_000,
        answer.members().stream()
            .collect(
                Collectors.toMap(
                    SliceStore.Member::name,
                    member ->
                        new MasterLives.MemberTimes(
                            micros(member.silentNanos()),
                            micros(member.sinceCompleteNanos()),
                            micros(member.sinceAwareNanos()),
                            member.left()))),
        answer.losses().stream()
            .collect(Collectors.toMap(loss -> loss.id().text(), SliceStore.Loss::born)),
        micros(answer.sinceLossNanos()));
  }

  private static long micros(long nanos) {
    return nanos == Long.MAX_VALUE ? -1 : nanos / 1_000;
  }

  private List<String> hash() throws IOException {
    if (!(servers.get(server).call("HGETALL", key) instanceof List<?> words)) {
      throw new IOException("the life is no hash");
    }
    return words.stream().map(String::valueOf).toList();
  }

  /** Loses everything, by a flush or by a restart without data. */
  private void loseAll() throws IOException {
    if (calm) {
      return;
    }
    note("all lost");
    move(random.nextInt(servers.size()), List.of());
    store.lose();
  }

  /** Makes another server answer, or the same one, with the given data. */
  private void move(int to, List<String> hash) throws IOException {
    servers.get(server).call("DEL", key);
    server = to;
    if (!hash.isEmpty()) {
      List<String> words = new ArrayList<>(List.of("HSET", key));
      words.addAll(hash);
      servers.get(to).send(words);
      servers.get(to).answer();
    }
  }

  /** Restores an earlier state of the data, on the same or another server. */
  private void putBack(int to) throws IOException {
    if (calm || saved.isEmpty()) {
      return;
    }
    note(to == server ? "put back" : "put back on another server");
    Saved old = saved.get(random.nextInt(saved.size()));
    move(to, old.there());
    store.putBack(old.here());
  }
}
