package io.penstock.limit.slice;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Ledger of the slices of one limit: what members were granted and have spent, by cell, and what
 * each lacks. Belongs to one thread at a time. The script {@code grant.lua} does the same in Lua,
 * with the same answers.
 *
 * <p>For each member and cell one number counts: what the member reported as spent or still to be
 * spent, and what it was granted since. A cell counts until no window of a living member reaches
 * back to it. Nothing is granted in a cell when cells of one of its windows are forgotten: nothing
 * is granted after a clock is set back until it is where it was.
 */
public final class SliceLedger {
  /** No cell. */
  public static final long NONE = -1;

  /** How long a ledger is kept when no member reports. */
  private static final long KEPT_MICROS = 3_600_000_000L;

  private static final long AHEAD = 60;
  private static final long EXACT = 1L << 53;
  static final Granted LATE =
      new Granted(CellPartition.MOST, NONE, List.of(), NONE, SharedRemainder.NONE);

  /**
   * A member's report.
   *
   * @param member its name
   * @param number of its round; a report that is not above that of its last one is ignored
   * @param from the first cell reported: in later ones that are not in {@code uses} it spent
   *     nothing; for {@link CellPartition.Kind#STRICT} the first slot that is of use
   * @param uses the amounts it spent and may still spend, by cell
   * @param head the amount it lacks in one cell, all or nothing
   * @param wanted the amount it would like to have besides
   * @param barred the last cell in which nothing is granted, or {@link #NONE}
   * @param born when the ledger was created, as far as the member knows, or {@link #NONE}
   */
  public record Report(
      String member,
      long number,
      long from,
      List<CellAmount> uses,
      long head,
      long wanted,
      long barred,
      long born) {
    public Report {
      uses = List.copyOf(uses);
    }
  }

  /**
   * The answer to a member's report.
   *
   * @param capacity the lowest of living members
   * @param born when the ledger was created; {@link #NONE} if the report was late and ignored
   * @param parts the grants, at most one a cell, each ≥ 1
   * @param barred the last cell in which nothing is granted because what was spent there may be
   *     lost; {@link #NONE} when it is over
   * @param left the remainder over all members after these grants
   */
  public record Granted(
      long capacity, long born, List<CellAmount> parts, long barred, SharedRemainder left) {
    public Granted {
      parts = List.copyOf(parts);
    }
  }

  final SliceMembers sharers = new SliceMembers();
  final NavigableMap<Long, Long> totals = new TreeMap<>();
  final CellPartition partition;
  final SharedSpan days = new SharedSpan();
  final SharedBucket bucket = new SharedBucket();
  final SharedSlots slots = new SharedSlots();
  long known;
  long barred = NONE;
  private long born = NONE;
  private long heardAt;

  /** The cell that ran in the last round. */
  private long running;

  /** When a loss of an earlier ledger was last discovered. */
  private long lostAt = NONE;

  /** Creates an empty ledger. */
  public SliceLedger(CellPartition cellPartition) {
    this.partition = cellPartition;
  }

  /** Returns whether the member's cells are those of the others; days must begin together. */
  boolean fits(CellPartition other, long now) {
    if (other.kind() != CellPartition.Kind.DAY || !partition.sameKind(other)) {
      return partition.sameKind(other);
    }
    List<Long> midnights = other.midnights(now);
    boolean far = known < midnights.getFirst() || known > midnights.getLast();
    return far || midnights.contains(known);
  }

  /** Takes over the times of birth and loss from the ledger of another kind. */
  void follow(SliceLedger other) {
    born = other.born;
    lostAt = Math.max(lostAt, other.lostAt);
  }

  /**
   * Processes a member's report, and grants slices.
   *
   * @param at how the member divides the limit
   * @param now the shared clock, in microseconds
   * @param ttl how long a slice may be spent, and how long a silent member counts as living
   */
  public Granted round(Report report, CellPartition at, long now, long ttl) {
    return late(report) ? LATE : round(report, at, now, ttl, null);
  }

  /** Returns whether a later round of the member was processed before. */
  boolean late(Report report) {
    SliceMember before = sharers.get(report.member());
    return before != null && report.number() <= before.number;
  }

  /**
   * Processes a member's report, and grants slices.
   *
   * @param oldKindShares ledger of another kind that binds this one, or null
   */
  Granted round(
      Report report, CellPartition at, long now, long ttl, @Nullable OldKindShares oldKindShares) {
    heardAt = now;
    born = born == NONE ? now : born;
    lostAt = report.born() == NONE || report.born() == born ? lostAt : now;
    SliceMember member = sharers.record(report, at, now);
    sharers.bind(at, now, ttl);
    forgetSilent(now, ttl);
    barred = Math.max(barred, report.barred());
    fill(now, ttl);
    List<CellAmount> parts =
        partition.kind() == CellPartition.Kind.STRICT
            ? slots(member, report, now, ttl, oldKindShares)
            : cells(member, report, at, now, ttl, oldKindShares);
    SharedRemainder left = left(at, now, ttl);
    if (oldKindShares != null) {
      left = oldKindShares.counted(member, parts, left);
    }
    sharers.drop(known, now, ttl);
    boolean bars =
        switch (partition.kind()) {
          case CONCURRENCY, STRICT -> false;
          case FIXED, TRAILING, BUCKET, DAY, SPAN -> running(at, now) <= barred;
        };
    long last = bars ? barred : NONE;
    last = oldKindShares == null ? last : oldKindShares.lastBarred(last, running(at, now));
    return new Granted(sharers.capacity(), born, parts, last, left);
  }

  /** Returns whether slices that were granted before a loss may still be valid. */
  private boolean learning(long now, long ttl) {
    return lostAt != NONE && now < lostAt + ttl;
  }

  private List<CellAmount> slots(
      SliceMember member,
      Report report,
      long now,
      long ttl,
      @Nullable OldKindShares oldKindShares) {
    long bound = oldKindShares == null ? Long.MAX_VALUE : oldKindShares.begin(member, 0);
    CellPartition rate = sharers.slowest(now, ttl);
    if (rate == null || learning(now, ttl)) {
      return List.of();
    }
    long soonest = Math.max(barred + 1, now + SharedSlots.LEAD_MICROS);
    long from = Math.max(report.from(), soonest);
    long lacked = sharers.lacked(now, ttl);
    return slots.grant(rate, from, now + ttl, member, sharers, lacked, bound);
  }

  private List<CellAmount> cells(
      SliceMember member,
      Report report,
      CellPartition at,
      long now,
      long ttl,
      @Nullable OldKindShares oldKindShares) {
    long first = running(at, now);
    forget(first);
    if (member.hadOtherKind) {
      OldKindShares.takeBack(this, member, report, first);
    }
    long bound = oldKindShares == null ? Long.MAX_VALUE : oldKindShares.begin(member, first);
    count(member, report);
    running = running(at, now); // a report may show since when a span runs
    forget(running);
    List<CellAmount> parts =
        learning(now, ttl)
            ? List.of()
            : grant(member, allotment(cells(at, running, now, ttl)).within(bound), now, ttl);
    if (at.kind() == CellPartition.Kind.SPAN && !parts.isEmpty()) {
      days.begin(running);
    }
    return parts;
  }

  private void forget(long running) {
    known = Math.max(known, knownFrom(running));
    totals.headMap(known, false).clear();
  }

  /** Returns whether losing this ledger does no harm: nothing counts, and no member lives. */
  boolean idle(long now, long ttl) {
    for (SliceMember member : sharers.all()) {
      if (!member.silent(now, ttl) || counts(member.newest(ttl), member.partition.reach(), now)) {
        return false;
      }
    }
    return !counts(barred, 0, now) && slots.nextAt() <= now;
  }

  /** Returns whether this ledger can be dropped without any effect. */
  boolean ends(long now, long ttl) {
    return now - heardAt > KEPT_MICROS && idle(now, ttl);
  }

  private boolean counts(long cell, long reach, long now) {
    return switch (partition.kind()) {
      case CONCURRENCY, STRICT -> false;
      case FIXED, TRAILING, BUCKET -> cell + reach >= now / partition.cellMicros();
      case DAY ->
          cell != NONE && now < cell + 31 * CellPartition.SPAN_MICROS + 7_200_000_000L + reach;
      case SPAN -> cell != NONE && now < cell + CellPartition.SPAN_MICROS + reach;
    };
  }

  /** Clears what silent members lack and their permits, and counts their tokens out as spent. */
  private void forgetSilent(long now, long ttl) {
    for (SliceMember member : sharers.all()) {
      if (member.silent(now, ttl)) {
        member.lackedAtOnce = 0;
        if (partition.kind() == CellPartition.Kind.CONCURRENCY) {
          uncount(member, 0);
        }
        bucket.take(member.counted.getOrDefault(CellPartition.OUT, 0L));
        uncount(member, CellPartition.OUT);
      }
    }
  }

  long span() {
    return switch (partition.kind()) {
      case FIXED, CONCURRENCY, STRICT, DAY, SPAN -> 0;
      case TRAILING, BUCKET -> sharers.reach();
    };
  }

  /** Fills the bucket at the slowest rate of the living members. */
  private void fill(long now, long ttl) {
    CellPartition slowest = sharers.slowest(now, ttl);
    if (slowest != null && partition.kind() == CellPartition.Kind.BUCKET) {
      bucket.fill(slowest, now);
    }
  }

  /** Returns the running day and the next one, if known; each begins as late as its guard says. */
  private List<Long> days(CellPartition at, long now) {
    List<Long> midnights = at.midnights(now);
    int runs = 2;
    while (midnights.get(runs) + sharers.reach() > now) {
      runs--;
    }
    return midnights.subList(runs, Math.min(runs + 2, 4));
  }

  private long running(CellPartition at, long now) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> now / partition.cellMicros();
      case CONCURRENCY, STRICT -> 0;
      case DAY -> days(at, now).getFirst();
      case SPAN -> {
        long runs = days.running(totals, barred, sharers.reach(), now);
        known = Math.max(known, days.known());
        yield runs;
      }
    };
  }

  private long knownFrom(long running) {
    return partition.kind() == CellPartition.Kind.SPAN ? 0 : running - span();
  }

  void uncount(SliceMember member, long from) {
    NavigableMap<Long, Long> old = member.counted.tailMap(from, true);
    for (Map.Entry<Long, Long> entry : old.entrySet()) {
      add(entry.getKey(), -entry.getValue());
    }
    old.clear();
  }

  private void add(long cell, long amount) {
    if (partition.kind() == CellPartition.Kind.BUCKET && cell != CellPartition.OUT) {
      bucket.take(amount);
    } else if (totals.merge(cell, amount, Long::sum) == 0) {
      totals.remove(cell);
    }
  }

  private void count(SliceMember member, Report report) {
    member.counted.headMap(known, false).clear();
    uncount(member, report.from());
    for (CellAmount use : report.uses()) {
      if (use.cell() >= known && use.amount() > 0) {
        count(member, use.cell(), Math.min(use.amount(), CellPartition.MOST));
      }
    }
    bucket.settle();
  }

  void count(SliceMember member, long cell, long amount) {
    member.counted.merge(cell, amount, Long::sum);
    add(cell, amount);
  }

  private List<Long> cells(CellPartition at, long running, long now, long ttl) {
    List<Long> cells = new ArrayList<>();
    switch (partition.kind()) {
      case FIXED, TRAILING -> {
        long last = Math.min(running + AHEAD, (now + ttl) / partition.cellMicros());
        for (long cell = running; cell <= last; cell++) {
          cells.add(cell);
        }
      }
      case DAY -> {
        for (long day : days(at, now)) {
          if (day == running || day + sharers.reach() <= now + ttl) {
            cells.add(day);
          }
        }
      }
      case CONCURRENCY, STRICT, SPAN, BUCKET -> cells.add(running);
    }
    boolean endless = partition.kind() == CellPartition.Kind.CONCURRENCY;
    cells.removeIf(cell -> cell - span() < known || (cell <= barred && !endless));
    boolean bucket = partition.kind() == CellPartition.Kind.BUCKET && !cells.isEmpty();
    return bucket ? List.of(CellPartition.OUT) : cells;
  }

  private List<CellAmount> grant(
      SliceMember member, CellAllotment cellAllotment, long now, long ttl) {
    Map<Long, Long> parts =
        new SliceGranting(partition, sharers, cellAllotment, member)
            .grant(sharers.wanted(now, ttl), now + ttl / 4);
    List<CellAmount> granted = new ArrayList<>();
    parts.forEach(
        (cell, amount) -> {
          count(member, cell, amount);
          granted.add(new CellAmount(cell, amount));
        });
    return granted;
  }

  CellAllotment allotment(List<Long> cells) {
    return switch (partition.kind()) {
      case BUCKET -> CellAllotment.one(cells, missing(), sharers.capacity());
      case SPAN -> CellAllotment.one(cells, CellAllotment.sum(totals), sharers.capacity());
      default -> CellAllotment.windows(cells, totals, sharers.capacity(), span());
    };
  }

  private SharedRemainder left(CellPartition at, long now, long ttl) {
    if (partition.kind() == CellPartition.Kind.STRICT) {
      long slot = Math.max(slots.nextAt(), barred + 1);
      return new SharedRemainder(
          slot <= now + SharedSlots.LEAD_MICROS ? 1 : 0, Math.max(now, slot));
    }
    boolean endless = partition.kind() == CellPartition.Kind.CONCURRENCY;
    boolean open = endless || (running - span() >= known && running > barred);
    long used = allotment(List.of(running)).most(running);
    long free = open ? Math.max(0, sharers.capacity() - used) : 0;
    boolean full = free == sharers.capacity();
    return new SharedRemainder(
        free, full ? now : Math.min(EXACT - 1, fullAgain(at, used, now, ttl)));
  }

  private long fullAgain(CellPartition at, long used, long now, long ttl) {
    long last = totals.isEmpty() ? barred : Math.max(barred, totals.lastKey());
    return switch (partition.kind()) {
      case FIXED -> (Math.max(running, barred) + 1) * at.cellMicros();
      case TRAILING -> (last + span() + 1) * at.cellMicros();
      case DAY -> days(at, now).get(1) + sharers.reach();
      case SPAN -> running + CellPartition.SPAN_MICROS + sharers.reach();
      case BUCKET -> {
        CellPartition rate = Objects.requireNonNull(sharers.slowest(now, ttl), "who asks lives");
        double parts = rate.seconds() * 1_000_000;
        double filled = now + Math.ceil(used * parts / rate.releases());
        yield Math.max((long) filled, (barred + span() + 1) * at.cellMicros());
      }
      case CONCURRENCY, STRICT -> now;
    };
  }

  private long missing() {
    return bucket.missing() + totals.getOrDefault(CellPartition.OUT, 0L);
  }
}
