package io.penstock.shares;

import io.penstock.cost.LimitMeasure;
import io.penstock.shares.MemoryShareStore.Rule;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A simulated fleet of instances that share limits over a simulated store, in true time that only
 * the simulation knows. All that happens follows from the seed.
 */
final class ShareWorld {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;

  /** How often counts are told. */
  static final long COUNTS = 100 * MILLI;

  private static final double FASTEST = 200e-6;

  private record Event(long at, long order, Runnable action) {}

  /**
   * Settings of a whole run.
   *
   * @param lossPercent of messages, in each direction
   * @param latePercent of messages that come seconds late
   * @param clockNanos by how much wall clocks are wrong at most
   * @param lookNanos how often an instance looks whether a window let something go
   * @param parts the limit divided by that is the most that a request costs
   */
  record Setting(
      ShareTerms terms,
      Map<LimitId, SpentLimit.Terms> limits,
      long latencyNanos,
      int lossPercent,
      int latePercent,
      long clockNanos,
      long answerNanos,
      int parts,
      long lookNanos,
      Set<Rule> leftOut) {}

  final Random random;
  final ShareOracle oracle = new ShareOracle();
  final List<Node> nodes = new ArrayList<>();
  final Setting setting;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private long order;
  private long now;
  private int runs;
  private int tags;
  private int names;
  MemoryShareStore store;
  boolean up = true;
  long messages;
  long calls;

  /** Whether instances spend limits of the program, instead of those of the simulation. */
  private final boolean real;

  ShareWorld(long seed, Setting setting) {
    this(seed, setting, false);
  }

  ShareWorld(long seed, Setting setting, boolean real) {
    this.real = real;
    this.random = new Random(seed);
    this.setting = setting;
    this.store =
        new MemoryShareStore(
            "run0",
            () -> "e" + tags++,
            setting.leftOut().isEmpty() ? EnumSet.noneOf(Rule.class) : setting.leftOut());
  }

  static LimitId limit(String name) {
    return new LimitId(LimitId.Kind.KEY, name, "", LimitMeasure.REQUESTS, SECOND);
  }

  static Map<LimitId, SpentLimit.Terms> limits(SpentLimit.Terms... terms) {
    Map<LimitId, SpentLimit.Terms> limits = new LinkedHashMap<>();
    for (SpentLimit.Terms each : terms) {
      limits.put(limit("l" + limits.size()), each);
    }
    return limits;
  }

  long now() {
    return now;
  }

  void at(long trueNanos, Runnable action) {
    events.add(new Event(Math.max(now, trueNanos), order++, action));
  }

  void atSecond(double seconds, Runnable action) {
    at((long) (seconds * SECOND), action);
  }

  void run(double untilSeconds) {
    long until = (long) (untilSeconds * SECOND);
    while (!events.isEmpty() && events.peek().at() <= until) {
      Event event = events.remove();
      now = event.at();
      event.action().run();
    }
    now = until;
  }

  /** Adds an instance with a number of clients for each limit. */
  Node join(int index, int clients) {
    return join(index, clients, setting.limits());
  }

  /** Adds an instance that has been told other sizes of the limits. */
  Node join(int index, int clients, Map<LimitId, SpentLimit.Terms> sizes) {
    Node node = new Node(index, sizes);
    if (index < nodes.size()) {
      nodes.set(index, node);
    } else {
      nodes.add(node);
    }
    node.start(clients);
    return node;
  }

  void storeGoes() {
    up = false;
  }

  void storeReturns(MemoryShareStore data) {
    store = data.inRun("run" + ++runs);
    up = true;
  }

  MemoryShareStore empty() {
    return new MemoryShareStore("none", () -> "e" + tags++, setting.leftOut());
  }

  MemoryShareStore snapshot() {
    return store.inRun("run" + ++runs);
  }

  /** One instance. */
  final class Node implements ShareStore {
    final int index;
    final String name;
    final ShareSync sync;
    final Map<LimitId, WorldLimit> limits = new HashMap<>();
    private final double rate;
    private final long offset;
    private long wallOffset;
    private boolean alive = true;
    private boolean paused;
    private boolean cut;
    private long lag;
    private long standsSince;
    private long stoodNanos;
    private UnaryOperator<Message> says = UnaryOperator.identity();
    private UnaryOperator<Reply> hears = UnaryOperator.identity();
    private @Nullable MemoryShareStore other;
    private final List<Runnable> deferred = new ArrayList<>();

    Node(int index, Map<LimitId, SpentLimit.Terms> sizes) {
      this.index = index;
      this.name = "m" + index + "." + names++;
      this.rate = 1 + FASTEST * (2 * random.nextDouble() - 1);
      this.offset = MILLI * (long) (random.nextDouble() * 1e6);
      this.wallOffset = (long) (setting.clockNanos() * (random.nextDouble() - 0.5));
      this.sync =
          new ShareSync(
              name,
              this,
              this::clock,
              new Alarm(),
              setting.terms(),
              new CountedLimits(
                  () -> wall() / MILLI, COUNTS, id -> false, OutagePolicy.CONTINUE, clock()),
              random::nextDouble);
      sizes.forEach(
          (id, terms) -> {
            WorldLimit limit =
                real
                    ? new RealLimit(
                        terms,
                        sync.lease(),
                        () -> wall() / MILLI,
                        this::clock,
                        () -> sync.hurry(id),
                        () -> looksSoon(id),
                        clock())
                    : new SpentLimit(terms, sync.lease(), ignored -> wall(), () -> sync.hurry(id));
            limits.put(id, limit);
            sync.add(id, limit);
          });
    }

    private void looksSoon(LimitId id) {
      at(now, () -> run(() -> limits.get(id).look(clock())));
    }

    long clock() {
      return offset + (long) ((now - stoodNanos) * rate);
    }

    long wall() {
      return now + wallOffset + 1_000 * SECOND;
    }

    void start(int clients) {
      at(now + random.nextLong(setting.terms().callNanos()), sync::start);
      looks();
      for (LimitId id : limits.keySet()) {
        for (int i = 0; i < clients; i++) {
          at(now + random.nextLong(SECOND), () -> arrive(id));
        }
      }
    }

    /** Looks at intervals whether something can go, as time passes. */
    private void looks() {
      if (alive) {
        if (!paused) {
          limits.values().forEach(limit -> limit.look(clock()));
        }
        at(now + setting.lookNanos(), this::looks);
      }
    }

    /** A client comes, waits, gets an answer, and comes again. */
    void arrive(LimitId id) {
      arrive(id, true);
    }

    void arrive(LimitId id, boolean again) {
      if (!alive) {
        return;
      }
      SpentLimit.Terms terms = setting.limits().get(id);
      long most = Math.max(1, terms.capacity() / setting.parts());
      long amount = terms.kind() == SpentLimit.Kind.PERMITS ? 1 : 1 + random.nextLong(most);
      arrive(id, amount, again);
    }

    void arrive(LimitId id, long amount, boolean again) {
      run(() -> limits.get(id).arrive(amount, () -> went(id, amount, again), clock()));
    }

    private void went(LimitId id, long amount, boolean again) {
      SpentLimit.Terms terms = setting.limits().get(id);
      long took = (long) (setting.answerNanos() * (0.5 + random.nextDouble()));
      boolean permit = terms.kind() == SpentLimit.Kind.PERMITS;
      took = permit ? Math.min(took, terms.windowNanos()) : took;
      oracle.released(new ShareOracle.Release(id, index, amount, now, wall(), now + took));
      at(
          now + took,
          () -> {
            if (permit) {
              run(() -> limits.get(id).end(amount, clock()));
            }
            if (again) {
              arrive(id);
            }
          });
    }

    /** Runs code of this instance: later if it is paused, never if it is dead. */
    private void run(Runnable action) {
      if (alive && paused) {
        deferred.add(action);
      } else if (alive) {
        action.run();
      }
    }

    /** Does not share a limit any more. */
    void remove(LimitId id) {
      run(() -> sync.remove(id));
    }

    /** Shares a limit again. */
    void add(LimitId id) {
      run(() -> sync.add(id, limits.get(id)));
    }

    void crash() {
      oracle.stopped(index, now);
      alive = false;
    }

    boolean isAlive() {
      return alive;
    }

    void leave() {
      if (alive && !paused) {
        sync.leave();
      }
      oracle.stopped(index, now);
      alive = false;
    }

    void pause() {
      oracle.stopped(index, now);
      paused = true;
    }

    /** Pauses it while its clock stands still, as a clock does that does not count a suspension. */
    void suspend() {
      paused = true;
      standsSince = now;
    }

    void resume() {
      paused = false;
      stoodNanos += standsSince > 0 ? now - standsSince : 0;
      standsSince = 0;
      List<Runnable> due = List.copyOf(deferred);
      deferred.clear();
      due.forEach(this::run);
    }

    void cut(boolean off) {
      cut = off;
    }

    /** Changes all that it says to the store and hears of it. */
    void falsify(UnaryOperator<Message> ofMessages, UnaryOperator<Reply> ofReplies) {
      says = ofMessages;
      hears = ofReplies;
    }

    /** Lets its messages come later to the store. */
    void lag(long nanos) {
      lag = nanos;
    }

    /** Sets by how much its wall clock is fast. */
    void wall(long fastNanos) {
      wallOffset = fastNanos;
    }

    /** Returns its share of a limit. */
    long share(LimitId id) {
      return limits.get(id).share(clock());
    }

    /** Lets it see another store than the rest, or the same again for null. */
    void see(@Nullable MemoryShareStore divided) {
      other = divided;
    }

    @Override
    public CompletionStage<Reply> exchange(Message message) {
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      Message said = says.apply(message);
      messages++;
      calls += message.calls().size();
      if (!isLost()) {
        at(now + lag + latency(), () -> reach(said, reply));
      }
      return reply;
    }

    private boolean isLost() {
      return random.nextInt(100) < setting.lossPercent();
    }

    private long latency() {
      long late = random.nextInt(100) < setting.latePercent() ? random.nextLong(5 * SECOND) : 0;
      return Math.min(MILLI, setting.latencyNanos() / 5)
          + random.nextLong(setting.latencyNanos())
          + late;
    }

    private void reach(Message message, CompletableFuture<Reply> reply) {
      MemoryShareStore seen = other == null ? store : other;
      if (cut || (!up && other == null)) {
        return;
      }
      Reply answer = seen.carryOut(message);
      tell(seen.news(), seen);
      if (!isLost()) {
        at(now + latency(), () -> run(() -> reply.complete(hears.apply(answer))));
      }
    }

    private void tell(List<LimitId> news, MemoryShareStore by) {
      for (Node each : nodes) {
        boolean hears =
            each != this && !each.cut && (each.other == null ? store : each.other) == by;
        for (LimitId id : hears ? news : List.<LimitId>of()) {
          if (!isLost()) {
            at(now + latency(), () -> each.run(() -> each.sync.changed(id)));
          }
        }
      }
    }

    private final class Alarm implements StepAlarm {
      private long set = Ticker.NEVER;

      @Override
      public void soon(Runnable step) {
        ShareWorld.this.at(now, () -> run(step));
      }

      @Override
      public void at(long instantNanos, Runnable step) {
        set = instantNanos;
        if (instantNanos == Ticker.NEVER) {
          return;
        }
        long when = now + (long) ((instantNanos - clock()) / rate) + 1_000;
        ShareWorld.this.at(
            when,
            () -> {
              if (set == instantNanos) {
                set = Ticker.NEVER;
                run(step);
              }
            });
      }
    }
  }
}
