package io.penstock.dispatch;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointFixture;
import io.penstock.event.Event;
import io.penstock.fake.Interleavings;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.suite.TaggedTests;
import io.penstock.time.StepAlarm;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Tag(TaggedTests.FULL)
@Isolated("Lincheck rewrites the classes it looks at")
class ChargeLincheckTest {
  @Test
  void chargedWhileItsClientGoesAway_keyHasAllBack() {
    Interleavings.check(Charging.class);
  }

  /** Operations on a ticket that waits until it is known what its key has left. */
  public static final class Charging {
    private static final long OTHERS = 5;

    private static final Endpoint ENDPOINT =
        new Endpoint(
            EndpointFixture.none("/a").spec(),
            EndpointFixture.services(
                UpstreamFixture.registry(new LocalLimitSource(), EndpointFixture.SECOND),
                new ModelQuotas(new LocalLimitSource(), EndpointFixture.SECOND),
                new LocalLimitSource(),
                () -> 0,
                algorithm -> new Idle(),
                Charging::published));

    private static final class Idle implements StepAlarm {
      @Override
      public void soon(Runnable step) {}

      @Override
      public void at(long instantNanos, Runnable step) {}
    }

    private final Limit permits = new Limit(new LimitSpec.Concurrency(1), 0);
    private final Limit requests =
        new Limit(new LimitSpec.FixedWindow(10, EndpointFixture.SECOND), 0);
    private final Quota key =
        Quota.ofKey(
            "key k",
            List.of(
                new MeteredLimit(LimitMeasure.CONCURRENCY, permits),
                new MeteredLimit(LimitMeasure.REQUESTS, requests)));
    private final CallerAccount account =
        new CallerAccount("k", false, (model, now) -> List.of(key));
    private final ParkedTicket parkedTicket = ENDPOINT.ticket(1, ask(), 0);
    private volatile boolean charged;
    private volatile boolean left;

    /** Starts with requests taken by others, so that giving back twice would show. */
    public Charging() {
      requests.take(Weight.exactly(OTHERS), 0);
    }

    private static void published(Event event) {}

    private TicketRequest ask() {
      return RequestFixture.of(null, Cost.NO_TOKENS).account(account).made();
    }

    /** Runs as the owner of the queue. */
    @Operation(runOnce = true)
    public void charge() {
      parkedTicket.charge(0);
      charged = true;
    }

    /** Runs on the thread of the client, which goes away. */
    @Operation(runOnce = true)
    public void leave() {
      TicketCharges taken = parkedTicket.leave();
      if (taken != null) {
        taken.end(Cost.NO_TOKENS, 0);
      }
      left = true;
    }

    @Validate
    public void keyIsChargedOnlyWhileItWaits() {
      long held = permits.balance(0).reserved();
      long counted = requests.balance(0).charged() - OTHERS;
      long expected = charged && !left ? 1 : 0;
      if (held != expected || counted != expected) {
        throw new IllegalStateException(
            "charged %b, left %b, and %,d permits and %,d requests are taken"
                .formatted(charged, left, held, counted));
      }
    }
  }
}
