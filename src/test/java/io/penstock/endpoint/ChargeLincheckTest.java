package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.event.Event;
import io.penstock.fake.Interleavings;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstreams;
import io.penstock.quota.Account;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

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
            House.none("/a").spec(),
            new Endpoint.House(
                new Upstreams(new LocalLimitSource(), House.SECOND),
                new ModelQuotas(new LocalLimitSource(), House.SECOND),
                new LocalLimitSource(),
                () -> 0,
                algorithm -> new Idle(),
                Charging::published,
                new AtomicLong()));

    private static final class Idle implements Driver {
      @Override
      public void execute(Runnable step) {}

      @Override
      public void at(long instantNanos, Runnable step) {}
    }

    private final Limit permits = new Limit(new LimitSpec.Concurrency(1), 0);
    private final Limit requests = new Limit(new LimitSpec.FixedWindow(10, House.SECOND), 0);
    private final Quota key =
        Quota.personal(
            "key k",
            List.of(
                new Metered(Measure.CONCURRENCY, permits),
                new Metered(Measure.REQUESTS, requests)));
    private final Account account = new Account("k", false, (model, now) -> List.of(key));
    private final Pending pending = new Pending(ENDPOINT, 1, ask(), 0);
    private volatile boolean charged;
    private volatile boolean left;

    /** Starts with requests taken by others, so that giving back twice would show. */
    public Charging() {
      requests.take(Weight.exactly(OTHERS), 0);
    }

    private static void published(Event event) {}

    private Ask ask() {
      return new Ask(
          null,
          Cost.NO_TOKENS,
          0,
          Patience.DEFAULT,
          0,
          Ask.Flow.ANONYMOUS,
          Ask.Kept.NOWHERE,
          account,
          null);
    }

    /** Runs as the owner of the queue. */
    @Operation(runOnce = true)
    public void charge() {
      pending.charge(0);
      charged = true;
    }

    /** Runs on the thread of the client, which goes away. */
    @Operation(runOnce = true)
    public void leave() {
      Spends taken = pending.leave();
      if (taken != null) {
        taken.end(0);
      }
      left = true;
    }

    @Validate
    public void keyIsChargedOnlyWhileItWaits() {
      long held = permits.balance(0).held();
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
