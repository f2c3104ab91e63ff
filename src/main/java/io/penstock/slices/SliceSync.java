package io.penstock.slices;

import io.penstock.event.EventSink;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingStatus;
import io.penstock.sharing.SliceStore;
import io.penstock.sharing.StoreContact;
import io.penstock.time.CellClock;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets slices of shared limits for one instance: reports spending and asks for more in rounds, one
 * at a time. Thread-safe; a request that uses a limit never blocks here.
 */
public final class SliceSync {
  private static final double JITTER = 0.2;

  /** Number of missed heartbeats after which a member counts as lost. */
  private static final int LOST_AFTER = 3;

  /** Resolution of the clock in answers. */
  private static final long QUANTUM_NANOS = 1_000;

  /**
   * Maximum number of asks in one round. Redis and this instance need a few dozen milliseconds for
   * that many. Further asks follow in the next rounds, at least 20 ms apart.
   */
  static final int MOST_ASKS = 1_000;

  /** With more asks than this, limits keep their stock for a shorter time after their last use. */
  private static final int MANY_ASKS = MOST_ASKS / 4;

  private static final long MILLI = 1_000_000;

  private record PendingAsk(SharedLimit limit, SliceStore.Ask ask, long turn) {}

  private record SentRound(SliceStore.Round round, long sentAt) {}

  private record Arrived(long number, SliceStore.@Nullable Answer answer) {}

  private final String member;
  private final SliceStore sliceStore;
  private final Ticker ticker;
  private final StepAlarm alarm;
  private final SyncPace pace;
  private final DoubleSupplier random;
  private final CellClock clock = new CellClock();
  private final StoreLives lives;
  private final StoreContact contact;
  private final OutageHandling outage;
  private final SharingStatus sharingStatus;
  private final Map<LimitId, SharedLimit> limits = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Arrived> arrived = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean shortage = new AtomicBoolean();
  private final RoundCounters counts = new RoundCounters();
  private final LostLimits lostLimits = new LostLimits();
  private final BarredLimits barred = new BarredLimits();

  private long stockedNanos = SharedLimit.STOCKED_NANOS;
  private @Nullable SentRound sentRound;
  private long number;
  private long sent = Long.MIN_VALUE / 2;
  private long due = Long.MIN_VALUE / 2;
  private boolean stopped;

  /**
   * Creates rounds without limits; nothing is sent before {@link #start}.
   *
   * @param member name of this instance for the others; different after a restart
   * @param alarm runs the steps, one at a time
   * @param outagePolicy policy for limits once their slices have ended and nothing is heard, until
   *     there may be slices again
   * @param random returns 0 to 1, so that instances do not send at the same instant
   */
  public SliceSync(
      String member,
      SliceStore sliceStore,
      Ticker ticker,
      StepAlarm alarm,
      SyncPace pace,
      OutagePolicy outagePolicy,
      DoubleSupplier random) {
    this.member = member;
    this.sliceStore = sliceStore;
    this.ticker = ticker;
    this.alarm = alarm;
    this.pace = pace;
    this.random = random;
    this.lives = new StoreLives(member, pace.ttlNanos());
    this.contact = new StoreContact(outagePolicy, true, pace.ttlNanos(), ticker.nanos());
    this.outage = new OutageHandling(outagePolicy, contact, pace);
    this.sharingStatus = new SharingStatus(SharingMode.EXACT, outagePolicy, pace.ttlNanos());
  }

  /** Sets the receiver of events about the sharing with other instances. */
  public void setEventSink(EventSink eventSink) {
    sharingStatus.setEventSink(eventSink);
  }

  /** Sends the first round. */
  public void start() {
    alarm.soon(this::step);
  }

  /** Stops sending rounds. */
  public synchronized void stop() {
    stopped = true;
  }

  /**
   * Reports spending for the last time, so that others may use the rest of the slices, and that
   * this instance leaves. From then on, no slice is used here.
   *
   * @return completes once the store has answered, or could not be asked
   */
  public CompletionStage<?> leave() {
    List<SliceStore.Ask> asks = new ArrayList<>();
    synchronized (this) {
      stopped = true;
      sentRound = null; // its grants are never taken
      long now = ticker.nanos();
      for (SharedLimit limit : clock.known() ? limits.values() : List.<SharedLimit>of()) {
        limit.limit().sharing().dropSlices();
        limit.markUncertain();
        SliceStore.Ask ask = limit.ask(clock, true, lives, stockedNanos, now);
        if (ask != null) {
          asks.add(ask);
        }
      }
    }
    return lives.seen() == null ? CompletableFuture.completedStage(null) : leave(asks);
  }

  private CompletionStage<?> leave(List<SliceStore.Ask> asks) {
    List<SliceStore.Ask> first = asks.subList(0, Math.min(asks.size(), MOST_ASKS));
    List<SliceStore.Ask> left = asks.subList(first.size(), asks.size());
    SliceStore.Round round;
    synchronized (this) {
      number++;
      round =
          new SliceStore.Round(
              member, number, first, false, List.of(), lives.seen(), List.of(), left.isEmpty());
    }
    CompletionStage<SliceStore.Answer> answered = sliceStore.round(round);
    return left.isEmpty() ? answered : answered.thenCompose(answer -> leave(left));
  }

  /**
   * Returns whether a limit is of a kind that is shared in slices. A limit too high to be reached
   * is not shared, because a loss of data in Redis would bar it for nothing.
   */
  public static boolean shares(LimitSpec spec) {
    LimitCells cells = LimitCells.of(spec);
    return cells != null && cells.canBeReached();
  }

  /** Shares a limit from now on; nothing passes it before the first slices arrive. */
  public void add(LimitId id, Limit limit) {
    LimitCells cells = LimitCells.of(limit.spec());
    if (cells == null) {
      throw new IllegalArgumentException(id + " cannot be shared in slices");
    }
    long now = ticker.nanos();
    SliceDemand sliceDemand = new SliceDemand(this::hurry);
    limit.sharing().share(sliceDemand, now);
    limits.put(id, new SharedLimit(id, limit, sliceDemand, cells, pace, now));
    contact.apply(limit, now);
  }

  boolean has(LimitId id) {
    return limits.containsKey(id);
  }

  /** Stops sharing a limit; nothing is asked for it once this returns. */
  public synchronized void remove(LimitId id) {
    SharedLimit removed = limits.remove(id);
    if (removed != null) {
      outage.forget(removed);
      barred.forget(removed);
    }
  }

  private void hurry() {
    if (shortage.compareAndSet(false, true)) {
      counts.shortages();
      alarm.soon(this::step);
    }
  }

  private void step() {
    List<Runnable> wakeUps = new ArrayList<>();
    SentRound begun = null;
    synchronized (this) {
      long now = ticker.nanos();
      for (Arrived each = arrived.poll(); each != null; each = arrived.poll()) {
        arrive(each, now, wakeUps);
      }
      if (sentRound != null && now - sentRound.sentAt() >= pace.timeoutNanos()) {
        giveUp();
      }
      outage.apply(limits.values(), lives.recovering(now), now, wakeUps);
      if (sentRound == null && now >= next()) {
        begun = begin(now);
      }
      int kept = clock.known() ? barred.count(clock.earliest(now)) : 0;
      counts.publish(lives.recovering(now), contact, limits.size(), kept);
      wakeUps.addAll(
          sharingStatus.findChanges(lives.why(now), contact, () -> !limits.isEmpty(), now));
      wakeUps.addAll(sharingStatus.lookBarred(kept > 0, now));
      if (!stopped) {
        alarm.at(nextStep(), this::step);
      }
    }
    wakeUps.forEach(Runnable::run);
    if (begun != null) {
      send(begun.round()); // without the lock, so that a slow call blocks no other thread
    }
  }

  private long nextStep() {
    long next = sentRound == null ? next() : sentRound.sentAt() + pace.timeoutNanos();
    return Math.min(next, outage.next());
  }

  private long next() {
    return shortage.get() ? Math.min(due, sent + pace.leastNanos()) : due;
  }

  private @Nullable SentRound begin(long now) {
    shortage.set(false);
    due = now + (long) (pace.intervalNanos() * (1 + JITTER * (2 * random.getAsDouble() - 1)));
    List<PendingAsk> wishes = clock.known() ? pendingAsks(now) : List.of();
    List<PendingAsk> left = wishes.subList(Math.min(wishes.size(), MOST_ASKS), wishes.size());
    List<PendingAsk> first = wishes.subList(0, wishes.size() - left.size());
    List<SliceStore.Loss> losses = lostLimits.losses(now);
    boolean idle = first.isEmpty() && losses.isEmpty() && now - sent < pace.heartbeatNanos();
    if (stopped || idle) {
      return null;
    }
    first.forEach(wish -> wish.limit().asked(now));
    due = left.isEmpty() ? due : now;
    sent = now;
    number++;
    counts.sent();
    boolean whole = left.stream().noneMatch(wish -> wish.limit().hasUnreported());
    List<SliceStore.Ask> asks = first.stream().map(PendingAsk::ask).toList();
    SliceStore.Round round =
        new SliceStore.Round(
            member, number, asks, whole, losses, lives.seen(), lives.missed(), false);
    sentRound = new SentRound(round, now);
    return sentRound;
  }

  private void send(SliceStore.Round round) {
    sliceStore
        .round(round)
        .whenComplete(
            (answer, failure) -> {
              arrived.add(new Arrived(round.number(), failure == null ? answer : null));
              alarm.soon(this::step);
            });
  }

  /** Returns the asks, most urgent first when they are too many for one round. */
  private List<PendingAsk> pendingAsks(long now) {
    boolean learning = lives.recovering(now);
    List<PendingAsk> wishes = new ArrayList<>();
    for (SharedLimit limit : limits.values()) {
      SliceStore.Ask ask = limit.ask(clock, learning, lives, stockedNanos, now);
      if (ask != null) {
        wishes.add(new PendingAsk(limit, ask, limit.turn()));
      }
    }
    long longer = Math.min(SharedLimit.STOCKED_NANOS, stockedNanos + stockedNanos / 16 + MILLI);
    stockedNanos = wishes.size() > MANY_ASKS ? stockedNanos / 2 : longer;
    if (wishes.size() > MOST_ASKS) {
      wishes.sort(Comparator.comparingLong(PendingAsk::turn));
    }
    return wishes;
  }

  private void arrive(Arrived each, long now, List<Runnable> wakeUps) {
    SentRound of = sentRound;
    if (of == null || of.round().number() != each.number()) {
      return; // given up: its grants are never taken
    }
    if (each.answer() == null || now - of.sentAt() >= pace.timeoutNanos()) {
      giveUp();
      return;
    }
    sentRound = null;
    counts.answered(now - of.sentAt());
    take(of, each.answer(), now, wakeUps);
  }

  private void doubt(SliceStore.Ask ask) {
    SharedLimit limit = limits.get(ask.id());
    if (limit != null) {
      limit.markUncertain();
    }
  }

  /** The round may have been applied, with any grants, so the next one reports everything. */
  private void giveUp() {
    sentRound = null;
    counts.gaveUp();
    limits.values().forEach(SharedLimit::markUncertain);
  }

  private void take(SentRound of, SliceStore.Answer answer, long now, List<Runnable> wakeUps) {
    boolean agrees = clock.addReading(of.sentAt(), now, answer.clockNanos(), QUANTUM_NANOS);
    if (!agrees) {
      limits.values().forEach(each -> each.limit().sharing().dropSlices());
    }
    boolean known = lives.apply(answer, of.sentAt(), now, clock.latest(now), !agrees);
    contact.answered(
        of.sentAt(), lives.members(clock.latest(now), LOST_AFTER * pace.heartbeatNanos()));
    if (!known) {
      limits.values().forEach(SharedLimit::forgotten);
      return;
    }
    boolean slices = answer.grants().stream().anyMatch(each -> !each.slices().isEmpty());
    if (lives.isOtherRun() || (slices && lives.recovering(now))) {
      of.round().asks().forEach(this::doubt);
      return;
    }
    applyNews(answer, now);
    Map<LimitId, SliceStore.Grant> grants = new HashMap<>();
    answer.grants().forEach(grant -> grants.put(grant.id(), grant));
    long ends = of.sentAt() + pace.ttlNanos();
    for (SliceStore.Ask ask : of.round().asks()) {
      SharedLimit limit = limits.get(ask.id());
      if (limit != null) {
        SliceStore.Grant grant = grants.get(ask.id());
        if (limit.answered(ask, grant, clock, lives, ends, now)) {
          lostLimits.add(limit);
        }
        outage.reportAcknowledged(limit, grant != null);
        barred.heard(limit, clock.earliest(now));
        if (limit.suffices(now)) {
          wakeUps.add(limit.demand()::wake);
        } else if (ask.lackedAtOnce() > 0) {
          wakeUps.add(limit.demand()::wakeAfterDenial);
        }
      }
    }
  }

  /** Takes in losses that members report, and which members reported everything. */
  private void applyNews(SliceStore.Answer answer, long now) {
    for (SliceStore.Loss loss : answer.losses()) {
      SharedLimit limit = limits.get(loss.id());
      if (limit != null) {
        limit.applyLoss(loss.born(), answer.clockNanos(), lives, clock, now);
        lostLimits.add(limit);
      }
    }
    lostLimits.heard(answer, now);
  }

  /** Returns the statistics of rounds so far; never blocks. */
  public RoundFigures figures() {
    return counts.figures();
  }

  /** Returns the number of unused tokens in slices, as of their last rounds. */
  public long sliceTokens() {
    return limits.values().stream().mapToLong(SharedLimit::freeTokens).sum();
  }
}
