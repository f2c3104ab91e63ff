package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Quota;
import io.penstock.quota.TicketBatch;
import io.penstock.refusal.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what the limits of a key and its group mean for a ticket that waits for them. */
final class OwnLimits {
  private OwnLimits() {}

  /** Returns whether one of the limits of its caller has no room for a ticket now. */
  static boolean hold(ParkedTicket parkedTicket, CallerAccount account, long now) {
    return !admit(account.quotas(parkedTicket.model(), now), sizes(parkedTicket), now);
  }

  private static boolean admit(List<Quota> quotas, DimensionSizes sizes, long now) {
    for (Quota quota : quotas) {
      if (!quota.admits(sizes, now)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the refusal of a ticket that has arrived, and that a limit of its key or its group lets
   * go only after its deadline, behind those that wait for the same limits before it; null when
   * none does. Budgets, which say themselves when they are used up, and limits on concurrency, of
   * which nobody knows the end, do not count.
   */
  static @Nullable Refusal beyondDeadline(ParkedTicket arrived, WaitingRoom waitingRoom, long now) {
    CallerAccount account = arrived.laneKey().account();
    if (account == null || arrived.deadlineNanos() == Long.MAX_VALUE) {
      return null;
    }
    List<Quota> quotas = account.quotas(arrived.model(), now);
    List<TicketBatch> ahead = waitingRoom.aheadOfSameCaller(arrived, account);
    DimensionSizes sizes = sizes(arrived);
    if (ahead.isEmpty() && admit(quotas, sizes, now)) {
      return null; // the usual case
    }
    TicketBatch own = TicketBatch.ofEqual(1, sizes);
    for (Quota quota : quotas) {
      Refusal refusal =
          quota.refusalBeyond(arrived.deadlineNanos(), ahead, own, arrived.client(), now);
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  private static DimensionSizes sizes(ParkedTicket parkedTicket) {
    DimensionSizes sizes = new DimensionSizes();
    parkedTicket.sizesInto(sizes);
    return sizes;
  }
}
