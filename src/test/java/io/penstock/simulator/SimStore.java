package io.penstock.simulator;

import io.penstock.shares.MemoryShareStore;
import io.penstock.shares.ShareStore;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that simulated instances share, with the network between them: messages are delayed,
 * lost, repeated and reordered by chance; the store can be made to lose data, restart, roll back
 * and split.
 */
final class SimStore {
  private static final long MILLI = 1_000_000L;

  /** Longest delay of a message's copy. */
  private static final long LATE_NANOS = 3_000 * MILLI;

  /** Bound on the error of an inaccurate clock while a lease lasts. */
  private static final long DRIFT_NANOS = MILLI;

  private static final long HEALED_MILLIS = 30;

  /** A time in which nobody reached the store. */
  record Outage(long from, long until) {
    long lasts() {
      return until - from;
    }
  }

  /** The fraction of messages that get lost. */
  double loss;

  /** The fraction of messages that come twice. */
  double twice;

  /** The longest way of a message, in nanoseconds. */
  long slowest = 4 * MILLI;

  /** Members that cannot reach the store, nor be reached. */
  final Set<String> away = new HashSet<>();

  private final SimClock clock;
  private final Random random;
  private final long leaseNanos;
  private final Map<String, Consumer<LimitId>> listeners = new LinkedHashMap<>();
  private final Map<String, Long> lastHeard = new HashMap<>();
  private final List<Outage> outages = new ArrayList<>();
  private Consumer<String> silent = member -> {};
  private boolean cut;
  private long cutSince;
  private int runs;
  private int epochs;
  private MemoryShareStore store;

  /** The previous master, which some members still talk to while the store is split. */
  private @Nullable MemoryShareStore before;

  private Set<String> staying = Set.of();

  /** Creates a store that knows nothing. */
  SimStore(SimClock clock, Random random, long leaseNanos) {
    this.clock = clock;
    this.random = random;
    this.leaseNanos = leaseNanos;
    this.store = new MemoryShareStore(run(), () -> "epoch-" + epochs++, Set.of());
  }

  private String run() {
    return "run-" + runs;
  }

  /** Sets a listener that is called with the limits of which the store has news for a member. */
  void listen(String member, Consumer<LimitId> listener) {
    listeners.put(member, listener);
  }

  /** Sets a listener that is called with a member that the store has not heard for a lease. */
  void onSilence(Consumer<String> listener) {
    silent = listener;
  }

  private void watch(String member, long now) {
    lastHeard.put(member, now);
    clock.at(
        now + leaseNanos + DRIFT_NANOS,
        () -> {
          if (lastHeard.get(member) == now) {
            silent.accept(member);
          }
        });
  }

  private long delay() {
    return MILLI / 10 + random.nextLong(slowest);
  }

  /** Carries a message to the store, and the answer back. */
  CompletionStage<ShareStore.Reply> carry(ShareStore.Message message) {
    CompletableFuture<ShareStore.Reply> reply = new CompletableFuture<>();
    int copies = random.nextDouble() < twice ? 2 : 1;
    for (int copy = 0; copy < copies; copy++) {
      if (gets(message.member())) {
        clock.at(
            clock.now() + delay() + copy * random.nextLong(LATE_NANOS),
            () -> arrive(message, reply));
      }
    }
    return reply;
  }

  private boolean isGone(String member) {
    return cut || away.contains(member);
  }

  private boolean gets(String member) {
    return !isGone(member) && random.nextDouble() >= loss;
  }

  private MemoryShareStore of(String member) {
    MemoryShareStore old = staying.contains(member) ? before : null;
    return old == null ? store : old;
  }

  private void arrive(ShareStore.Message message, CompletableFuture<ShareStore.Reply> back) {
    String member = message.member();
    if (isGone(member)) {
      return;
    }
    watch(member, clock.now());
    MemoryShareStore master = of(member);
    ShareStore.Reply reply = master.carryOut(message);
    publish(master, member);
    if (gets(member)) {
      clock.at(clock.now() + delay(), () -> back.complete(reply));
    }
  }

  /** Tells all others at a master of what has changed. */
  private void publish(MemoryShareStore master, String by) {
    List<LimitId> news = new ArrayList<>(master.news());
    news.sort(Comparator.comparing(LimitId::toString)); // in another order in each process
    for (LimitId id : news) {
      listeners.forEach(
          (member, listener) -> {
            if (!member.equals(by) && master == of(member) && gets(member)) {
              clock.at(clock.now() + delay(), () -> listener.accept(id));
            }
          });
    }
  }

  /** Lets nobody reach the store from now on. */
  void cut() {
    if (!cut) {
      cut = true;
      cutSince = clock.now();
    }
  }

  /** Lets members reach the store again. */
  void mend() {
    if (cut) {
      cut = false;
      outages.add(new Outage(cutSince, clock.now()));
    }
  }

  /** Returns the times in which nobody reached the store. */
  List<Outage> outages() {
    return outages;
  }

  /** Makes every message arrive once and in time from now on. */
  void heal() {
    loss = 0;
    twice = 0;
    slowest = Math.min(slowest, HEALED_MILLIS * MILLI);
  }

  /** Returns a copy of its data, to return to. */
  MemoryShareStore snapshot() {
    return store.inRun(run());
  }

  /** Restarts as another process with all data. */
  void restart() {
    returnTo(store, true);
  }

  /**
   * Makes a copy take over as another process, while some members still talk to the previous
   * master, which does not know of that.
   */
  void split(Set<String> stay) {
    before = store;
    staying = Set.copyOf(stay);
    restart();
  }

  /** Ends a split: what the previous master granted meanwhile is lost. */
  void unite() {
    before = null;
    staying = Set.of();
  }

  /**
   * Loses all data.
   *
   * @param restarted whether it becomes another process
   */
  void flush(boolean restarted) {
    MemoryShareStore empty = store.inRun(run());
    empty.flush();
    returnTo(empty, restarted);
  }

  /**
   * Returns to earlier data.
   *
   * @param restarted whether it becomes another process; else the data is put back in place
   */
  void returnTo(MemoryShareStore data, boolean restarted) {
    runs += restarted ? 1 : 0;
    store = data.inRun(run());
  }

  /** Loses the data of one limit. */
  void lose(LimitId id) {
    store.lose(id);
  }
}
