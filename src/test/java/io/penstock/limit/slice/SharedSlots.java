package io.penstock.limit.slice;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellPartition;
import java.util.ArrayList;
import java.util.List;

/**
 * The slots of a strict rate that members share. Each is handed out once, in order, and none is
 * closer to the one before it than an interval. Slots that no member asked for in time are lost.
 *
 * <p>Slots that begin within 5 ms are handed out as one part: its cell is the microsecond of the
 * first one. No slot is later than the end of a slice, so that after a loss of this data all slots
 * that were handed out are over once that time is.
 */
final class SharedSlots {
  /** Slots within this time are one part. */
  private static final long TOGETHER_MICROS = 5_000;

  /** A slot sooner than this would be over before the answer arrives. */
  static final long LEAD_MICROS = 2_000;

  private static final long EXACT = 1L << 53;

  /** The first free slot, and its part of a microsecond, in units of a microsecond ÷ releases. */
  private long nextAt;

  private long part;

  /**
   * Returns the first free slot: at the earliest, the last one that was handed out is over then.
   */
  long nextAt() {
    return nextAt;
  }

  /**
   * Hands out slots. If there are not enough for all members that lack one, the first to lack one
   * comes first. If there are fewer than all want, a member that is not alone gets only a part of
   * them.
   *
   * @param rate the lowest of living members
   * @param from no slot before it is wanted
   * @param last the latest that a slot may begin
   * @param asks the member that is granted slots
   * @param sliceMembers all members
   * @param lacked what all living members lack or want
   * @param bound the most that is handed out
   */
  List<CellAmount> grant(
      CellPartition rate,
      long from,
      long last,
      SliceMember asks,
      SliceMembers sliceMembers,
      long lacked,
      long bound) {
    boolean rests = from > nextAt;
    long at = rests ? from : nextAt;
    long late = rests ? 0 : Math.min(part, rate.releases() - 1);
    if (at > last) {
      return List.of();
    }
    long turn = asks.lackedAtOnce > 0 ? asks.turn : Long.MAX_VALUE;
    long free = free(rate, last - at);
    boolean scarce = sliceMembers.living() > 1 && lacked > free;
    long most = scarce ? Math.max(1, free / (2L * sliceMembers.living())) : free;
    long room = Math.min(bound, Math.min(most, free - sliceMembers.heads(0, turn).size()));
    List<CellAmount> parts =
        cut(rate, at, late, last, Math.min(asks.lackedAtOnce + asks.wanted, room));
    if (!parts.isEmpty()) {
      asks.lackedAtOnce = 0;
    }
    return parts;
  }

  /**
   * Returns how many slots begin within a time, which is cut so that the product is exact in a
   * double.
   */
  static long free(CellPartition rate, long micros) {
    long cut = Math.min(micros, (EXACT - 1) / rate.releases());
    return cut * rate.releases() / perSecond(rate) + 1;
  }

  /**
   * Returns how many slots that begin after {@code now} are handed out, a part of one counted as
   * one.
   */
  long ahead(CellPartition rate, long now) {
    return nextAt > now ? free(rate, nextAt - now) : 0;
  }

  /** Marks {@code amount} slots from {@code now} on as used by others. */
  void use(CellPartition rate, long amount, long now) {
    if (amount > 0) {
      long late = nextAt >= now ? Math.min(part, rate.releases() - 1) : 0;
      long whole = perSecond(rate);
      long passed = Math.min(amount, (EXACT - 1 - late) / whole) * whole + late;
      nextAt = Math.max(nextAt, now) + passed / rate.releases();
      part = passed % rate.releases();
    }
  }

  private static long perSecond(CellPartition rate) {
    return rate.seconds() * 1_000_000;
  }

  private List<CellAmount> cut(CellPartition rate, long at, long late, long last, long amount) {
    long together = Math.max(1, TOGETHER_MICROS * rate.releases() / perSecond(rate));
    long slot = at;
    long behind = late;
    long left = amount;
    List<CellAmount> parts = new ArrayList<>();
    while (left > 0 && slot + (behind > 0 ? 1 : 0) <= last) {
      long taken = Math.min(left, together);
      parts.add(new CellAmount(slot + (behind > 0 ? 1 : 0), taken));
      long passed = taken * perSecond(rate) + behind;
      slot += passed / rate.releases();
      behind = passed % rate.releases();
      left -= taken;
      nextAt = slot;
      part = behind;
    }
    return parts;
  }
}
