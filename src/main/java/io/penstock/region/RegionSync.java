package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.DenialStore;
import io.penstock.sharing.DenialStore.Denial;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges counts and denials with other regions: publishes those of this region, and makes local
 * limits leave room for those of the others. No request waits for it, and anything that cannot be
 * published in time is dropped. Counts are absolute, so the next exchange makes up for a lost one;
 * a denial is useful for two cells at most. Thread-safe.
 */
final class RegionSync {
  /** How often a look reads all denials instead of only new ones: every sixth time. */
  private static final int WHOLE_EVERY = 6;

  /**
   * Periods, timeout and threshold of the exchange.
   *
   * @param countsNanos between two exchanges of counts
   * @param denialsNanos between two reads of denials
   * @param timeoutNanos after which a request without an answer is given up
   * @param share of a limit that must be used in a cell before the cell is published, 0 to 1
   */
  record Terms(long countsNanos, long denialsNanos, long timeoutNanos, double share) {
    /** Returns the periods that the contract and {@code src/docs/regions.md} state. */
    static Terms of(double share) {
      return new Terms(
          TimeUnit.SECONDS.toNanos(5),
          TimeUnit.SECONDS.toNanos(10),
          TimeUnit.SECONDS.toNanos(4),
          share);
    }
  }

  /**
   * Identity of this region, and the stores through which it exchanges.
   *
   * @param region name of this region
   * @param before supplies the counts that this region published before this instance started
   */
  record Stores(
      String region,
      CountStore counts,
      DenialStore denials,
      Supplier<CompletionStage<List<Count>>> before) {}

  private final Stores stores;
  private final Ticker ticker;
  private final Terms terms;
  private final PollSchedule countPolls;
  private final PollSchedule denialPolls;
  private final DenialOutbox outbox;
  private final DatabaseBreaker breaker = new DatabaseBreaker();
  private final RegionStatistics regionStatistics = new RegionStatistics();
  private final RegionLimits regionLimits;
  private boolean recalled;

  /**
   * Whether the last counts could not be written. The next exchange then only reads, so that a
   * database that cannot be written is still read.
   */
  private boolean unwritten;

  private long cursor = DenialStore.Page.START;
  private int looks;

  /**
   * Creates an exchange without limits.
   *
   * @param localPeers null when this is the only instance of its region
   * @param random returns numbers from 0 to 1
   */
  RegionSync(
      Stores stores,
      DatabaseRegions.@Nullable LocalPeers localPeers,
      Ticker ticker,
      WallClock wall,
      Terms terms,
      DoubleSupplier random) {
    this.stores = stores;
    this.ticker = ticker;
    this.terms = terms;
    long now = ticker.nanos();
    this.countPolls = new PollSchedule(terms.countsNanos(), terms.timeoutNanos(), random, now);
    this.denialPolls = new PollSchedule(terms.denialsNanos(), terms.timeoutNanos(), random, now);
    this.outbox = new DenialOutbox(terms.timeoutNanos());
    this.regionLimits = new RegionLimits(localPeers, wall, this::denied, regionStatistics, now);
  }

  /**
   * Sets a callback that runs, on any thread, when there is something to do before the next step.
   */
  void onDenial(Runnable wake) {
    outbox.onFirst(wake);
  }

  /** Shares a limit from now on. */
  synchronized void join(LimitId id, Limit limit) {
    regionLimits.join(id, limit, ticker.nanos());
  }

  /**
   * Stops sharing a limit: it no longer leaves room for other regions. Its counts are remembered
   * until their cells no longer count.
   */
  synchronized void leave(LimitId id) {
    regionLimits.leave(id);
  }

  /** Queues a denial; called on the thread of the denied request. */
  private void denied(LimitId id, long cell, long limit) {
    String namespace = LimitNaming.namespace(id);
    if (namespace != null && cell >= 0) {
      String identifier = id.owner();
      long durationMillis = LimitNaming.durationMillis(id);
      Denial denial = new Denial(namespace, identifier, durationMillis, cell, limit);
      regionStatistics.dropped(
          RegionStatistics.DENIALS, outbox.add(denial, ticker.nanos()) ? 0 : 1);
    }
  }

  /** Returns the statistics of the exchange; never blocks. */
  RegionStatistics ledger() {
    return regionStatistics;
  }

  /** Does everything that is due; returns the instant of the next step. */
  long step() {
    List<Runnable> out = new ArrayList<>();
    long next;
    synchronized (this) {
      long now = ticker.nanos();
      giveUp(now);
      regionLimits.follow(now);
      exchangeCounts(now, out);
      send(now, out);
      look(now, out);
      next = Math.min(Math.min(countPolls.next(), denialPolls.next()), outbox.next());
    }
    out.forEach(Runnable::run); // without the lock: an answer may come within run()
    return next;
  }

  private void giveUp(long now) {
    if (countPolls.dropOverdue(now)) {
      regionStatistics.dropped(RegionStatistics.COUNTS, 1);
      late(RegionStatistics.COUNTS, now);
    }
    if (denialPolls.dropOverdue(now)) {
      late(RegionStatistics.LOOKS, now);
    }
    int rows = outbox.dropOverdue(now);
    if (rows > 0) {
      regionStatistics.dropped(RegionStatistics.DENIALS, rows);
      late(RegionStatistics.DENIALS, now);
    }
  }

  private void late(int what, long now) {
    failed(what, new TimeoutException("no answer in time"), now);
  }

  private void exchangeCounts(long now, List<Runnable> out) {
    if (!countPolls.due(now)) {
      return;
    }
    if (!breaker.tryAcquire(now)) {
      countPolls.skip(now);
      regionStatistics.dropped(RegionStatistics.COUNTS, 1);
      return;
    }
    regionLimits.forget(now);
    long mine = countPolls.begin(now);
    if (!recalled) {
      out.add(
          asking(
              stores.before(),
              (own, failure) -> {
                recalled(mine, own, failure);
                outbox.wake();
              }));
      return;
    }
    List<Count> own = unwritten ? List.of() : regionLimits.collectDue(terms.share());
    unwritten = false;
    out.add(
        asking(
            () -> stores.counts().exchange(stores.region(), own),
            (others, failure) -> exchanged(mine, own, others, failure)));
  }

  private static <T> Runnable asking(
      Supplier<CompletionStage<T>> what, BiConsumer<@Nullable T, @Nullable Throwable> then) {
    return () -> {
      CompletionStage<T> stage;
      try {
        stage = what.get();
      } catch (RuntimeException failure) {
        stage = CompletableFuture.failedFuture(failure);
      }
      stage.whenComplete(then);
    };
  }

  private synchronized void recalled(
      long mine, @Nullable List<Count> own, @Nullable Throwable failure) {
    long now = ticker.nanos();
    if (own != null && !recalled) {
      recalled = true;
      own.forEach(each -> regionLimits.restore(each, now));
    }
    if (ended(countPolls, mine, RegionStatistics.COUNTS, own != null, failure) && own != null) {
      countPolls.hurry(now);
    }
  }

  /** Ends a request; returns whether it was still awaited. A late end counts as none. */
  private boolean ended(
      PollSchedule polls, long mine, int what, boolean well, @Nullable Throwable failure) {
    boolean inTime = polls.ends(mine);
    if (inTime && well) {
      well(what, ticker.nanos(), polls.sentAt());
    } else if (inTime) {
      failed(what, failure, ticker.nanos());
    }
    return inTime;
  }

  private void exchanged(
      long mine, List<Count> own, @Nullable List<Count> others, @Nullable Throwable failure) {
    if (others != null) {
      long now = ticker.nanos();
      // One lock per count: a request whose key is new here may be waiting to join.
      others.forEach(each -> applyCount(each, now));
    }
    exchanged(mine, own, others != null, failure);
  }

  private synchronized void applyCount(Count count, long now) {
    regionLimits.applyCount(count, now);
  }

  private synchronized void exchanged(
      long mine, List<Count> own, boolean well, @Nullable Throwable failure) {
    if (well) {
      own.forEach(regionLimits::acknowledge);
    }
    if (ended(countPolls, mine, RegionStatistics.COUNTS, well, failure) && !well) {
      unwritten = !own.isEmpty();
      regionStatistics.dropped(RegionStatistics.COUNTS, 1);
    }
  }

  /** Publishes everything that was counted here once more, however little it is. */
  CompletionStage<?> last() {
    List<Count> own;
    synchronized (this) {
      own = recalled && breaker.tryAcquire(ticker.nanos()) ? regionLimits.collectDue(0) : List.of();
    }
    return own.isEmpty()
        ? CompletableFuture.completedFuture(own)
        : stores.counts().exchange(stores.region(), own);
  }

  private void send(long now, List<Runnable> out) {
    if (!outbox.due(now)) {
      return;
    }
    if (!breaker.tryAcquire(now)) {
      do {
        List<Denial> batch = outbox.begin(now);
        outbox.ends(batch);
        regionStatistics.dropped(RegionStatistics.DENIALS, batch.size());
      } while (outbox.due(now));
      return;
    }
    List<Denial> batch = outbox.begin(now);
    out.add(
        asking(
            () -> stores.denials().publish(stores.region(), batch),
            (done, failure) -> {
              sent(batch, failure);
              outbox.wake(); // the next batch waits for the end of this one
            }));
  }

  private synchronized void sent(List<Denial> batch, @Nullable Throwable failure) {
    long now = ticker.nanos();
    if (!outbox.ends(batch)) {
      return;
    }
    if (failure == null) {
      well(RegionStatistics.DENIALS, now, outbox.sentAt());
    } else {
      regionStatistics.dropped(RegionStatistics.DENIALS, batch.size());
      failed(RegionStatistics.DENIALS, failure, now);
    }
  }

  private void look(long now, List<Runnable> out) {
    if (!denialPolls.due(now)) {
      return;
    }
    if (!breaker.tryAcquire(now)) {
      denialPolls.skip(now);
      return;
    }
    long mine = denialPolls.begin(now);
    long from = looks % WHOLE_EVERY == 0 ? DenialStore.Page.START : cursor;
    looks++;
    out.add(
        asking(
            () -> stores.denials().since(stores.region(), from),
            (page, failure) -> looked(mine, page, failure)));
  }

  private synchronized void looked(
      long mine, DenialStore.@Nullable Page page, @Nullable Throwable failure) {
    if (page != null) {
      long now = ticker.nanos();
      cursor = Math.max(cursor, page.cursor());
      page.denials().forEach(each -> regionLimits.applyDenial(each, now));
    }
    var _ = ended(denialPolls, mine, RegionStatistics.LOOKS, page != null, failure);
  }

  private void failed(int what, @Nullable Throwable failure, long now) {
    breaker.record(false, now);
    regionStatistics.failed(what, failure);
  }

  private void well(int what, long now, long sentAt) {
    breaker.record(true, now);
    regionStatistics.answered(what, now - sentAt);
  }
}
