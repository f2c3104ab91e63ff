package io.penstock.counts;

import io.penstock.event.EventSink;
import io.penstock.limit.Limit;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingStatus;
import io.penstock.sharing.StoreContact;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges counts with other instances at regular intervals, one exchange at a time: reports local
 * counts, and applies the counts of the others to local limits. Without answers, each instance goes
 * on with its own counts, and with the known counts of the others until those no longer count.
 * Thread-safe; nothing blocks.
 *
 * <p>Absolute counts are sent until they are acknowledged, and from time to time all of them are
 * sent again. So anything lost on the way or in the store is there again two intervals after the
 * store works again.
 */
public final class CountSync implements KnownPeerCounts {
  /** How often an exchange sends all counts instead of only new ones: every 20th time. */
  private static final int WHOLE_EVERY = 20;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final CountStore countStore;
  private final String member;
  private final Ticker ticker;
  private final StoreContact storeContact;
  private final SharingStatus sharingStatus;
  private final Map<LimitId, CountedLimit> all = new ConcurrentHashMap<>();

  private final UnixShift unixShift;
  private final PollSchedule schedule;
  private int exchanges;
  private volatile Figures figures = new Figures(0, 0, 0, Long.MIN_VALUE);

  /**
   * Timing of the exchange, and the policy for outages.
   *
   * @param intervalNanos between two exchanges
   * @param timeoutNanos after which an exchange without an answer is given up
   * @param cutOffNanos after which, without any answer, limits follow {@code onOutage}
   * @param onOutage policy; where it concerns shares, these limits go on with their own counts
   */
  public record Terms(
      long intervalNanos, long timeoutNanos, long cutOffNanos, OutagePolicy onOutage) {}

  /**
   * Creates an exchange without limits.
   *
   * @param countStore store through which counts are exchanged
   * @param member name of this instance, different after each start
   * @param wall defines the cells; the clocks of all instances must agree except for small
   *     differences
   */
  public CountSync(
      CountStore countStore, String member, Ticker ticker, WallClock wall, Terms terms) {
    this.countStore = countStore;
    this.member = member;
    this.ticker = ticker;
    long now = ticker.nanos();
    this.unixShift = new UnixShift(wall, now);
    this.schedule = new PollSchedule(terms.intervalNanos(), terms.timeoutNanos(), () -> 0, now);
    this.storeContact = new StoreContact(terms.onOutage(), terms.cutOffNanos(), now);
    this.sharingStatus =
        new SharingStatus(SharingMode.EVENTUAL, terms.onOutage(), terms.cutOffNanos());
  }

  /** Sets the receiver of events about lost and regained contact. */
  public void setEventSink(EventSink eventSink) {
    sharingStatus.setEventSink(eventSink);
  }

  /**
   * Counts a limit from now on.
   *
   * @param binds whether the limit leaves room for the counts of others; otherwise they are only
   *     known
   */
  public synchronized void join(LimitId id, Limit limit, boolean binds) {
    if (id.durationNanos() < NANOS_PER_MILLI) {
      return; // a limit without a window has no cells
    }
    CountedLimit known = all.get(id);
    if (known == null || !known.counts(limit, binds)) {
      CountedLimit countedLimit = new CountedLimit(id, limit, binds, unixShift.nanos());
      all.put(id, countedLimit);
      long now = ticker.nanos();
      countedLimit.bind(now);
      countedLimit.follow(storeContact, now);
    }
  }

  /** Stops counting a limit; it leaves no room for others any more. */
  public synchronized void leave(LimitId id) {
    CountedLimit countedLimit = all.remove(id);
    if (countedLimit != null) {
      countedLimit.unbind();
    }
  }

  @Override
  public long counted(LimitId id, long now) {
    CountedLimit countedLimit = all.get(id);
    return countedLimit == null ? 0 : countedLimit.others(now);
  }

  /**
   * Returns the counts of all other instances for a limit, by cell; empty when it is not counted.
   */
  public Map<Long, Long> cells(LimitId id) {
    CountedLimit countedLimit = all.get(id);
    return countedLimit == null ? Map.of() : countedLimit.cells();
  }

  /**
   * Statistics of the exchanges until now.
   *
   * @param answered number of exchanges answered in time
   * @param failures number of exchanges that failed or had no answer in time
   * @param answeredNanos total time of the answered ones
   * @param answeredAt send time of the last answered one; {@link Long#MIN_VALUE} for none
   */
  public record Figures(long answered, long failures, long answeredNanos, long answeredAt) {}

  /** Returns the statistics of the exchanges so far; never blocks. */
  public Figures figures() {
    return figures;
  }

  private void failed() {
    figures =
        new Figures(
            figures.answered(),
            figures.failures() + 1,
            figures.answeredNanos(),
            figures.answeredAt());
  }

  private void succeeded(long now) {
    figures =
        new Figures(
            figures.answered() + 1,
            figures.failures(),
            figures.answeredNanos() + now - schedule.sentAt(),
            schedule.sentAt());
  }

  /** Begins an exchange if it is due; returns the instant of the next step. */
  public long step() {
    follow();
    List<Count> own;
    long mine;
    synchronized (this) {
      long now = ticker.nanos();
      if (schedule.dropOverdue(now)) {
        failed();
      }
      if (!schedule.due(now)) {
        return Math.max(schedule.dueNanos(), schedule.next());
      }
      mine = schedule.begin(now);
      own = collect(now);
    }
    exchange(own).whenComplete((others, failure) -> answered(mine, own, others));
    synchronized (this) {
      return schedule.dueNanos(); // not after the timeout: an answer runs no step
    }
  }

  /**
   * Applies the state of the contact to the limits, then wakes their waiting tickets without
   * holding the lock.
   */
  private void follow() {
    List<Runnable> wakeUps = new ArrayList<>();
    synchronized (this) {
      long now = ticker.nanos();
      if (storeContact.changes(false, now)) {
        bound()
            .forEach(
                each -> {
                  each.follow(storeContact, now);
                  wakeUps.add(each::wake);
                });
      }
      wakeUps.addAll(
          sharingStatus.findChanges(null, storeContact, () -> bound().findAny().isPresent(), now));
    }
    wakeUps.forEach(Runnable::run);
  }

  private Stream<CountedLimit> bound() {
    return all.values().stream().filter(CountedLimit::binds);
  }

  private CompletionStage<List<Count>> exchange(List<Count> own) {
    try {
      return countStore.exchange(member, own);
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private List<Count> collect(long now) {
    unixShift.follow(now);
    boolean whole = exchanges % WHOLE_EVERY == 0;
    exchanges++;
    List<Count> own = new ArrayList<>();
    all.values().forEach(countedLimit -> countedLimit.collect(whole, unixShift, now, own));
    return own;
  }

  private void answered(long exchange, List<Count> own, @Nullable List<Count> others) {
    take(exchange, own, others);
    follow();
  }

  /** Applies an answer, also a late one, because counts are absolute. */
  private synchronized void take(long exchange, List<Count> own, @Nullable List<Count> others) {
    boolean inTime = schedule.ends(exchange);
    if (others == null) {
      if (inTime) {
        failed();
      }
      return;
    }
    long now = ticker.nanos();
    hear(others, now);
    if (inTime) {
      succeeded(now);
      storeContact.answered(schedule.sentAt(), 1);
      all.values().forEach(countedLimit -> countedLimit.answered(schedule.sentAt()));
      own.forEach(this::acknowledge);
    }
    all.values().forEach(countedLimit -> countedLimit.bind(now));
  }

  private void acknowledge(Count count) {
    CountedLimit countedLimit = all.get(count.id());
    if (countedLimit != null) {
      countedLimit.acknowledge(count);
    }
  }

  private void hear(List<Count> others, long now) {
    for (Count count : others) {
      CountedLimit countedLimit = all.get(count.id());
      if (countedLimit != null) {
        countedLimit.apply(count, unixShift.nanos(), now);
      }
    }
  }

  /** Applies counts that were fetched for some limits between two exchanges. */
  public synchronized void applyFetched(List<Count> others) {
    long now = ticker.nanos();
    hear(others, now);
    for (Count count : others) {
      CountedLimit countedLimit = all.get(count.id());
      if (countedLimit != null) {
        countedLimit.bind(now);
      }
    }
  }
}
