package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The members that share one limit, and totals over the living ones. */
final class SliceMembers {
  private final Map<String, SliceMember> members = new LinkedHashMap<>();
  private long turns;
  private long capacity;
  private long reach;
  private int living;

  /** Returns a member, or null if it was never heard. */
  @Nullable SliceMember get(String name) {
    return members.get(name);
  }

  Collection<SliceMember> all() {
    return members.values();
  }

  Map<String, SliceMember> byName() {
    return members;
  }

  /** Records a member's report, and what it lacks. */
  SliceMember record(SliceLedger.Report report, CellPartition at, long now) {
    SliceMember member = add(report.member(), at);
    member.partition = at;
    member.number = report.number();
    member.lastReportAt = now;
    member.wanted = Math.min(report.wanted(), CellPartition.MOST);
    if (report.head() > 0 && member.lackedAtOnce == 0) {
      turns++;
      member.turn = turns;
    }
    member.lackedAtOnce = Math.min(report.head(), CellPartition.MOST);
    return member;
  }

  /** Finds the lowest capacity, the largest reach and the number of living members. */
  void bind(CellPartition at, long now, long ttl) {
    capacity = CellPartition.MOST;
    reach = 0;
    living = 0;
    for (SliceMember member : members.values()) {
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

  /** Returns the lowest capacity of the living members, as of the last {@link #bind}. */
  long capacity() {
    return capacity;
  }

  /** Returns the largest reach of the living members, as of the last {@link #bind}. */
  long reach() {
    return reach;
  }

  /** Returns the number of living members, as of the last {@link #bind}. */
  int living() {
    return living;
  }

  /** Returns the cells of the living member with the lowest rate, or null. */
  @Nullable CellPartition slowest(long now, long ttl) {
    CellPartition slowest = null;
    for (SliceMember member : members.values()) {
      boolean slower = slowest == null || rate(member.partition) < rate(slowest);
      if (!member.silent(now, ttl) && slower) {
        slowest = member.partition;
      }
    }
    return slowest;
  }

  /** Returns the cells of the member with the lowest rate, living or not, or null. */
  @Nullable CellPartition slowestEver() {
    CellPartition slowest = null;
    for (SliceMember member : members.values()) {
      boolean slower = slowest == null || rate(member.partition) < rate(slowest);
      slowest = slower ? member.partition : slowest;
    }
    return slowest;
  }

  private static double rate(CellPartition partition) {
    return (double) partition.releases() / partition.seconds();
  }

  /** Returns the member with that name, and adds it if there is none. */
  SliceMember add(String name, CellPartition at) {
    return members.computeIfAbsent(name, absent -> new SliceMember(at));
  }

  /** Returns the members that lack something and have a turn between two others, oldest first. */
  List<SliceMember> heads(long after, long before) {
    List<SliceMember> heads = new ArrayList<>();
    for (SliceMember member : members.values()) {
      if (member.lackedAtOnce > 0 && member.turn > after && member.turn < before) {
        heads.add(member);
      }
    }
    heads.sort(Comparator.comparingLong(head -> head.turn));
    return heads;
  }

  /** Returns what all living members want ahead of need. */
  long wanted(long now, long ttl) {
    long sum = 0;
    for (SliceMember member : members.values()) {
      sum = Math.min(CellPartition.MOST, sum + (member.silent(now, ttl) ? 0 : member.wanted));
    }
    return sum;
  }

  /** Returns what all living members lack or want. */
  long lacked(long now, long ttl) {
    long sum = 0;
    for (SliceMember member : members.values()) {
      long lacked = member.silent(now, ttl) ? 0 : member.lackedAtOnce + member.wanted;
      sum = Math.min(CellPartition.MOST, sum + lacked);
    }
    return sum;
  }

  /** Drops silent members without any amount that still counts. */
  void drop(long known, long now, long ttl) {
    members.values().removeIf(member -> member.silent(now, ttl) && member.newest() < known);
  }
}
