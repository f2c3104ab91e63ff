package io.penstock.simulator;

import io.penstock.sharing.LimitId;
import io.penstock.sharing.MemorySliceStore;
import io.penstock.sharing.SliceStore;
import io.penstock.slices.SyncPace;
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
 * The store that simulated instances share, with the network between them: messages are delayed,
 * lost, repeated and reordered by chance; the store can be made to lose data, restart, roll back
 * and split. Its clock shows the true time until it is set.
 */
public final class SimStore {
  private static final long MILLI = 1_000_000L;

  /** Longest delay of a message's copy. */
  private static final long LATE_NANOS = 3_000 * MILLI;

  /** Bound on the error of an inaccurate clock while a slice lasts. */
  private static final long DRIFT_NANOS = MILLI;

  private static final long HEALED_MILLIS = 30;

  private static final String FIRST = "first";

  /** An event of the store's past. */
  sealed interface Past {
    long at();
  }

  record Began(long at, String life) implements Past {}

  /** The loss of one limit's data. */
  record Forgot(long at, LimitId id) implements Past {}

  /**
   * A message that reached the store, and the answer.
   *
   * @param at the true time
   * @param storeAt the time of the store's clock
   */
  record Sent(long at, long storeAt, SliceStore.Round round, SliceStore.Answer answer)
      implements Past {}

  /** The fraction of messages that get lost. */
  public double loss;

  /** The fraction of messages that come twice. */
  public double twice;

  /** The longest way of a message, in nanoseconds. */
  public long slowest = 4 * MILLI;

  /** Whether nothing reaches the store. */
  public boolean cut;

  /**
   * Whether the store ignores what messages say of limits, as if something else were in their
   * place.
   */
  public boolean deaf;

  /** Members that cannot reach the store, nor be reached. */
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

  /** The arrival of each member's last request for each limit. */
  private final Map<String, Map<LimitId, Long>> asked = new HashMap<>();

  private BiConsumer<String, LimitId> ended = (member, id) -> {};
  private long ahead;
  private long storeNow;
  private int lives;
  private String data = FIRST;
  private MemorySliceStore store;

  /** The previous master, which some members still talk to while the store is split. */
  private @Nullable MemorySliceStore before;

  private Set<String> staying = Set.of();

  /**
   * Creates a store that has granted nothing.
   *
   * @param asks called with each member that asks for limits, and the true time
   */
  public SimStore(SimClock clock, Random random, long ttlNanos, BiConsumer<String, Long> asks) {
    this.clock = clock;
    this.random = random;
    this.ttlNanos = ttlNanos;
    this.asks = asks;
    this.losses = new SimLosses(ttlNanos);
    this.store = new MemorySliceStore(() -> storeNow, ttlNanos, FIRST);
  }

  /** Returns the losses that no instance could have known of in time. */
  public SimLosses losses() {
    return losses;
  }

  /**
   * Sets a listener that is called when a member has not asked for a limit for as long as slices
   * last, counted from the arrival of its last request. All its slices have ended then, because the
   * store gives them to others.
   */
  public void onSlicesEnded(BiConsumer<String, LimitId> listener) {
    ended = listener;
  }

  private void watch(SliceStore.Round round, long now) {
    Map<LimitId, Long> mine = asked.computeIfAbsent(round.member(), absent -> new HashMap<>());
    round.asks().forEach(ask -> mine.put(ask.id(), now));
    clock.at(
        now + ttlNanos + DRIFT_NANOS,
        () ->
            round.asks().stream()
                .map(SliceStore.Ask::id)
                .filter(id -> mine.get(id) == now)
                .forEach(id -> ended.accept(round.member(), id)));
  }

  private long delay() {
    return MILLI / 10 + random.nextLong(slowest);
  }

  /** Carries a round to the store, and the answer back. */
  public CompletionStage<SliceStore.Answer> carry(SliceStore.Round round) {
    CompletableFuture<SliceStore.Answer> answer = new CompletableFuture<>();
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

  private boolean isGone(SliceStore.Round round) {
    return cut || away.contains(round.member());
  }

  private boolean gets(SliceStore.Round round) {
    boolean removed = isGone(round);
    boolean gets = !removed && random.nextDouble() >= loss;
    lost += gets || removed ? 0 : 1;
    return gets;
  }

  private void arrive(SliceStore.Round round, CompletableFuture<SliceStore.Answer> back) {
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
    MemorySliceStore old = staying.contains(round.member()) ? before : null;
    SliceStore.Answer answer = answer(old == null ? store : old, deaf ? unasked(round) : round);
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

  private static SliceStore.Answer answer(MemorySliceStore store, SliceStore.Round round) {
    try {
      return store.round(round).toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw new AssertionError("a member asks for what it may not", failed);
    }
  }

  private static SliceStore.Round unasked(SliceStore.Round round) {
    return new SliceStore.Round(
        round.member(),
        round.number(),
        List.of(),
        round.complete(),
        round.losses(),
        round.seen(),
        round.missed(),
        round.leaves());
  }

  /**
   * Returns the longest time from the last fault until all members are granted again as much as the
   * limits admit, in nanoseconds. A round is given up after its timeout, earlier grants end a
   * slice's time later, and members that are gone are waited for equally long, or twice as long if
   * another loss is found meanwhile.
   */
  public static long recoveryNanos(SyncPace pace) {
    return pace.timeoutNanos() + 3 * pace.ttlNanos();
  }

  /** Makes every message arrive once and in time from now on. */
  public void heal() {
    loss = 0;
    twice = 0;
    slowest = Math.min(slowest, HEALED_MILLIS * MILLI);
  }

  /** Sets its clock forward or, by a negative amount, back. */
  public void stepClock(long nanos) {
    ahead += nanos;
  }

  /**
   * Makes a copy take over as another process, while some members still talk to the previous
   * master, which does not know of that.
   */
  public void split(Set<String> stay) {
    MemorySliceStore old = store;
    replay();
    begin();
    before = old;
    staying = Set.copyOf(stay);
  }

  /** Ends a split: grants of the previous master meanwhile are lost. */
  public void unite() {
    before = null;
    staying = Set.of();
  }

  private void begin() {
    lives++;
    log.add(new Began(clock.now(), FIRST + lives));
    store.restart(FIRST + lives);
  }

  /** Loses all data. */
  public void flush(boolean restarted) {
    rollback(Long.MIN_VALUE, restarted);
  }

  /**
   * Returns the store to its state at an instant.
   *
   * @param restarted whether it becomes another process; else the data is put back in place
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

  /** Loses the data of one limit. */
  public void lose(LimitId id) {
    losses.forget(id, clock.now());
    log.add(new Forgot(clock.now(), id));
    store.lose(id);
  }

  private void replay() {
    store = new MemorySliceStore(() -> storeNow, ttlNanos, data);
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
