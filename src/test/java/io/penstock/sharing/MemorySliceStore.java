package io.penstock.sharing;

import io.penstock.limit.CellPartition;
import io.penstock.limit.slice.KindChangeover;
import io.penstock.limit.slice.SharedRemainder;
import io.penstock.limit.slice.SliceLedger;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Slice store for members within one process. A round that asks for a limit of a kind that cannot
 * be shared in slices fails as a whole and changes nothing.
 *
 * <p>As in a store that keeps each limit separately, a round is late for the limits that a later
 * round of the same member has asked for.
 */
public final class MemorySliceStore implements SliceStore {
  private static final long NANOS_PER_MICRO = 1_000;

  /** For how long all members are informed about a limit that a member found lost. */
  private static final long LOSS_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** A limit that was found lost: the time of its new birth, and when that was reported last. */
  private record Found(long born, long at) {}

  private final Ticker clock;
  private final long ttlMicros;
  private String life;
  private final StoreRuns runs;
  private final StoreMembers members = new StoreMembers();
  private final Map<LimitId, Found> losses = new LinkedHashMap<>();

  /** Ended lives that members have seen, with the time at which the first of them reported it. */
  private final Map<String, Long> lostLives = new HashMap<>();

  private final Map<LimitId, KindChangeover> limits = new HashMap<>();
  private long count;

  /** Time of the first round of a member that had seen another life; null for never. */
  private @Nullable Long lostAt;

  /**
   * Creates a store that has granted nothing.
   *
   * @param clock the shared clock
   * @param ttlNanos for how long a slice may be spent and a silent member counts as living, ≥ 1
   * @param life the name of the data, different for each store that begins without data
   */
  public MemorySliceStore(Ticker clock, long ttlNanos, String life) {
    if (ttlNanos < 1) {
      throw new IllegalArgumentException("ttlNanos is " + ttlNanos + ", expected at least 1");
    }
    this.clock = clock;
    this.ttlMicros = Math.ceilDiv(ttlNanos, NANOS_PER_MICRO);
    this.life = life;
    this.runs = new StoreRuns("first run of " + life);
  }

  @Override
  public CompletionStage<Answer> round(Round round) {
    return CompletableFuture.completedStage(round).thenApply(this::answer);
  }

  private synchronized Answer answer(Round round) {
    long now = clock.nanos() / NANOS_PER_MICRO;
    limits.values().removeIf(shares -> shares.ends(now, ttlMicros));
    round.asks().forEach(ask -> CellPartition.of(ask.spec())); // fails before anything changes
    runs.begin(now);
    long kept = runs.kept(round.seen(), life, count);
    look(round.seen(), now);
    hear(round, now);
    runs.roundCounted(count + 1, now);
    round
        .missed()
        .forEach(
            missed -> members.missed(missed.name(), missed.lastHeartbeatNanos() / NANOS_PER_MICRO));
    round.losses().forEach(loss -> losses.put(loss.id(), new Found(loss.born(), now)));
    count++;
    List<Grant> grants = new ArrayList<>();
    for (Ask ask : round.asks()) {
      @Nullable Grant grant = grant(round, ask, now);
      if (grant != null) {
        grants.add(grant);
      }
    }
    forget(now);
    List<Loss> lost = new ArrayList<>();
    losses.forEach((id, found) -> lost.add(new Loss(id, found.born())));
    long since = StoreMembers.nanosSince(lostAt, now);
    List<Member> living = members.living(now);
    return new Answer(
        now * NANOS_PER_MICRO, life, runs.now(kept, now), count, living, grants, lost, since);
  }

  /** Forgets runs, losses and lives of long ago. */
  private void forget(long now) {
    runs.forget(now);
    losses.values().removeIf(found -> now - found.at() > LOSS_MICROS);
    lostLives.values().removeIf(at -> now - at > StoreMembers.FORGET_MICROS);
  }

  /**
   * Detects a loss of data: the member has seen another life, or more rounds of this life than the
   * store has. Then a new life begins, or at least all members are informed.
   */
  private void look(@Nullable Seen seen, long now) {
    boolean same = seen != null && seen.life().equals(life);
    if (seen == null || (same && !runs.fell(seen, count))) {
      return;
    }
    if (lostLives.putIfAbsent(seen.life(), now) == null) {
      lostAt = now;
    }
    if (same) {
      life = life.replaceFirst("~.*", "") + "~" + now + "-" + count;
      runs.rolledBack(seen, now);
      members.forgetWhatWasSaid();
    }
  }

  private void hear(Round round, long now) {
    Seen seen = round.seen();
    boolean aware = seen == null || (seen.life().equals(life) && runs.is(seen.run()));
    boolean whole = aware && round.complete();
    members.record(round.member(), round.number(), whole, aware, round.leaves(), now);
  }

  /**
   * Continues as another run, as a store does after a restart, or when a copy replaces it.
   *
   * @param other name of the new run
   */
  public synchronized void restart(String other) {
    runs.next(other);
    members.forgetWhoIsAware();
  }

  /** Loses all data of one limit, as a store that keeps each limit separately may. */
  public synchronized void lose(LimitId id) {
    limits.remove(id);
  }

  private static KindChangeover none(LimitId id) {
    return new KindChangeover(id.durationNanos() / NANOS_PER_MICRO);
  }

  private @Nullable Grant grant(Round round, Ask ask, long now) {
    CellPartition partition = CellPartition.of(ask.spec());
    KindChangeover shares = limits.computeIfAbsent(ask.id(), MemorySliceStore::none);
    SliceLedger.Report report =
        new SliceLedger.Report(
            round.member(),
            round.number(),
            ask.from(),
            ask.uses(),
            ask.lackedAtOnce(),
            ask.wanted(),
            ask.barred(),
            ask.born());
    SliceLedger.Granted granted = shares.round(report, partition, now, ttlMicros);
    if (granted.born() == SliceLedger.NONE) {
      return null;
    }
    SharedRemainder left = granted.left();
    return new Grant(
        ask.id(),
        granted.capacity(),
        granted.born(),
        granted.parts(),
        granted.barred(),
        left.amount(),
        left.fullMicros() * NANOS_PER_MICRO);
  }
}
