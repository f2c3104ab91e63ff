package io.penstock.queue;

import io.penstock.cost.Cost;
import io.penstock.fake.Interleavings;
import io.penstock.queue.Ticket.State;
import io.penstock.suite.TaggedTests;
import io.penstock.time.Ticker;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Tag(TaggedTests.FULL)
@Isolated("Lincheck rewrites the classes it looks at")
class TicketLincheckTest {
  @Test
  void decidedByTwoThreads_exactlyOneDecisionStands() {
    Interleavings.check(Deciding.class);
  }

  /** Operations on one ticket. */
  public static final class Deciding {
    private final Ticket ticket = new Ticket(1, Cost.NO_TOKENS, 0, 0, Ticker.NEVER);

    @Operation
    public boolean grant() {
      return ticket.decide(State.GRANTED);
    }

    @Operation
    public boolean cancel() {
      return ticket.decide(State.CANCELLED);
    }

    @Operation
    public boolean expire() {
      return ticket.decide(State.EXPIRED);
    }

    @Operation
    public State state() {
      return ticket.state();
    }
  }
}
