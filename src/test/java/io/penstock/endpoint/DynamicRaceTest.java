package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.dispatch.AlarmSource;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.fake.FakeTicker;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.RepeatedTest;

/** Stress test of requests, reclaims and reloads at once, on several threads. */
class DynamicRaceTest {
  private static final int CLIENTS = 4;
  private static final int REQUESTS = 5_000;
  private static final int PATHS = 8;
  private static final int REQUESTS_FOR_EACH_RELOAD = 10;

  private final FakeTicker ticker = new FakeTicker();
  private final Alarms alarms = new Alarms(ticker);
  private final LiveLimits limits = new LiveLimits();
  private final EndpointRegistry registry =
      new EndpointRegistry(
          EndpointFixture.services(
              UpstreamFixture.registry(limits, EndpointFixture.SECOND),
              new ModelQuotas(limits, EndpointFixture.SECOND),
              limits,
              ticker,
              alarms,
              event -> {}));
  private final AtomicBoolean busy = new AtomicBoolean(true);
  private final LongAdder offered = new LongAdder();
  private final LongAdder removed = new LongAdder();

  /** Drivers with steps and alarms that any thread can run by hand. */
  private static final class Alarms implements AlarmSource {
    private record Alarm(long instant, Runnable step) {}

    private final Ticker ticker;
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final Queue<OneDriver> drivers = new ConcurrentLinkedQueue<>();

    Alarms(Ticker ticker) {
      this.ticker = ticker;
    }

    private final class OneDriver implements StepAlarm {
      private Alarm alarm = new Alarm(Ticker.NEVER, () -> {});

      @Override
      public void soon(Runnable step) {
        steps.add(step);
      }

      @Override
      public synchronized void at(long instantNanos, Runnable step) {
        alarm = new Alarm(instantNanos, step);
      }

      private synchronized Runnable due() {
        Alarm set = alarm;
        if (set.instant() > ticker.nanos()) {
          return () -> {};
        }
        alarm = new Alarm(Ticker.NEVER, () -> {});
        return set.step();
      }
    }

    @Override
    public StepAlarm alarm(LimitAlgorithm limitAlgorithm) {
      OneDriver driver = new OneDriver();
      drivers.add(driver);
      return driver;
    }

    void run() {
      for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
        step.run();
      }
      drivers.forEach(driver -> driver.due().run());
    }
  }

  /** Returns the configurations in turn; {@code /a/kept} is configured from the first change on. */
  private static List<EndpointSpec> configuration(int turn, boolean removes) {
    EndpointSetup parent =
        switch (turn % 3) {
          case 0 -> EndpointFixture.strict("/a", 1_000, 1);
          case 1 -> EndpointFixture.tokens("/a", 1_000, 1);
          default -> EndpointFixture.none("/a");
        };
    EndpointSpec dynamic = parent.descendants(!removes || turn % 5 != 4, 5).spec();
    return turn == 0 ? List.of(dynamic) : List.of(dynamic, EndpointFixture.none("/a/kept").spec());
  }

  @RepeatedTest(2)
  void requestsReclaimsAndReloadsAtOnce_loseNothingAndRefuseNobody() throws Exception {
    race(false);
    assertThat(removed.sum()).as("refused by one that was reclaimed").isZero();
  }

  @RepeatedTest(2)
  void reloadsThatRemoveToo_loseNothing() throws Exception {
    race(true);
  }

  private void race(boolean removes) throws Exception {
    registry.apply(configuration(0, removes));
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> clients = new ArrayList<>();
      for (int each = 0; each < CLIENTS; each++) {
        int seed = each;
        clients.add(threads.submit(() -> requests(new Random(seed))));
      }
      Future<?> clock = threads.submit(whileBusy(this::passTime));
      AtomicLong turn = new AtomicLong();
      // reloads without a bound can come faster than a client that carries them out gets through
      Future<?> reloads =
          threads.submit(
              whileBusy(
                  () -> {
                    if (offered.sum() >= turn.get() * REQUESTS_FOR_EACH_RELOAD) {
                      registry.apply(configuration((int) turn.incrementAndGet(), removes));
                    }
                  }));
      for (Future<?> client : clients) {
        client.get();
      }
      busy.set(false);
      clock.get();
      reloads.get();
    }
    registry.apply(configuration(1, removes));
    alarms.run();
    drain();
    assertThat(sum(TicketFate.OFFERED)).isEqualTo(offered.sum());
    assertThat(
            sum(TicketFate.SERVED)
                + sum(TicketFate.REFUSED)
                + sum(TicketFate.EXPIRED)
                + sum(TicketFate.CANCELLED))
        .isEqualTo(offered.sum());
    assertThat(registry.dynamic()).isEmpty();
    assertThat(limits.live()).hasSize(1);
    assertThat(limits.doubled()).isEmpty();
  }

  private Callable<Void> whileBusy(Runnable step) {
    return () -> {
      while (busy.get()) {
        step.run();
        Thread.onSpinWait();
      }
      return null;
    };
  }

  /** Advances the clock by minutes, so that idle endpoints are reclaimed soon. */
  private void passTime() {
    ticker.advance(TimeUnit.MINUTES.toNanos(4));
    alarms.run();
  }

  /** Advances time, without requests, until only configured endpoints are left. */
  private void drain() {
    for (int each = 0; each < 20; each++) {
      passTime();
    }
  }

  private Void requests(Random random) {
    for (int each = 0; each < REQUESTS; each++) {
      int which = random.nextInt(PATHS);
      String path = which == 0 ? "/a/kept" : "/a/" + which;
      Endpoint endpoint = Objects.requireNonNull(registry.enter(path));
      offered.increment();
      if (random.nextInt(10) == 0) {
        endpoint.countCancelled(Cost.ofInput(1), 1);
      } else {
        decide(endpoint.submit(RequestFixture.of(null, Cost.ofInput(1)).bytes(1).made()));
      }
      endpoint.leave();
    }
    return null;
  }

  private void decide(ParkedTicket parkedTicket) {
    switch (parkedTicket.outcome()) {
      case null -> parkedTicket.cancel();
      case TicketOutcome.Granted(TicketSettlement settlement) ->
          settlement.permitted(ticker.nanos());
      case TicketOutcome.Refused(Refusal refusal) -> {
        assertThat(refusal.reason()).isEqualTo(RefusalReason.ENDPOINT_REMOVED);
        removed.increment();
      }
    }
  }

  private long sum(TicketFate fate) {
    long sum = 0;
    for (Endpoint endpoint : registry.all()) {
      assertThat(endpoint.totals().requests(TicketFate.WAITING)).isZero();
      assertThat(endpoint.totals().requests(TicketFate.RUNNING)).isZero();
      assertThat(endpoint.totals().tokens(fate)).isEqualTo(endpoint.totals().requests(fate));
      sum += endpoint.totals().requests(fate);
    }
    return sum;
  }
}
