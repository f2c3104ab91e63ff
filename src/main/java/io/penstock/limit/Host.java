package io.penstock.limit;

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
final class Host {
  /** A living member is heard within 15 minutes, which is less than this. */
  private static final long STAYS_MICROS = 1_000_000_000L;

  private static final long HOUR_MICROS = 3_600_000_000L;

  private final Shares host;
  private final Shares guest;
  private final Shares.Report report;
  private final Partition asked;
  private final long durationMicros;
  private final long now;
  private final long ttl;

  /** Members that are known to have the old kind still, by name. */
  private final Map<String, Sharer> others = new LinkedHashMap<>();

  /** The member's own record of the old kind, if it had that until now. */
  private final @Nullable Sharer joins;

  private final boolean binds;

  /**
   * The running cell, the number of further cells in which it counts, and the first cell that
   * counts.
   */
  private long running;

  private long span;
  private long from;

  private @Nullable Partition rate;
  private long bound = Long.MAX_VALUE;
  private long countedBefore;

  Host(
      Shares host,
      Shares guest,
      Shares.Report report,
      Partition asked,
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
    Sharer before = host.sharers.get(report.member());
    this.joins = before != null && stays(report.member(), before) ? before : null;
    this.binds = others.values().stream().anyMatch(this::recent);
  }

  private void see(String name, Sharer member) {
    if (!name.equals(report.member()) && stays(name, member)) {
      others.put(name, member);
    }
  }

  /** Returns whether a member had the old kind in its last round. */
  private boolean stays(String name, Sharer member) {
    Sharer here = guest.sharers.get(name);
    return here == null || here.number < member.number;
  }

  private boolean recent(Sharer member) {
    return now - member.heard <= STAYS_MICROS;
  }

  private Partition.Kind kind() {
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
  long begin(Sharer member, long cell) {
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
    long each = Math.max(Partition.SPAN_MICROS, durationMicros);
    boolean utc = host.known % Partition.SPAN_MICROS == 0;
    long late = reach + (utc ? 0 : HOUR_MICROS);
    return host.known + Math.max(0, now - late - host.known) / each * each;
  }

  private Partition rate() {
    return Objects.requireNonNull(rate, "shares without members");
  }

  /**
   * Returns the last barred cell of the new kind. While the running cell of the old kind is barred
   * because of a loss, and the old kind binds, that is at least the running one.
   *
   * @param last the last cell that is barred anyway, or {@link Shares#NONE}
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
    if (kind() == Partition.Kind.STRICT) {
      long slot = Math.max(now, Math.max(host.slots.nextAt(), host.barred + 1));
      long living = host.sharers.all().stream().filter(each -> !each.silent(now, ttl)).count();
      long free = SharedSlots.free(rate(), now + ttl - slot);
      return slot > now + ttl ? 0 : Math.max(1, free / Math.max(1, 2 * living));
    }
    if (barred()) {
      return 0;
    }
    long most = asked.kind() == Partition.Kind.STRICT ? Partition.MOST : asked.capacity();
    for (Sharer other : others.values()) {
      most = recent(other) ? Math.min(most, other.partition.capacity()) : most;
    }
    long free = Math.max(0, most - used());
    for (Sharer other : others.values()) {
      long kept = other.silent(now, ttl) ? 0 : Math.min(other.head, most);
      free = Math.max(0, free - kept);
    }
    return free;
  }

  private long used() {
    List<Long> cells = List.of(running);
    return switch (kind()) {
      case BUCKET -> host.bucket.missing() + host.totals.getOrDefault(Partition.OUT, 0L);
      case SPAN -> Allotment.sum(host.totals);
      default -> Allotment.windows(cells, host.totals, 0, span).most(running);
    };
  }

  /** Returns what counts of a member in the running window. */
  private long counting(Sharer member) {
    boolean free = kind() == Partition.Kind.CONCURRENCY && member.silent(now, ttl);
    return free || kind() == Partition.Kind.STRICT
        ? 0
        : Math.min(Partition.MOST, sum(member.counted.tailMap(from, true)));
  }

  /** Counts what the member had spent in the running cell, until it reports when that was. */
  private void join(Sharer before, Sharer member, long cell) {
    if (asked.kind() == Partition.Kind.BUCKET) {
      long out = member.counted.getOrDefault(Partition.OUT, 0L);
      guest.uncount(member, Partition.OUT);
      guest.bucket.take(out);
    } else {
      guest.uncount(member, guest.known);
    }
    member.counted.clear();
    long sum = counting(before);
    if (sum > 0 && asked.kind() != Partition.Kind.STRICT) {
      place(guest, member, report, cell, sum);
    }
  }

  /**
   * Counts an amount in the running cell. A member that does not know of its 24 h yet reports
   * nothing of them, but from when on it spent nothing: what it had spent counts before that.
   */
  private static void place(
      Shares shares, Sharer member, Shares.Report report, long cell, long amount) {
    boolean knows =
        shares.partition.kind() != Partition.Kind.SPAN
            || !report.uses().isEmpty()
            || report.from() == 0;
    long before = Math.max(shares.known, Math.min(cell, report.from() - 1));
    shares.count(member, knows ? cell : before, amount);
  }

  /** Records that a member has this kind again: what counted here stays until it reports more. */
  static void takeBack(Shares shares, Sharer member, Shares.Report report, long cell) {
    member.elsewhere = false;
    if (shares.partition.kind() == Partition.Kind.SPAN) {
      long sum = sum(member.counted.tailMap(shares.known, true));
      shares.uncount(member, shares.known);
      member.counted.clear();
      if (sum > 0) {
        place(shares, member, report, cell, sum);
      }
    }
  }

  private void takeOver(long cell) {
    boolean cells =
        asked.kind() != Partition.Kind.STRICT && asked.kind() != Partition.Kind.CONCURRENCY;
    others.forEach(
        (name, other) -> {
          long sum = cells ? counting(other) : 0;
          if (sum > 0) {
            guest.count(takenOver(name, other), cell, sum);
          }
        });
    if (kind() == Partition.Kind.STRICT && asked.kind() == Partition.Kind.BUCKET) {
      guest.bucket.take(host.slots.ahead(rate(), now));
    }
    if (cells && barred()) {
      guest.barred = Math.max(guest.barred, cell);
    }
  }

  private Sharer takenOver(String name, Sharer other) {
    Sharer here = guest.sharers.get(name);
    if (here == null) {
      here = guest.sharers.add(name, asked);
      here.number = other.number;
      here.heard = other.heard;
    }
    return here;
  }

  /** Ends the round: returns what is left now that this was granted. */
  Remainder counted(Sharer member, List<Shares.Part> parts, Remainder left) {
    if (!binds) {
      return left;
    }
    long granted = parts.stream().mapToLong(Shares.Part::amount).sum();
    boolean slots = asked.kind() == Partition.Kind.STRICT;
    count(slots ? granted : sum(member.counted) - countedBefore);
    return new Remainder(Math.min(left.amount(), Math.max(0, bound - granted)), left.fullMicros());
  }

  /**
   * Counts here what the member spent, as if it had the old kind. What it returns to a bucket or to
   * slots does not come back: others may have used it since.
   */
  private void count(long spent) {
    Sharer known = host.sharers.get(report.member());
    Partition like = (known == null ? others.values().iterator().next() : known).partition;
    boolean sameUnit = kind() != Partition.Kind.STRICT && asked.kind() != Partition.Kind.STRICT;
    Sharer member = host.sharers.add(report.member(), like);
    member.partition = sameUnit ? like.holding(asked.capacity()) : like;
    member.number = report.number();
    member.heard = now;
    member.wanted = 0;
    member.head = 0;
    member.elsewhere = true;
    member.counted.headMap(host.known, false).clear();
    Long out = member.counted.remove(Partition.OUT);
    if (out != null) { // the member may have spent them
      add(host.totals, Partition.OUT, -out);
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
}
