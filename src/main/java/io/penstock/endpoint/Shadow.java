package io.penstock.endpoint;

import io.penstock.cost.Usage;
import io.penstock.quota.Account;
import org.jspecify.annotations.Nullable;

/**
 * The test run of a request in shadow mode, which is granted at once. A second ticket with the same
 * data goes through the limits in the request's place: it waits, is granted, or is refused. Its
 * charges are settled with the request's real usage once both have ended, in either order. Safe
 * from any thread.
 */
final class Shadow {
  /** The end of the request: with its usage, or, when {@code !ran}, without having run. */
  private record End(boolean ran, @Nullable Usage usage, long outputTokens) {}

  private final Pending ticket;
  private @Nullable Settlement taken;
  private @Nullable End end;

  /** Creates the shadow of a ticket; its own ticket has the same arrival number. */
  Shadow(Pending of, Ask ask) {
    this.ticket = new Pending(of.endpoint(), of.order(), ask, of.arrivedNanos(), this);
  }

  /** Returns the ticket that goes through the limits in the request's place. */
  Pending ticket() {
    return ticket;
  }

  /** Notes that the shadow's ticket was granted. */
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

  /** Charges the output that the request's answer has produced so far. */
  void produced(long outputTokens, long now) {
    Settlement settlement;
    synchronized (this) {
      settlement = taken;
    }
    if (settlement != null) {
      settlement.produced(outputTokens, now);
    }
  }

  /**
   * Notes that the request has ended with that usage; null stands for its expected input and the
   * counted output.
   */
  void ended(@Nullable Usage usage, long outputTokens, long now) {
    end(new End(true, usage, outputTokens), now);
  }

  /** Notes that the request has ended without having run; the shadow's ticket stops waiting. */
  void returned(long now) {
    end(new End(false, null, 0), now);
    withdraw();
  }

  /** Cancels the shadow's ticket: the client has gone and would not have waited longer. */
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
