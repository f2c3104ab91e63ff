package io.penstock.dispatch;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.event.Event;
import io.penstock.fake.Interleavings;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.queue.Ticket;
import io.penstock.quota.Quota;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.suite.TaggedTests;
import io.penstock.time.StepAlarm;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Tag(TaggedTests.FULL)
@Isolated("Lincheck rewrites the classes it looks at")
class HandoffLincheckTest {
  @Test
  void deliveredAskedForAndCancelledAtOnce_exactlyOneSideSettles() {
    Interleavings.check(Handing.class);
  }

  /** Operations on a granted ticket, each run once. */
  public static final class Handing {
    private static final class Idle implements StepAlarm {
      @Override
      public void soon(Runnable step) {}

      @Override
      public void at(long instantNanos, Runnable step) {}
    }

    private static final Endpoint ENDPOINT =
        new Endpoint(
            EndpointFixture.none("/a").spec(),
            EndpointFixture.services(
                UpstreamFixture.registry(new LocalLimitSource(), EndpointFixture.SECOND),
                new ModelQuotas(new LocalLimitSource(), EndpointFixture.SECOND),
                new LocalLimitSource(),
                () -> 0,
                algorithm -> new Idle(),
                Handing::published));

    private static final Quota NOBODYS = new Quota("/a", ChargeRule.TOTAL, List.of());

    private static volatile @Nullable Handing running;

    private final ParkedTicket parkedTicket =
        ENDPOINT.ticket(1, RequestFixture.request(null, Cost.NO_TOKENS), 0);
    private final TicketSettlement settlement =
        new TicketSettlement(
            parkedTicket,
            new TicketRoute(null, null, null, null, List.of(NOBODYS)),
            new TicketCharges(List.of()),
            0,
            0);
    private volatile boolean delivered;
    private volatile boolean asked;
    private volatile boolean cancelled;
    private volatile boolean took;
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger returned = new AtomicInteger();

    public Handing() {
      parkedTicket.decide(Ticket.State.GRANTED);
      running = this;
    }

    private static void published(Event event) {
      Handing handing = running;
      if (handing != null && event instanceof Event.Served) {
        handing.served.incrementAndGet();
      } else if (handing != null && event instanceof Event.Cancelled) {
        handing.returned.incrementAndGet();
      }
    }

    @Operation(runOnce = true)
    public void deliver() {
      parkedTicket.deliver(new TicketOutcome.Granted(settlement));
      delivered = true;
    }

    @Operation(runOnce = true)
    public void ask() {
      parkedTicket.whenDecided(
          outcome -> {
            took = parkedTicket.take();
            if (took) {
              settlement.served(null, 0, 0);
            }
          });
      asked = true;
    }

    @Operation(runOnce = true)
    public void cancel() {
      parkedTicket.cancel();
      cancelled = true;
    }

    @Validate
    public void settledOnceByWhoeverHasIt() {
      boolean over = delivered && (asked || cancelled);
      boolean right = served.get() == (took ? 1 : 0) && returned.get() == (over && !took ? 1 : 0);
      if (!right) {
        throw new IllegalStateException(
            "took %b, served %s, returned %s".formatted(took, served, returned));
      }
    }
  }
}
