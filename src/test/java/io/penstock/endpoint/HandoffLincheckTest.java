package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.event.Event;
import io.penstock.fake.Interleavings;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Ticket;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("Lincheck rewrites the classes it looks at")
class HandoffLincheckTest {
  @Test
  void deliveredAskedForAndCancelledAtOnce_exactlyOneSideSettles() {
    Interleavings.check(Handing.class);
  }

  /** Operations on a granted ticket, each run once. */
  public static final class Handing {
    private static final class Idle implements Driver {
      @Override
      public void execute(Runnable step) {}

      @Override
      public void at(long instantNanos, Runnable step) {}
    }

    private static final Endpoint ENDPOINT =
        new Endpoint(
            House.none("/a").spec(),
            new Endpoint.House(
                new Upstreams(new LocalLimitSource(), House.SECOND),
                new ModelQuotas(new LocalLimitSource(), House.SECOND),
                new LocalLimitSource(),
                () -> 0,
                algorithm -> new Idle(),
                Handing::published,
                new AtomicLong()));

    private static final Quota NOBODYS = new Quota("/a", Charge.TOTAL, List.of());

    private static volatile @Nullable Handing running;

    private final Pending pending =
        new Pending(ENDPOINT, 1, Ask.of(null, Cost.NO_TOKENS, 0, Patience.DEFAULT), 0);
    private final Settlement settlement =
        new Settlement(
            pending,
            new Route(null, null, null, null, List.of(NOBODYS)),
            new Spends(List.of()),
            0,
            0);
    private volatile boolean delivered;
    private volatile boolean asked;
    private volatile boolean cancelled;
    private volatile boolean took;
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger returned = new AtomicInteger();

    public Handing() {
      pending.decide(Ticket.State.GRANTED);
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
      pending.deliver(new Outcome.Granted(settlement));
      delivered = true;
    }

    @Operation(runOnce = true)
    public void ask() {
      pending.whenDecided(
          outcome -> {
            took = pending.take();
            if (took) {
              settlement.served(null, 0, 0);
            }
          });
      asked = true;
    }

    @Operation(runOnce = true)
    public void cancel() {
      ENDPOINT.cancel(pending);
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
