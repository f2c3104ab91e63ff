package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;
import java.util.Map;
import java.util.TreeMap;

/** The grants of one round: the amounts that one member gets in the cells that are open to it. */
final class SliceGranting {
  private final CellPartition partition;
  private final SliceMembers sliceMembers;
  private final CellAllotment allotment;
  private final SliceMember member;
  private final TreeMap<Long, Long> parts = new TreeMap<>();

  SliceGranting(
      CellPartition partition,
      SliceMembers sliceMembers,
      CellAllotment allotment,
      SliceMember member) {
    this.partition = partition;
    this.sliceMembers = sliceMembers;
    this.allotment = allotment;
    this.member = member;
  }

  /**
   * Grants the member what it lacks, then what it wants besides. Returns amounts by cell.
   *
   * @param wantedByAll what all living members want ahead of need
   * @param soon the latest beginning of a later cell that is near enough to grant ahead
   */
  Map<Long, Long> grant(long wantedByAll, long soon) {
    long turn = member.lackedAtOnce > 0 ? member.turn : Long.MAX_VALUE;
    if (keepForHeads(0, turn) && grantHead() && keepForHeads(turn, Long.MAX_VALUE)) {
      grantWanted(wantedByAll, soon);
    }
    return parts;
  }

  /**
   * Keeps room for members with a turn between two others, oldest first. Returns whether any is
   * left that others may get.
   */
  private boolean keepForHeads(long after, long before) {
    for (SliceMember head : sliceMembers.heads(after, before)) {
      if (!allotment.keepFirst(Math.min(head.lackedAtOnce, sliceMembers.capacity()))
          && isBitByBit()) {
        return false;
      }
    }
    return true;
  }

  /** Grants what the member lacks. Returns whether it may get more besides. */
  private boolean grantHead() {
    long head = Math.min(member.lackedAtOnce, sliceMembers.capacity());
    if (head == 0) {
      return true;
    }
    long cell = allotment.first(head);
    if (cell == SliceLedger.NONE) {
      return !isBitByBit();
    }
    give(cell, head);
    member.lackedAtOnce = 0;
    return true;
  }

  /** Returns whether room for a large amount comes bit by bit, and not only with another cell. */
  private boolean isBitByBit() {
    return switch (partition.kind()) {
      case TRAILING, CONCURRENCY, BUCKET -> true;
      case FIXED, DAY, SPAN, STRICT -> false;
    };
  }

  private void give(long cell, long amount) {
    allotment.keep(cell, amount);
    parts.merge(cell, amount, Long::sum);
  }

  /**
   * Grants what the member wants ahead of need. When there is less than all want, a member that is
   * not alone gets only a part of it, and amounts that could be spent now are not set aside for
   * later cells, except for those that begin soon.
   */
  private void grantWanted(long wantedByAll, long soon) {
    long left = member.wanted;
    for (long cell : allotment.cells()) {
      long room = allotment.room(cell);
      boolean scarce = sliceMembers.living() > 1 && wantedByAll > room;
      if (scarce
          && partition.kind() == CellPartition.Kind.TRAILING
          && cell * partition.cellMicros() > soon) {
        return;
      }
      long most = scarce ? Math.max(1, room / (2L * sliceMembers.living())) : room;
      long amount = Math.min(left, Math.min(room, most));
      if (amount > 0) {
        give(cell, amount);
        left -= amount;
      }
    }
  }
}
