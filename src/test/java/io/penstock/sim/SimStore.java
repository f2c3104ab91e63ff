package io.penstock.sim;

import io.penstock.quota.LimitId;
import io.penstock.quota.MemorySupply;
import io.penstock.quota.Supply;
import io.penstock.sync.Pace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that simulated instances share, and the network between: messages are delayed, lost,
 * repeated and come late as the seed has it, and the store forgets, is restarted, is rolled back
 * and splits when it is told to. Its clock is the true time until it steps.
 */
public final class SimStore {
  private static final long MILLI = 1_000_000L;

  /** Copies of a message come up to so much later. */
  private static final long LATE_NANOS = 3_000 * MILLI;

  /** A clock that runs askew is off by less than this while a slice lasts. */
  private static final long DRIFT_NANOS = MILLI;

  private static final long HEALED_MILLIS = 30;

  private static final String FIRST = "first";

  /** Something that happened to the store. */
  sealed interface Past {
    long at();
  }

  record Began(long at, String life) implements Past {}

  /** It forgot one limit alone. */
  record Forgot(long at, LimitId id) implements Past {}

  /**
   * A message that reached the store, and the answer.
   *
   * @param at the true time
   * @param storeAt the time by the store's clock
   */
  record Sent(long at, long storeAt, Supply.Round round, Supply.Answer answer) implements Past {}

  /** The share of messages that get lost. */
  public double loss;

  /** The share of messages that come twice. */
  public double twice;

  /** The longest way of a message, in nanoseconds. */
  public long slowest = 4 * MILLI;

  /** Whether nothing reaches the store. */
  public boolean cut;

  /**
   * Whether the store takes no note of what is said of limits: something else is in their place.
   */
  public boolean deaf;

  /** Members that nothing reaches the store of, nor back. */
  public final Set<String> away = new HashSet<>();

  /** How many messages were lost so far. */
  public int lost;

  /** How many messages came twice so far. */
  public int repeated;

  /** How many messages came after a later one of the same member so far. */
  public int reordered;

  private final SimClock clock;
  private final Random random;
  private final long ttlNanos;
  private final BiConsumer<String, Long> asks;
  private final SimLosses losses;
  private final List<Past> log = new ArrayList<>();
  private final Map<String, Long> last = new HashMap<>();

  /** By member, when the last request for each limit arrived. */
  private final Map<String, Map<LimitId, Long>> asked = new HashMap<>();

  private BiConsumer<String, LimitId> ended = (member, id) -> {};
  private long ahead;
  private long storeNow;
  private int lives;
  private String data = FIRST;
  private MemorySupply store;

  /** The master of before, which some members still talk to while the store is split. */
  private @Nullable MemorySupply before;

  private Set<String> staying = Set.of();

  /**
   * Makes a store that has granted nothing.
   *
   * @param asks told of each member that is heard asking for limits, and of the true time
   */
  public SimStore(SimClock clock, Random random, long ttlNanos, BiConsumer<String, Long> asks) {
    this.clock = clock;
    this.random = random;
    this.ttlNanos = ttlNanos;
    this.asks = asks;
    this.losses = new SimLosses(ttlNanos);
    this.store = new MemorySupply(() -> storeNow, ttlNanos, FIRST);
  }

  /** Returns what it lost of which nobody could have known in time. */
  public SimLosses losses() {
    return losses;
  }

  /**
   * Sets what is called when a member has not asked for a limit for as long as slices last, by the
   * time at which its last request arrived. Everything that it was granted has ended then, because
   * the store gives it to others.
   */
  public void onSlicesEnded(BiConsumer<String, LimitId> listener) {
    ended = listener;
  }

  private void watch(Supply.Round round, long now) {
    Map<LimitId, Long> mine = asked.computeIfAbsent(round.member(), absent -> new HashMap<>());
    round.asks().forEach(ask -> mine.put(ask.id(), now));
    clock.at(
        now + ttlNanos + DRIFT_NANOS,
        () ->
            round.asks().stream()
                .map(Supply.Ask::id)
                .filter(id -> mine.get(id) == now)
                .forEach(id -> ended.accept(round.member(), id)));
  }

  private long delay() {
    return MILLI / 10 + random.nextLong(slowest);
  }

  /** Carries a round to the store, and the answer back. */
  public CompletionStage<Supply.Answer> carry(Supply.Round round) {
    CompletableFuture<Supply.Answer> answer = new CompletableFuture<>();
    int copies = random.nextDouble() < twice ? 2 : 1;
    for (int copy = 0; copy < copies; copy++) {
      repeated += copy;
      if (gets(round)) {
        clock.at(
            clock.now() + delay() + copy * random.nextLong(LATE_NANOS),
            () -> arrive(round, answer));
      }
    }
    return answer;
  }

  private boolean isGone(Supply.Round round) {
    return cut || away.contains(round.member());
  }

  private boolean gets(Supply.Round round) {
    boolean gone = isGone(round);
    boolean gets = !gone && random.nextDouble() >= loss;
    lost += gets || gone ? 0 : 1;
    return gets;
  }

  private void arrive(Supply.Round round, CompletableFuture<Supply.Answer> back) {
    if (isGone(round)) {
      return;
    }
    long now = clock.now();
    if (!round.asks().isEmpty() && round.number() > last.getOrDefault(round.member(), 0L)) {
      asks.accept(round.member(), now);
      watch(round, now);
    }
    reordered += round.number() < last.merge(round.member(), round.number(), Math::max) ? 1 : 0;
    storeNow = now + ahead;
    MemorySupply old = staying.contains(round.member()) ? before : null;
    Supply.Answer answer = answer(old == null ? store : old, deaf ? unasked(round) : round);
    Sent sent = new Sent(now, storeNow, round, answer);
    if (old == null) {
      losses.see(sent);
      log.add(sent);
    }
    if (gets(round)) {
      clock.at(
          now + delay(),
          () -> {
            losses.heard(sent);
            back.complete(answer);
          });
    }
  }

  private static Supply.Answer answer(MemorySupply store, Supply.Round round) {
    try {
      return store.round(round).toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw new AssertionError("a member asks for what it may not", failed);
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

  /**
   * Returns the longest time from the last fault until all members are granted again what the
   * limits let pass, in nanoseconds. A round is given up after its timeout, what was granted before
   * ends a slice's time later, and members that are gone are waited for as long, twice where
   * another loss is found meanwhile.
   */
  public static long recoveryNanos(Pace pace) {
    return pace.timeoutNanos() + 3 * pace.ttlNanos();
  }

  /** Lets every message reach it once and in time from now on. */
  public void heal() {
    loss = 0;
    twice = 0;
    slowest = Math.min(slowest, HEALED_MILLIS * MILLI);
  }

  /** Its clock is set, by so much forward, or back. */
  public void stepClock(long nanos) {
    ahead += nanos;
  }

  /**
   * A copy takes over as another process, but some members still talk to the master of before,
   * which knows nothing of that.
   */
  public void split(Set<String> stay) {
    MemorySupply old = store;
    replay();
    begin();
    before = old;
    staying = Set.copyOf(stay);
  }

  /** Ends a split: what the master of before granted meanwhile is lost. */
  public void unite() {
    before = null;
    staying = Set.of();
  }

  private void begin() {
    lives++;
    log.add(new Began(clock.now(), FIRST + lives));
    store.restart(FIRST + lives);
  }

  /** Forgets everything. */
  public void flush(boolean restarted) {
    rollback(Long.MIN_VALUE, restarted);
  }

  /**
   * Becomes again as it was at an instant.
   *
   * @param restarted whether it is another process then; else the data is put back in its place
   */
  public void rollback(long to, boolean restarted) {
    List<Past> lately = log.stream().filter(past -> past.at() > to).toList();
    log.subList(log.size() - lately.size(), log.size()).clear();
    boolean empty = sent(log).isEmpty();
    data = empty ? data + "+" : data; // its name is written with the first round
    replay();
    losses.lose(sent(lately), clock.now(), restarted || empty);
    if (restarted) {
      begin();
    }
  }

  private static List<Sent> sent(List<Past> past) {
    return past.stream().filter(Sent.class::isInstance).map(Sent.class::cast).toList();
  }

  /** Forgets one limit alone. */
  public void lose(LimitId id) {
    losses.forget(id, clock.now());
    log.add(new Forgot(clock.now(), id));
    store.lose(id);
  }

  private void replay() {
    store = new MemorySupply(() -> storeNow, ttlNanos, data);
    for (Past past : log) {
      switch (past) {
        case Began began -> store.restart(began.life());
        case Forgot forgot -> store.lose(forgot.id());
        case Sent sent -> {
          storeNow = sent.storeAt();
          store.round(sent.round()).toCompletableFuture().join();
        }
      }
    }
  }
}
