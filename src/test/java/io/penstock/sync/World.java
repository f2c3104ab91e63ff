package io.penstock.sync;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.MemorySupply;
import io.penstock.quota.Supply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Members and the store they share, in one thread and one true time, which is that of the store.
 * Rounds are delayed, lost, repeated and come late as the seed has it.
 */
final class World {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;
  static final long TTL = 2 * SECOND;
  private static final String FIRST = "first";
  static final Pace PACE = new Pace(100 * MILLI, TTL, SECOND);

  /** An instant of the true time at which all begins, in the middle of no cell. */
  static final long START = 1_700_000_000L * SECOND + 4_321_123_456L;

  static final LimitId ID = new LimitId(LimitId.Kind.KEY, "k", "", Measure.TOKENS, 10 * SECOND);

  private record Happening(long at, long order, Runnable what) implements Comparable<Happening> {
    @Override
    public int compareTo(Happening other) {
      int sooner = Long.compare(at, other.at);
      return sooner == 0 ? Long.compare(order, other.order) : sooner;
    }
  }

  /** What happened to the store. */
  sealed interface Past {
    long at();
  }

  record Began(long at, String life) implements Past {}

  /** It forgot the limit alone. */
  record Forgot(long at) implements Past {}

  /** What it was told, and answered. */
  record Sent(long at, Supply.Round round, Supply.Answer answer) implements Past {}

  /** What was let go, as it counts in the end. */
  static final class Release {
    final Node by;
    final long at;
    long amount;

    /** Of permits, how many were out then. */
    long together;

    Release(Node by, long at, long amount) {
      this.by = by;
      this.at = at;
      this.amount = amount;
    }

    void giveBack(long back) {
      amount -= back;
    }
  }

  final Random random;
  final LimitSpec spec;
  final List<Release> releases = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  private final PriorityQueue<Happening> happenings = new PriorityQueue<>();
  private final List<Past> log = new ArrayList<>();
  private long now = START;
  private long orders;
  private long storeNow;
  private int lives;
  private String data = FIRST;
  private MemorySupply store = new MemorySupply(() -> storeNow, TTL, FIRST);

  /** What the store lost, and who knew of it. */
  final Losses losses = new Losses();

  final Permits permits = new Permits();

  /** Who has a permit has it for so long, and up to 3 s longer. */
  long shortestRun;

  /** The share of messages that get lost, and that come twice. */
  double loss;

  double twice;
  long slowest = 4 * MILLI;
  boolean cut;

  /** The store takes no note of what is said of the limit: something else is in its place. */
  boolean deaf;

  /** Members that nothing reaches the store of, nor back. */
  final Set<String> away = new HashSet<>();

  /** What became of messages. */
  int lost;

  int repeated;
  int reordered;
  private final Map<String, Long> last = new HashMap<>();
  OnOutage onOutage = OnOutage.PARK;

  World(long seed, LimitSpec spec) {
    this.random = new Random(seed);
    this.spec = spec;
  }

  long now() {
    return now;
  }

  void at(long instant, Runnable what) {
    happenings.add(new Happening(Math.max(now, instant), orders++, what));
  }

  void run(long until) {
    while (!happenings.isEmpty() && happenings.peek().at() <= until) {
      Happening next = happenings.remove();
      now = next.at();
      next.what().run();
    }
    now = until;
  }

  Node join() {
    return join(spec);
  }

  /** A member joins that is configured with another limit of the same name. */
  Node join(LimitSpec spec) {
    Node node = new Node(this, "node-" + nodes.size(), spec);
    nodes.add(node);
    node.start();
    return node;
  }

  private long delay() {
    return MILLI / 10 + random.nextLong(slowest);
  }

  /** The way of one round to the store and back. */
  CompletionStage<Supply.Answer> carry(Supply.Round round) {
    CompletableFuture<Supply.Answer> answer = new CompletableFuture<>();
    int copies = random.nextDouble() < twice ? 2 : 1;
    for (int copy = 0; copy < copies; copy++) {
      repeated += copy;
      if (gets(round)) {
        at(now + delay() + copy * random.nextLong(3 * SECOND), () -> arrive(round, answer));
      }
    }
    return answer;
  }

  private boolean gets(Supply.Round round) {
    boolean gone = cut || away.contains(round.member());
    boolean gets = !gone && random.nextDouble() >= loss;
    lost += gets || gone ? 0 : 1;
    return gets;
  }

  private void arrive(Supply.Round round, CompletableFuture<Supply.Answer> back) {
    if (cut || away.contains(round.member())) {
      return;
    }
    if (!round.asks().isEmpty() && round.number() > last.getOrDefault(round.member(), 0L)) {
      permits.heard(round.member(), now);
    }
    reordered += round.number() < last.merge(round.member(), round.number(), Math::max) ? 1 : 0;
    storeNow = now;
    Supply.Answer answer;
    try {
      answer = store.round(deaf ? unasked(round) : round).toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw new AssertionError("a member asks for what it may not", failed);
    }
    Sent sent = new Sent(now, round, answer);
    losses.see(sent);
    log.add(sent);
    if (gets(round)) {
      at(
          now + delay(),
          () -> {
            losses.heard(sent);
            back.complete(answer);
          });
    }
  }

  private static Supply.Round unasked(Supply.Round round) {
    return new Supply.Round(
        round.member(),
        round.number(),
        List.of(),
        round.whole(),
        round.losses(),
        round.seen(),
        round.missed(),
        round.leaves());
  }

  /** The store forgets all. */
  void flush(boolean restarted) {
    rollback(Long.MIN_VALUE, restarted);
  }

  /** The store is as it was once: as another process, or put back in its place. */
  void rollback(long to, boolean restarted) {
    List<Past> lost = log.stream().filter(past -> past.at() > to).toList();
    log.subList(log.size() - lost.size(), log.size()).clear();
    boolean empty = sent(log).isEmpty();
    data = empty ? data + "+" : data; // its name is written with the first round
    replay();
    losses.lose(sent(lost), now, restarted || empty);
    if (restarted) {
      lives++;
      log.add(new Began(now, FIRST + lives));
      store.restart(FIRST + lives);
    }
  }

  private static List<Sent> sent(List<Past> past) {
    return past.stream().filter(Sent.class::isInstance).map(Sent.class::cast).toList();
  }

  /** The store forgets the limit alone. */
  void lose() {
    losses.forget(now);
    log.add(new Forgot(now));
    store.lose(ID);
  }

  private void replay() {
    store = new MemorySupply(() -> storeNow, TTL, data);
    for (Past past : log) {
      storeNow = past.at();
      switch (past) {
        case Began began -> store.restart(began.life());
        case Forgot forgot -> store.lose(ID);
        case Sent sent -> store.round(sent.round()).toCompletableFuture().join();
      }
    }
  }

  long released(long from, long until) {
    return releases.stream()
        .filter(each -> each.at >= from && each.at < until)
        .mapToLong(each -> each.amount)
        .sum();
  }

  /** The longest that an answer is under way that is taken. */
  long wayNanos() {
    return Math.min(2 * slowest + MILLI, PACE.timeoutNanos());
  }

  /** The most that was let go in any window of the true time. */
  long most() {
    return Kinds.most(spec, releases, 0);
  }

  /** The most of some that was let go in any window that starts so much before one of the cells. */
  static long most(LimitSpec of, List<Release> releases, long early) {
    return Kinds.most(of, releases, early);
  }
}
