package io.penstock.endpoint;

import io.penstock.cost.Usage;
import io.penstock.quota.Account;
import org.jspecify.annotations.Nullable;

/**
 * What would have become of a request that nothing holds. A ticket that looks like its own waits,
 * goes and is refused in its place; what that one takes is settled with what the request uses, once
 * both have come to their end, in either order. Safe from any thread.
 */
final class Shadow {
  /** How the request ended: with what it used, or, when {@code !ran}, without having run. */
  private record End(boolean ran, @Nullable Usage usage, long outputTokens) {}

  private final Pending ticket;
  private @Nullable Settlement taken;
  private @Nullable End end;

  /** Makes the shadow of a ticket, to be decided with the same order. */
  Shadow(Pending of, Ask ask) {
    this.ticket = new Pending(of.endpoint(), of.order(), ask, of.arrivedNanos(), this);
  }

  /** Returns the ticket that is decided in the request's place. */
  Pending ticket() {
    return ticket;
  }

  /** That ticket was let go. */
  void granted(Settlement settlement, long now) {
    End ended;
    synchronized (this) {
      taken = settlement;
      ended = end;
    }
    if (ended != null) {
      settle(settlement, ended, now);
    }
  }

  /** The request's answer has produced so much so far. */
  void produced(long outputTokens, long now) {
    Settlement settlement;
    synchronized (this) {
      settlement = taken;
    }
    if (settlement != null) {
      settlement.produced(outputTokens, now);
    }
  }

  /** The request has ended; it used that much, or the cost where it does not say. */
  void ended(@Nullable Usage usage, long outputTokens, long now) {
    end(new End(true, usage, outputTokens), now);
  }

  /** The request has ended, and never ran: nobody waits in its place any more. */
  void returned(long now) {
    end(new End(false, null, 0), now);
    withdraw();
  }

  /** The client has gone: it would not have waited any longer. */
  void withdraw() {
    ticket.endpoint().withdraw(ticket);
  }

  private void end(End how, long now) {
    Settlement settlement;
    synchronized (this) {
      end = how;
      settlement = taken;
    }
    if (settlement != null) {
      settle(settlement, how, now);
    }
  }

  private void settle(Settlement settlement, End how, long now) {
    if (how.ran()) {
      settlement.settle(how.usage(), how.outputTokens(), now);
    } else {
      settlement.giveBack(now);
    }
    Account account = ticket.account();
    if (account != null) {
      account.leave();
    }
  }
}
