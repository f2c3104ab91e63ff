package io.penstock.limit;

import java.util.Map;
import java.util.TreeMap;

/** The grants of one round: what one member gets of the cells that are open to it. */
final class Granting {
  private final Partition partition;
  private final Sharers sharers;
  private final Allotment allotment;
  private final Sharer member;
  private final TreeMap<Long, Long> parts = new TreeMap<>();

  Granting(Partition partition, Sharers sharers, Allotment allotment, Sharer member) {
    this.partition = partition;
    this.sharers = sharers;
    this.allotment = allotment;
    this.member = member;
  }

  /**
   * Grants the member what it lacks, then what it wants besides; returns amounts by cell.
   *
   * @param wantedByAll what all who live want ahead of need
   * @param soon until when a later cell begins soon
   */
  Map<Long, Long> grant(long wantedByAll, long soon) {
    long turn = member.head > 0 ? member.turn : Long.MAX_VALUE;
    if (keepForHeads(0, turn) && grantHead() && keepForHeads(turn, Long.MAX_VALUE)) {
      grantWanted(wantedByAll, soon);
    }
    return parts;
  }

  /**
   * Keeps room for those whose turn is between two, oldest first; returns whether there is any left
   * that others may have.
   */
  private boolean keepForHeads(long after, long before) {
    for (Sharer head : sharers.heads(after, before)) {
      if (!allotment.keepFirst(Math.min(head.head, sharers.capacity())) && partition.bitByBit()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the member may have more besides. */
  private boolean grantHead() {
    long head = Math.min(member.head, sharers.capacity());
    if (head == 0) {
      return true;
    }
    long cell = allotment.first(head);
    if (cell == Shares.NONE) {
      return !partition.bitByBit();
    }
    give(cell, head);
    member.head = 0;
    return true;
  }

  private void give(long cell, long amount) {
    allotment.keep(cell, amount);
    parts.merge(cell, amount, Long::sum);
  }

  /**
   * When there is less than all want, nobody but who is alone gets more than a part of it, and what
   * could be spent now is not put by for cells to come, but those that begin soon.
   */
  private void grantWanted(long wantedByAll, long soon) {
    long left = member.wanted;
    for (long cell : allotment.cells()) {
      long room = allotment.room(cell);
      boolean scarce = sharers.living() > 1 && wantedByAll > room;
      if (scarce
          && partition.kind() == Partition.Kind.TRAILING
          && cell * partition.cellMicros() > soon) {
        return;
      }
      long most = scarce ? Math.max(1, room / (2L * sharers.living())) : room;
      long amount = Math.min(left, Math.min(room, most));
      if (amount > 0) {
        give(cell, amount);
        left -= amount;
      }
    }
  }
}
