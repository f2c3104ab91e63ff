package io.penstock.limit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What the members that share one limit were granted and have spent, by cell, and who lacks what:
 * the arithmetic of slices. Belongs to one thread at a time. The same in Lua is {@code grant.lua}
 * of room {@code sync}; both answer alike.
 *
 * <p>Of a member in a cell one number counts: what it said it spent or may still spend, and what
 * was granted to it since. A cell counts until no window that any living member knows reaches back
 * to it. Nothing is granted in a cell one of whose windows has forgotten cells in it, so a clock
 * that is set back grants nothing until it is where it was.
 */
public final class Shares {
  /** What amounts and capacities are cut to: thousands of them add up exactly in a double. */
  public static final long MOST = 1L << 43;

  /** No cell. */
  public static final long NONE = -1;

  private static final long AHEAD = 60;

  /**
   * An amount in a cell.
   *
   * @param cell its number
   * @param amount ≥ 0
   */
  public record Part(long cell, long amount) {}

  /**
   * What a member says.
   *
   * @param member which one
   * @param number of its round: of none above that of its last one, nothing is taken notice
   * @param from the first cell reported: in later ones that are not in {@code uses} it spent
   *     nothing
   * @param uses what it spent and may still spend, by cell
   * @param head what it lacks in one cell, all or nothing
   * @param wanted what it would like to have besides
   * @param barred the last cell in which nothing is granted, or {@link #NONE}
   */
  public record Report(
      String member, long number, long from, List<Part> uses, long head, long wanted, long barred) {
    public Report {
      uses = List.copyOf(uses);
    }
  }

  /**
   * What it is granted.
   *
   * @param capacity the lowest of living members
   * @param parts at most one a cell, each ≥ 1
   */
  public record Granted(long capacity, List<Part> parts) {
    public Granted {
      parts = List.copyOf(parts);
    }
  }

  private final Map<String, Sharer> members = new LinkedHashMap<>();
  private final NavigableMap<Long, Long> totals = new TreeMap<>();
  private Partition partition;
  private long known;
  private long barred = NONE;
  private long turns;
  private long anchor = NONE;
  private SharedBucket bucket = new SharedBucket();

  private long capacity;
  private long reach;
  private int living;

  /** Makes shares of which none is granted. */
  public Shares(Partition partition) {
    this.partition = partition;
  }

  /** Returns whether the member's cells are those of the others. */
  public boolean fits(Partition other) {
    return partition.fits(other);
  }

  /**
   * Takes in what a member says, and grants.
   *
   * @param at how the member cuts the limit
   * @param now the shared clock, in microseconds
   * @param ttl how long a slice may be spent, and how long a member lives that is silent
   * @throws IllegalArgumentException when others cut it in cells of another kind or length
   */
  public Granted round(Report report, Partition at, long now, long ttl) {
    if (!partition.fits(at)) {
      restart(at, now, ttl);
    }
    Sharer member = members.get(report.member());
    if (member != null && report.number() <= member.number) {
      bind(at, now, ttl);
      return new Granted(capacity, List.of());
    }
    if (member == null) {
      member = new Sharer(at);
      members.put(report.member(), member);
    }
    hear(member, report, at, now);
    bind(at, now, ttl);
    forgetSilent(now, ttl);
    barred = Math.max(barred, report.barred());
    fill(now, ttl);
    long running = running(at, now);
    known = Math.max(known, knownFrom(running));
    totals.headMap(known, false).clear();
    count(member, report);
    running = running(at, now); // a report may say since when a span runs
    known = Math.max(known, knownFrom(running));
    totals.headMap(known, false).clear();
    List<Part> parts = grant(member, cells(at, running, now, ttl), now, ttl);
    if (at.kind() == Partition.Kind.SPAN && !parts.isEmpty()) {
      anchor = running;
    }
    drop(now, ttl);
    return new Granted(capacity, parts);
  }

  private void restart(Partition at, long now, long ttl) {
    if (!idle(now, ttl)) {
      throw new IllegalArgumentException(
          "it is cut in cells of %s %d µs, expected %s %d µs as other members say"
              .formatted(at.kind(), at.cellMicros(), partition.kind(), partition.cellMicros()));
    }
    members.clear();
    totals.clear();
    partition = at;
    known = 0;
    barred = NONE;
    anchor = NONE;
    bucket = new SharedBucket();
  }

  /** Returns whether nothing is lost when these shares are: nothing counts, and nobody lives. */
  public boolean idle(long now, long ttl) {
    for (Sharer member : members.values()) {
      if (!member.silent(now, ttl) || counts(member.newest(), member.partition.reach(), now)) {
        return false;
      }
    }
    return !counts(barred, 0, now);
  }

  private boolean counts(long cell, long reach, long now) {
    return switch (partition.kind()) {
      case CONCURRENCY -> false;
      case FIXED, TRAILING, BUCKET -> cell + reach >= now / partition.cellMicros();
      case DAY -> cell != NONE && now < cell + 31 * Partition.SPAN_MICROS + 7_200_000_000L + reach;
      case SPAN -> cell != NONE && now < cell + Partition.SPAN_MICROS + reach;
    };
  }

  private void hear(Sharer member, Report report, Partition at, long now) {
    member.partition = at;
    member.number = report.number();
    member.heard = now;
    member.wanted = Math.min(report.wanted(), MOST);
    if (report.head() > 0 && member.head == 0) {
      turns++;
      member.turn = turns;
    }
    member.head = Math.min(report.head(), MOST);
  }

  /** The lowest capacity and the largest reach of the living. */
  private void bind(Partition at, long now, long ttl) {
    capacity = MOST;
    reach = 0;
    living = 0;
    for (Sharer member : members.values()) {
      if (!member.silent(now, ttl)) {
        capacity = Math.min(capacity, member.partition.capacity());
        reach = Math.max(reach, member.partition.reach());
        living++;
      }
    }
    if (living == 0) {
      capacity = at.capacity();
    }
  }

  /** Who is silent waits for nothing, and holds no permit. */
  private void forgetSilent(long now, long ttl) {
    for (Sharer member : members.values()) {
      if (member.silent(now, ttl)) {
        member.head = 0;
        if (partition.kind() == Partition.Kind.CONCURRENCY) {
          uncount(member, 0);
        }
      }
    }
  }

  private long span() {
    return switch (partition.kind()) {
      case FIXED, CONCURRENCY, DAY, SPAN -> 0;
      case TRAILING, BUCKET -> reach;
    };
  }

  /** The slowest rate of the living fills the bucket. */
  private void fill(long now, long ttl) {
    Partition slowest = null;
    for (Sharer member : members.values()) {
      boolean slower = slowest == null || member.partition.slowerThan(slowest);
      if (!member.silent(now, ttl) && slower) {
        slowest = member.partition;
      }
    }
    if (slowest != null && partition.kind() == Partition.Kind.BUCKET) {
      bucket.fill(slowest, now);
    }
  }

  private long running(Partition at, long now) {
    return switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> now / partition.cellMicros();
      case CONCURRENCY -> 0;
      case DAY -> at.days(now, reach).getFirst();
      case SPAN -> {
        if (anchor == NONE || now >= anchor + Partition.SPAN_MICROS + reach) {
          anchor = Math.max(barred, totals.isEmpty() ? NONE : totals.lastKey());
        }
        if (anchor != NONE && now >= anchor + Partition.SPAN_MICROS + reach) {
          anchor = NONE;
        }
        yield anchor == NONE ? now : anchor;
      }
    };
  }

  private long knownFrom(long running) {
    boolean begins = partition.kind() == Partition.Kind.SPAN && anchor == NONE;
    return begins ? 0 : running - span();
  }

  private void uncount(Sharer member, long from) {
    NavigableMap<Long, Long> old = member.counted.tailMap(from, true);
    for (Map.Entry<Long, Long> entry : old.entrySet()) {
      add(entry.getKey(), -entry.getValue());
    }
    old.clear();
  }

  private void add(long cell, long amount) {
    if (partition.kind() == Partition.Kind.BUCKET) {
      bucket.take(amount);
    } else if (totals.merge(cell, amount, Long::sum) == 0) {
      totals.remove(cell);
    }
  }

  private void count(Sharer member, Report report) {
    member.counted.headMap(known, false).clear();
    uncount(member, report.from());
    for (Part use : report.uses()) {
      if (use.cell() >= known && use.amount() > 0) {
        count(member, use.cell(), Math.min(use.amount(), MOST));
      }
    }
    bucket.settle();
  }

  private void count(Sharer member, long cell, long amount) {
    member.counted.merge(cell, amount, Long::sum);
    add(cell, amount);
  }

  private List<Long> cells(Partition at, long running, long now, long ttl) {
    List<Long> cells = new ArrayList<>();
    switch (partition.kind()) {
      case FIXED, TRAILING, BUCKET -> {
        long last = Math.min(running + AHEAD, (now + ttl) / partition.cellMicros());
        for (long cell = running; cell <= last; cell++) {
          cells.add(cell);
        }
      }
      case DAY -> {
        for (long day : at.days(now, reach)) {
          if (day == running || day + reach <= now + ttl) {
            cells.add(day);
          }
        }
      }
      case CONCURRENCY, SPAN -> cells.add(running);
    }
    boolean endless = partition.kind() == Partition.Kind.CONCURRENCY;
    cells.removeIf(cell -> cell - span() < known || (cell <= barred && !endless));
    return cells;
  }

  private List<Part> grant(Sharer member, List<Long> cells, long now, long ttl) {
    Allotment allotment =
        partition.kind() == Partition.Kind.BUCKET
            ? Allotment.bucket(cells, bucket.missing(), capacity)
            : Allotment.windows(cells, totals, capacity, span());
    Map<Long, Long> parts = new TreeMap<>();
    long turn = member.head > 0 ? member.turn : Long.MAX_VALUE;
    if (keepForHeads(allotment, 0, turn) && grantHead(member, allotment, parts)) {
      if (keepForHeads(allotment, turn, Long.MAX_VALUE)) {
        grantWanted(member, allotment, parts, wanted(now, ttl));
      }
    }
    List<Part> granted = new ArrayList<>();
    parts.forEach((cell, amount) -> granted.add(new Part(cell, amount)));
    return granted;
  }

  /** Whether who lacks too much in one cell waits for room that comes bit by bit, or for a cell. */
  private boolean bitByBit() {
    return switch (partition.kind()) {
      case TRAILING, CONCURRENCY, BUCKET -> true;
      case FIXED, DAY, SPAN -> false;
    };
  }

  /**
   * Keeps room for those whose turn is between two, oldest first; returns whether there is any left
   * that others may have.
   */
  private boolean keepForHeads(Allotment allotment, long after, long before) {
    List<Sharer> heads = new ArrayList<>();
    for (Sharer member : members.values()) {
      if (member.head > 0 && member.turn > after && member.turn < before) {
        heads.add(member);
      }
    }
    heads.sort(Comparator.comparingLong(head -> head.turn));
    for (Sharer head : heads) {
      if (!allotment.keepFirst(Math.min(head.head, capacity)) && bitByBit()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the member may have more besides. */
  private boolean grantHead(Sharer member, Allotment allotment, Map<Long, Long> parts) {
    long head = Math.min(member.head, capacity);
    if (head == 0) {
      return true;
    }
    long cell = allotment.first(head);
    if (cell == NONE) {
      return !bitByBit();
    }
    grant(member, allotment, cell, head, parts);
    member.head = 0;
    return true;
  }

  private void grant(
      Sharer member, Allotment allotment, long cell, long amount, Map<Long, Long> parts) {
    allotment.keep(cell, amount);
    count(member, cell, amount);
    parts.merge(cell, amount, Long::sum);
  }

  private long wanted(long now, long ttl) {
    long sum = 0;
    for (Sharer member : members.values()) {
      sum = Math.min(MOST, sum + (member.silent(now, ttl) ? 0 : member.wanted));
    }
    return sum;
  }

  /** When there is less than all want, nobody but who is alone gets more than a part of it. */
  private void grantWanted(
      Sharer member, Allotment allotment, Map<Long, Long> parts, long wantedByAll) {
    long left = member.wanted;
    for (long cell : allotment.cells()) {
      long room = allotment.room(cell);
      boolean scarce = living > 1 && wantedByAll > room;
      long most = scarce ? Math.max(1, room / (2L * living)) : room;
      long amount = Math.min(left, Math.min(room, most));
      if (amount > 0) {
        grant(member, allotment, cell, amount, parts);
        left -= amount;
      }
    }
  }

  private void drop(long now, long ttl) {
    members.values().removeIf(member -> member.silent(now, ttl) && member.newest() < known);
  }
}
