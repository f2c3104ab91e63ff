package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

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

  /**
   * Returns whether a ticket that waits for its key and group may be refused because one of their
   * limits lets it go only after its deadline: not if it and all that wait with it fit by then.
   */
  static boolean tooLate(SimTicket ticket, Refusal refusal) {
    List<SimTicket> together = new ArrayList<>(List.of(ticket));
    for (SimTicket each : ticket.endpoint.waiting) {
      if (each != ticket && Objects.equals(each.facing.account(), ticket.facing.account())) {
        together.add(each);
      }
    }
    return metered(ticket)
        .filter(pair -> pair.reason() == refusal.reason())
        .anyMatch(pair -> !pair.metering().limit().admits(all(together, pair), ticket.deadline));
  }

  private static Stream<SimQuota.Pair> metered(SimTicket ticket) {
    return ticket.facing.account() == null || ticket.deadline == Long.MAX_VALUE
        ? Stream.empty()
        : ticket.more().stream().flatMap(quota -> quota.pairs().stream());
  }

  private static OracleLimit.Ask all(List<SimTicket> tickets, SimQuota.Pair pair) {
    long taken = 0;
    long held = 0;
    for (SimTicket each : tickets) {
      OracleLimit.Ask ask = each.demand.ask(pair.metering().measure(), ChargeRule.TOTAL);
      taken += ask.taken();
      held += ask.held();
    }
    return new OracleLimit.Ask(taken, held, taken);
  }

  /** Checks that no limit on requests lets a ticket that stays go only after its deadline. */
  static void goesInTime(SimTicket ticket) {
    metered(ticket)
        .filter(pair -> pair.metering().measure() == LimitMeasure.REQUESTS)
        .filter(pair -> pair.reason() != null)
        .forEach(
            pair -> {
              OracleLimit.Ask ask = all(List.of(ticket), pair);
              if (!pair.metering().limit().admits(ask, ticket.deadline)) {
                throw new InvariantViolation("waits, though its key is too late: " + ticket);
              }
            });
  }

  private static boolean fits(SimTicket ticket, long at) {
    return ticket.arrival.stream()
        .flatMap(quota -> quota.pairs().stream())
        .map(SimQuota.Pair::metering)
        .allMatch(
            each -> each.limit().admits(ticket.demand.ask(each.measure(), ChargeRule.WHOLE), at));
  }
}
