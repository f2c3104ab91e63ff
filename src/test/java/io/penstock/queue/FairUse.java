package io.penstock.queue;

import io.penstock.cost.Cost;
import io.penstock.time.Ticker;

/** Tickets of flows that come, wait and go in queues of one fair discipline. */
final class FairUse {
  final FairDiscipline<Ticket> discipline = new FairDiscipline<>();
  private long next = 1;

  /** Returns a ticket that has come, and waits nowhere. */
  Ticket arrive(String flow, int weight, long tokens) {
    Ticket ticket = new Ticket(next++, Cost.ofInput(tokens), 0, 0, Ticker.NEVER);
    discipline.enter(ticket, 0, flow, weight);
    return ticket;
  }

  Ticket park(TicketQueue<Ticket> queue, String flow, int weight, long tokens) {
    Ticket ticket = arrive(flow, weight, tokens);
    queue.add(ticket);
    return ticket;
  }

  Ticket park(TicketQueue<Ticket> queue, String flow, long tokens) {
    return park(queue, flow, 1, tokens);
  }

  void go(TicketQueue<Ticket> queue, Ticket ticket) {
    queue.pass(ticket);
    discipline.charge(ticket);
  }

  /** Lets a ticket come and go at once. */
  void serve(TicketQueue<Ticket> queue, String flow, long tokens) {
    go(queue, park(queue, flow, tokens));
  }
}
