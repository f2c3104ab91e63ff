package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;

/** The oracle's view of charges and denials at arrival. */
final class OracleDenials {
  private OracleDenials() {}

  /** Charges a new ticket to its key, or finds the reason for which it will be denied. */
  static void come(SimTicket ticket, long now) {
    for (SimQuota quota : ticket.arrival) {
      for (SimQuota.Pair pair : quota.pairs()) {
        OracleSpend.Metering metering = pair.metering();
        OracleLimit.Ask ask = ticket.demand.ask(metering.measure(), ChargeRule.WHOLE);
        boolean possible = metering.limit().possible(ask);
        if (!possible || !metering.limit().admits(ask, now)) {
          ticket.denial = possible ? pair.reason() : RefusalReason.COST_EXCEEDS_CAPACITY;
          ticket.denier = metering;
          return;
        }
      }
    }
    List<OracleSpend> spends = new ArrayList<>();
    ticket.arrival.forEach(quota -> quota.take(ticket.demand, ChargeRule.WHOLE, now, spends));
    ticket.kept = spends;
  }

  /** Returns whether a refusal comes from its key or group; throws if that is wrong. */
  static boolean denied(SimTicket ticket, Refusal refusal, long now) {
    if (ticket.denial == null) {
      // A group's quota may be claimed for a waiting ticket.
      return !ticket.seen
          && refusal.reason().name().startsWith("GROUP_")
          && ticket.arrival.stream().anyMatch(each -> !each.personal() && each.line.kept());
    }
    if (refusal.reason() != ticket.denial) {
      throw new InvariantViolation(
          "denied with " + refusal + ", expected " + ticket.denial + ": " + ticket);
    }
    OracleSpend.Metering denier = ticket.denier;
    if (refusal.retryAfterNanos() > 0 && denier != null) {
      long then = now + refusal.retryAfterNanos();
      OracleLimit.Ask ask = ticket.demand.ask(denier.measure(), ChargeRule.WHOLE);
      // It is told a later time if another limit lacks room longer, or others were told to come.
      boolean first = ticket.arrival.stream().allMatch(each -> each.promisedUntil <= now);
      if (!denier.limit().admits(ask, then) || (first && fits(ticket, then - 1))) {
        throw new InvariantViolation("told to come back at another time than it fits: " + refusal);
      }
      ticket.arrival.forEach(each -> each.promisedUntil = Math.max(each.promisedUntil, then));
    }
    return true;
  }

  private static boolean fits(SimTicket ticket, long at) {
    return ticket.arrival.stream()
        .flatMap(quota -> quota.pairs().stream())
        .map(SimQuota.Pair::metering)
        .allMatch(
            each -> each.limit().admits(ticket.demand.ask(each.measure(), ChargeRule.WHOLE), at));
  }
}
