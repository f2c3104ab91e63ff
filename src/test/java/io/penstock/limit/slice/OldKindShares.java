package io.penstock.limit.slice;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ledger of the slices of a limit's old kind, in one round of a member that has the new kind.
 * Either they bind the member, and what it spends counts in them, or what was spent of them is
 * taken over.
 */
final class OldKindShares {
  /** A living member is heard within 15 minutes, which is less than this. */
  private static final long STAYS_MICROS = 1_000_000_000L;

  private static final long HOUR_MICROS = 3_600_000_000L;

  private final SliceLedger host;
  private final SliceLedger guest;
  private final SliceLedger.Report report;
  private final CellPartition asked;
  private final long durationMicros;
  private final long now;
  private final long ttl;

  /** Members that are known to have the old kind still, by name. */
  private final Map<String, SliceMember> others = new LinkedHashMap<>();

  /** The member's own record of the old kind, if it had that until now. */
  private final @Nullable SliceMember joins;

  private final boolean binds;

  /**
   * The running cell, the number of further cells in which it counts, and the first cell that
   * counts.
   */
  private long running;

  private long span;
  private long from;

  private @Nullable CellPartition rate;
  private long bound = Long.MAX_VALUE;
  private long countedBefore;

  OldKindShares(
      SliceLedger host,
      SliceLedger guest,
      SliceLedger.Report report,
      CellPartition asked,
      long durationMicros,
      long now,
      long ttl) {
    this.host = host;
    this.guest = guest;
    this.report = report;
    this.asked = asked;
    this.durationMicros = durationMicros;
    this.now = now;
    this.ttl = ttl;
    host.sharers.byName().forEach(this::see);
    SliceMember before = host.sharers.get(report.member());
    this.joins = before != null && stays(report.member(), before) ? before : null;
    this.binds = others.values().stream().anyMatch(this::recent);
  }

  private void see(String name, SliceMember member) {
    if (!name.equals(report.member()) && stays(name, member)) {
      others.put(name, member);
    }
  }

  /** Returns whether a member had the old kind in its last round. */
  private boolean stays(String name, SliceMember member) {
    SliceMember here = guest.sharers.get(name);
    return here == null || here.number < member.number;
  }

  private boolean recent(SliceMember member) {
    return now - member.lastReportAt <= STAYS_MICROS;
  }

  private CellPartition.Kind kind() {
    return host.partition.kind();
  }

  /** Returns whether the old kind binds: a member that may be living still has it. */
  boolean binds() {
    return binds;
  }

  /**
   * Begins the round: what the member spent of the old kind comes along.
   *
   * @param member the member that asks
   * @param cell the running cell of the new kind
   * @return the most that may be granted
   */
  long begin(SliceMember member, long cell) {
    host.follow(guest);
    look();
    bound = binds ? room() : Long.MAX_VALUE;
    if (joins != null) {
      join(joins, member, cell);
    }
    if (!binds) {
      takeOver(cell);
    }
    countedBefore = sum(member.counted.tailMap(guest.known, true));
    return bound;
  }

  private static long sum(Map<Long, Long> cells) {
    return cells.values().stream().mapToLong(Long::longValue).sum();
  }

  private void look() {
    long reach =
        host.sharers.all().stream().mapToLong(each -> each.partition.reach()).max().orElse(0);
    rate = host.sharers.slowestEver();
    switch (kind()) {
      case DAY -> {
        running = day(reach);
        from = running;
        return;
      }
      case SPAN -> {
        running = host.days.running(host.totals, host.barred, reach, now);
        host.known = Math.max(host.known, host.days.known());
      }
      case FIXED -> cell(0);
      case TRAILING -> cell(reach);
      case BUCKET -> {
        host.bucket.fill(rate(), now);
        cell(reach);
      }
      case CONCURRENCY, STRICT -> {}
    }
    from = host.known;
    host.totals.headMap(from, false).clear();
  }

  private void cell(long reach) {
    span = reach;
    running = now / host.partition.cellMicros();
    host.known = Math.max(host.known, running - span);
  }

  /**
   * Returns the running day of the old kind. Only its members know when its days begin: unless they
   * are days of UTC, a day is waited for as if it had 25 hours.
   */
  private long day(long reach) {
    long each = Math.max(CellPartition.SPAN_MICROS, durationMicros);
    boolean utc = host.known % CellPartition.SPAN_MICROS == 0;
    long late = reach + (utc ? 0 : HOUR_MICROS);
    return host.known + Math.max(0, now - late - host.known) / each * each;
  }

  private CellPartition rate() {
    return Objects.requireNonNull(rate, "shares without members");
  }

  /**
   * Returns the last barred cell of the new kind. While the running cell of the old kind is barred
   * because of a loss, and the old kind binds, that is at least the running one.
   *
   * @param last the last cell that is barred anyway, or {@link SliceLedger#NONE}
   */
  long lastBarred(long last, long cell) {
    return switch (asked.kind()) {
      case CONCURRENCY, STRICT -> last;
      case FIXED, TRAILING, BUCKET, DAY, SPAN -> binds && lost() ? Math.max(last, cell) : last;
    };
  }

  private boolean lost() {
    return switch (kind()) {
      case CONCURRENCY, STRICT -> false;
      case FIXED, TRAILING, BUCKET, DAY, SPAN -> running <= host.barred;
    };
  }

  private boolean barred() {
    return switch (kind()) {
      case CONCURRENCY, STRICT -> false;
      case FIXED, TRAILING, BUCKET, DAY, SPAN -> lost() || running - span < host.known;
    };
  }

  private long room() {
    if (kind() == CellPartition.Kind.STRICT) {
      long slot = Math.max(now, Math.max(host.slots.nextAt(), host.barred + 1));
      long living = host.sharers.all().stream().filter(each -> !each.silent(now, ttl)).count();
      long free = SharedSlots.free(rate(), now + ttl - slot);
      return slot > now + ttl ? 0 : Math.max(1, free / Math.max(1, 2 * living));
    }
    if (barred()) {
      return 0;
    }
    long most = asked.kind() == CellPartition.Kind.STRICT ? CellPartition.MOST : asked.capacity();
    for (SliceMember other : others.values()) {
      most = recent(other) ? Math.min(most, other.partition.capacity()) : most;
    }
    long free = Math.max(0, most - used());
    for (SliceMember other : others.values()) {
      long kept = other.silent(now, ttl) ? 0 : Math.min(other.lackedAtOnce, most);
      free = Math.max(0, free - kept);
    }
    return free;
  }

  private long used() {
    List<Long> cells = List.of(running);
    return switch (kind()) {
      case BUCKET -> host.bucket.missing() + host.totals.getOrDefault(CellPartition.OUT, 0L);
      case SPAN -> CellAllotment.sum(host.totals);
      default -> CellAllotment.windows(cells, host.totals, 0, span).most(running);
    };
  }

  /** Returns what counts of a member in the running window. */
  private long counting(SliceMember member) {
    boolean free = kind() == CellPartition.Kind.CONCURRENCY && member.silent(now, ttl);
    return free || kind() == CellPartition.Kind.STRICT
        ? 0
        : Math.min(CellPartition.MOST, sum(member.counted.tailMap(from, true)));
  }

  /** Counts what the member had spent in the running cell, until it reports when that was. */
  private void join(SliceMember before, SliceMember member, long cell) {
    if (asked.kind() == CellPartition.Kind.BUCKET) {
      long out = member.counted.getOrDefault(CellPartition.OUT, 0L);
      guest.uncount(member, CellPartition.OUT);
      guest.bucket.take(out);
    } else {
      guest.uncount(member, guest.known);
    }
    member.counted.clear();
    long sum = counting(before);
    if (sum > 0 && asked.kind() != CellPartition.Kind.STRICT) {
      place(guest, member, report, cell, sum);
    }
  }

  /**
   * Counts an amount in the running cell. A member that does not know of its 24 h yet reports
   * nothing of them, but from when on it spent nothing: what it had spent counts before that.
   */
  private static void place(
      SliceLedger sliceLedger,
      SliceMember member,
      SliceLedger.Report report,
      long cell,
      long amount) {
    boolean knows =
        sliceLedger.partition.kind() != CellPartition.Kind.SPAN
            || !report.uses().isEmpty()
            || report.from() == 0;
    long before = Math.max(sliceLedger.known, Math.min(cell, report.from() - 1));
    sliceLedger.count(member, knows ? cell : before, amount);
  }

  /** Records that a member has this kind again: what counted here stays until it reports more. */
  static void takeBack(
      SliceLedger sliceLedger, SliceMember member, SliceLedger.Report report, long cell) {
    member.hadOtherKind = false;
    if (sliceLedger.partition.kind() == CellPartition.Kind.SPAN) {
      long sum = sum(member.counted.tailMap(sliceLedger.known, true));
      sliceLedger.uncount(member, sliceLedger.known);
      member.counted.clear();
      if (sum > 0) {
        place(sliceLedger, member, report, cell, sum);
      }
    }
  }

  private void takeOver(long cell) {
    boolean cells =
        asked.kind() != CellPartition.Kind.STRICT && asked.kind() != CellPartition.Kind.CONCURRENCY;
    others.forEach(
        (name, other) -> {
          long sum = cells ? counting(other) : 0;
          if (sum > 0) {
            guest.count(takenOver(name, other), cell, sum);
          }
        });
    if (kind() == CellPartition.Kind.STRICT && asked.kind() == CellPartition.Kind.BUCKET) {
      guest.bucket.take(host.slots.ahead(rate(), now));
    }
    if (cells && barred()) {
      guest.barred = Math.max(guest.barred, cell);
    }
  }

  private SliceMember takenOver(String name, SliceMember other) {
    SliceMember here = guest.sharers.get(name);
    if (here == null) {
      here = guest.sharers.add(name, asked);
      here.number = other.number;
      here.lastReportAt = other.lastReportAt;
    }
    return here;
  }

  /** Ends the round: returns what is left now that this was granted. */
  SharedRemainder counted(SliceMember member, List<CellAmount> parts, SharedRemainder left) {
    if (!binds) {
      return left;
    }
    long granted = parts.stream().mapToLong(CellAmount::amount).sum();
    boolean slots = asked.kind() == CellPartition.Kind.STRICT;
    count(slots ? granted : sum(member.counted) - countedBefore);
    return new SharedRemainder(
        Math.min(left.amount(), Math.max(0, bound - granted)), left.fullMicros());
  }

  /**
   * Counts here what the member spent, as if it had the old kind. Amounts returned to a bucket or
   * to slots do not come back: others may have used it since.
   */
  private void count(long spent) {
    SliceMember known = host.sharers.get(report.member());
    CellPartition like = (known == null ? others.values().iterator().next() : known).partition;
    boolean sameUnit =
        kind() != CellPartition.Kind.STRICT && asked.kind() != CellPartition.Kind.STRICT;
    SliceMember member = host.sharers.add(report.member(), like);
    member.partition = sameUnit ? holding(like, asked.capacity()) : like;
    member.number = report.number();
    member.lastReportAt = now;
    member.wanted = 0;
    member.lackedAtOnce = 0;
    member.hadOtherKind = true;
    member.counted.headMap(host.known, false).clear();
    Long out = member.counted.remove(CellPartition.OUT);
    if (out != null) { // the member may have spent them
      add(host.totals, CellPartition.OUT, -out);
      host.bucket.take(out);
    }
    switch (kind()) {
      case BUCKET -> host.bucket.take(Math.max(0, spent));
      case STRICT -> host.slots.use(rate(), spent, now);
      default -> {
        long change = Math.max(spent, -member.counted.getOrDefault(running, 0L));
        add(member.counted, running, change);
        add(host.totals, running, change);
      }
    }
  }

  private static void add(Map<Long, Long> cells, long cell, long amount) {
    if (amount != 0 && cells.merge(cell, amount, Long::sum) <= 0) {
      cells.remove(cell);
    }
  }

  private static CellPartition holding(CellPartition like, long capacity) {
    return new CellPartition(
        like.kind(),
        like.cellMicros(),
        like.reach(),
        capacity,
        like.releases(),
        like.seconds(),
        like.fillMicros(),
        like.midnight());
  }
}
