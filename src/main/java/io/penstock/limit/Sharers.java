package io.penstock.limit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The members that share one limit, and what holds of those that live. */
final class Sharers {
  private final Map<String, Sharer> members = new LinkedHashMap<>();
  private long turns;
  private long capacity;
  private long reach;
  private int living;

  /** Returns a member, or null when it was never heard. */
  @Nullable Sharer get(String name) {
    return members.get(name);
  }

  Collection<Sharer> all() {
    return members.values();
  }

  Map<String, Sharer> byName() {
    return members;
  }

  /** Takes note of who speaks, and of what it lacks. */
  Sharer hear(Shares.Report report, Partition at, long now) {
    Sharer member = add(report.member(), at);
    member.partition = at;
    member.number = report.number();
    member.heard = now;
    member.wanted = Math.min(report.wanted(), Partition.MOST);
    if (report.head() > 0 && member.head == 0) {
      turns++;
      member.turn = turns;
    }
    member.head = Math.min(report.head(), Partition.MOST);
    return member;
  }

  /** Finds the lowest capacity and the largest reach of the living. */
  void bind(Partition at, long now, long ttl) {
    capacity = Partition.MOST;
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

  /** Returns the lowest capacity of the living, as it was bound. */
  long capacity() {
    return capacity;
  }

  /** Returns the largest reach of the living, as it was bound. */
  long reach() {
    return reach;
  }

  /** Returns how many live, as it was bound. */
  int living() {
    return living;
  }

  /** Returns how the living member with the lowest rate cuts the limit, or null. */
  @Nullable Partition slowest(long now, long ttl) {
    Partition slowest = null;
    for (Sharer member : members.values()) {
      boolean slower = slowest == null || member.partition.slowerThan(slowest);
      if (!member.silent(now, ttl) && slower) {
        slowest = member.partition;
      }
    }
    return slowest;
  }

  /** Returns how the member with the lowest rate of all cuts the limit, or null. */
  @Nullable Partition slowestEver() {
    Partition slowest = null;
    for (Sharer member : members.values()) {
      boolean slower = slowest == null || member.partition.slowerThan(slowest);
      slowest = slower ? member.partition : slowest;
    }
    return slowest;
  }

  /** Adds a member, unless it is there; returns it. */
  Sharer add(String name, Partition at) {
    return members.computeIfAbsent(name, absent -> new Sharer(at));
  }

  /** Returns those who lack something and whose turn is between two, oldest first. */
  List<Sharer> heads(long after, long before) {
    List<Sharer> heads = new ArrayList<>();
    for (Sharer member : members.values()) {
      if (member.head > 0 && member.turn > after && member.turn < before) {
        heads.add(member);
      }
    }
    heads.sort(Comparator.comparingLong(head -> head.turn));
    return heads;
  }

  /** Returns what all who live want ahead of need. */
  long wanted(long now, long ttl) {
    long sum = 0;
    for (Sharer member : members.values()) {
      sum = Math.min(Partition.MOST, sum + (member.silent(now, ttl) ? 0 : member.wanted));
    }
    return sum;
  }

  /** Returns what all who live lack or want. */
  long lacked(long now, long ttl) {
    long sum = 0;
    for (Sharer member : members.values()) {
      long lacked = member.silent(now, ttl) ? 0 : member.head + member.wanted;
      sum = Math.min(Partition.MOST, sum + lacked);
    }
    return sum;
  }

  /** Drops who is silent and of whom nothing counts any more. */
  void drop(long known, long now, long ttl) {
    members.values().removeIf(member -> member.silent(now, ttl) && member.newest() < known);
  }
}
