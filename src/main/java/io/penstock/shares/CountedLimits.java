package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.limit.OutageCap;
import io.penstock.shares.ShareStore.BeatAnswer;
import io.penstock.shares.ShareStore.Told;
import io.penstock.shares.ShareStore.Told.Counted;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.WriterCounts;
import io.penstock.time.UnixShift;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one instance that other instances count, too. All tell each other in beats how much
 * they counted in which cell of the Unix clock. Without beats, each goes on with its own counts,
 * and with the known counts of the others until those no longer count. Counts that only have to be
 * known are told in beats that are sent anyway. Guarded by {@link ShareSync}, except for {@link
 * #counted}, {@link #cells} and {@link #isCold}, which are safe from any thread.
 */
public final class CountedLimits {
  private static final long MILLI = 1_000_000;
  private static final int LEAST_CLEANED = 1_000;

  /** After so long a time without an answer, what others counted meanwhile is spread over it. */
  private static final long SILENCE_NANOS = 2_500 * MILLI;

  /**
   * Counts of all others in one cell.
   *
   * @param untilNanos from when on they are useless
   * @param sinceNanos the instant after which they were counted
   * @param lastNanos when they were last heard of
   */
  private record Cell(Map<String, Long> amounts, long untilNanos, long sinceNanos, long lastNanos) {
    Cell heardAt(long now) {
      return new Cell(amounts, untilNanos, sinceNanos, now);
    }

    long sum() {
      return amounts.values().stream().reduce(0L, WriterCounts::sum);
    }
  }

  /** Limits that tell of their counts, each when it is its turn. */
  private static final class Turns {
    private final Set<CountedLimit> limits = ConcurrentHashMap.newKeySet();

    /** Goes on where it stopped. */
    private Iterator<CountedLimit> scan = Collections.emptyIterator();

    void collect(UnixShift unixShift, int most, List<Count> own, long now) {
      for (int left = limits.size(); left > 0 && own.size() < most; left--) {
        scan = scan.hasNext() ? scan : limits.iterator();
        if (scan.hasNext()) {
          scan.next().collect(unixShift, now, own);
        }
      }
    }
  }

  private final Predicate<LimitId> prompt;
  private final OutagePolicy policy;
  private final long intervalNanos;
  private final UnixShift unixShift;
  private final Map<LimitId, CountedLimit> all = new ConcurrentHashMap<>();

  /** Also of limits that this instance does not have yet. */
  private final Map<LimitId, Map<Long, Cell>> heard = new HashMap<>();

  private final Turns atOnce = new Turns();
  private final Turns later = new Turns();
  private int most = LEAST_CLEANED;
  private boolean away;
  private final AtomicInteger binding = new AtomicInteger();

  /** When the last beat was sent whose answer left nothing out. */
  private volatile long heardNanos = Long.MIN_VALUE / 2;

  /**
   * Creates an object without limits.
   *
   * @param wall defines the cells; the clocks of all instances must agree except for small
   *     differences
   * @param intervalNanos for how long what was counted may wait for a beat
   * @param prompt the limits of which others must hear at once, although they leave no room for
   *     them
   * @param policy where it concerns shares, these limits go on with their own counts
   * @param now by the monotonic clock
   */
  public CountedLimits(
      WallClock wall,
      long intervalNanos,
      Predicate<LimitId> prompt,
      OutagePolicy policy,
      long now) {
    this.prompt = prompt;
    this.policy = policy;
    this.intervalNanos = intervalNanos;
    this.unixShift = new UnixShift(wall, now);
  }

  long intervalNanos() {
    return intervalNanos;
  }

  /** Returns whether others must hear at once of what any limit counts. */
  boolean isPrompt() {
    return !atOnce.limits.isEmpty();
  }

  /** Returns how many limits leave room for the counts of others. */
  int binding() {
    return binding.get();
  }

  /** Counts a limit from now on. */
  void join(LimitId id, Limit limit, boolean binds, long now) {
    if (id.durationNanos() < MILLI) {
      return; // a limit without a window has no cells
    }
    CountedLimit known = all.get(id);
    if (known != null && known.counts(limit, binds)) {
      return;
    }
    boolean isLater = !binds && !prompt.test(id);
    CountedLimit fresh = new CountedLimit(id, limit, binds, isLater, unixShift.nanos());
    heard
        .getOrDefault(id, Map.of())
        .forEach(
            (cell, each) ->
                fresh.hear(cell, each.sum(), each.sinceNanos(), shift(), each.lastNanos()));
    leave(id, false);
    all.put(id, fresh);
    turns(fresh).limits.add(fresh);
    fresh.bind(now);
    fresh.cutOff(cap(), now);
    binding.addAndGet(binds ? 1 : 0);
  }

  private Turns turns(CountedLimit of) {
    return of.isLater() ? later : atOnce;
  }

  /**
   * Stops counting a limit.
   *
   * @param frees whether it leaves no room for others any more; otherwise it does for what is known
   */
  void leave(LimitId id, boolean frees) {
    CountedLimit known = all.remove(id);
    if (known != null) {
      turns(known).limits.remove(known);
      if (frees) {
        known.unbind();
      }
      binding.addAndGet(known.binds() ? -1 : 0);
    }
  }

  private long shift() {
    return unixShift.nanos();
  }

  /** Returns what all other instances counted in the window that ends at {@code now}. */
  long counted(LimitId id, long now) {
    CountedLimit known = all.get(id);
    return known == null ? 0 : known.others(now);
  }

  /** Returns the counts of all other instances, by cell; none if the limit is not counted. */
  Map<Long, Long> cells(LimitId id) {
    CountedLimit known = all.get(id);
    return known == null ? Map.of() : known.cells();
  }

  /**
   * Returns whether a limit that leaves room for others is new here, or nothing was heard of those
   * since its first decision, while this instance itself has counted nothing of it.
   */
  boolean isCold(LimitId id, long now) {
    CountedLimit known = all.get(id);
    return known == null || known.isCold(heardNanos, now);
  }

  /** Returns whether a beat that was sent so shortly before was answered. */
  boolean isHeard(long nanos, long now) {
    return now - heardNanos <= nanos;
  }

  /**
   * Returns counts of this instance that others have not been told of.
   *
   * @param most after so many, the rest is left for the next time
   * @param every whether to tell those, too, that only have to be known
   */
  List<Told> untold(String self, int most, boolean every, long now) {
    unixShift.follow(now);
    List<Count> own = new ArrayList<>();
    atOnce.collect(unixShift, most, own, now);
    if (every) {
      later.collect(unixShift, most, own, now);
    }
    return told(own, self, now);
  }

  /** Returns counts of this instance of one limit that others have not been told of. */
  List<Told> untold(LimitId id, String self, long now) {
    List<Count> own = new ArrayList<>();
    CountedLimit known = all.get(id);
    if (known != null) {
      known.collect(unixShift, now, own);
    }
    return told(own, self, now);
  }

  private List<Told> told(List<Count> own, String self, long now) {
    long unixMillis = (now + shift()) / MILLI;
    List<Told> untold = new ArrayList<>();
    for (Count each : own) {
      long left = Math.max(1, each.expiresAtMillis() - unixMillis);
      untold.add(new Counted(each.id(), self, each.cell(), each.amount(), left));
    }
    return untold;
  }

  /** Records that others have been told. */
  void haveTold(Counted own) {
    CountedLimit known = all.get(own.id());
    if (known != null) {
      known.acknowledge(own.cell(), own.amount());
    }
  }

  /** Forgets that others were told, because the store may have lost it. */
  void tellAgain() {
    all.values().forEach(CountedLimit::tellAgain);
  }

  /**
   * Takes in what the answer to a beat says. Where it leaves something out, the next one still
   * tells of the time before it.
   *
   * @param sentNanos when the beat was sent
   * @return whether any other instance had counted anything of which this one must hear at once
   */
  boolean hear(BeatAnswer answer, String self, long sentNanos, long now) {
    clean(now);
    boolean isSilence = sentNanos - heardNanos > SILENCE_NANOS;
    long since = isSilence ? heardNanos : now;
    boolean isAny = false;
    for (Told each : answer.told()) {
      if (each instanceof Counted counted && !counted.member().equals(self)) {
        isAny |= hear(counted, since, now);
      }
    }
    heardNanos = answer.complete() ? sentNanos : heardNanos;
    return isAny;
  }

  private boolean hear(Counted counted, long since, long now) {
    Map<Long, Cell> cells = heard.computeIfAbsent(counted.id(), absent -> new HashMap<>());
    Cell cell = cells.get(counted.cell());
    if (cell == null) {
      cells.values().removeIf(each -> each.untilNanos() <= now);
      cell = new Cell(new HashMap<>(), now + counted.leftMillis() * MILLI, since, now);
    }
    cells.put(counted.cell(), cell.heardAt(now));
    cell.amounts().merge(counted.member(), counted.amount(), Math::max);
    CountedLimit known = all.get(counted.id());
    if (known != null) {
      known.hear(counted.cell(), cell.sum(), since, shift(), now);
      known.bind(now);
    }
    return known != null && !known.isLater();
  }

  /** Forgets what counts no more, whenever as many limits as before have come to it. */
  private void clean(long now) {
    if (heard.size() > most) {
      heard.values().forEach(each -> each.values().removeIf(cell -> cell.untilNanos() <= now));
      heard.values().removeIf(Map::isEmpty);
      most = 2 * heard.size() + LEAST_CLEANED;
    }
  }

  /** Makes all limits behave as they should while the store is away, or is heard again. */
  void contact(boolean isAway, long now) {
    if (isAway != away) {
      away = isAway;
      all.values().forEach(each -> each.cutOff(cap(), now));
    }
  }

  private @Nullable OutageCap cap() {
    return away ? policy.cap() : null;
  }
}
