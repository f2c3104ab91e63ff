package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.park.SchedulerDrivers;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.quota.Account;
import io.penstock.quota.LocalLimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import io.penstock.time.Ticker;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The real registry, driven as in production, with windows short enough for a test. */
final class StressedGateway implements AutoCloseable {
  static final long WINDOW_NANOS = 100_000_000L;

  final Ticker ticker = Ticker.system();
  private final LocalLimitSource limits = new LocalLimitSource();
  final Upstreams upstreams = new Upstreams(limits, WINDOW_NANOS);
  final ModelQuotas models = new ModelQuotas(limits, WINDOW_NANOS);
  private final SchedulerDrivers drivers = new SchedulerDrivers(ticker);
  final Registry registry =
      new Registry(
          new Endpoint.House(
              upstreams, models, limits, ticker, drivers, event -> {}, new AtomicLong()));

  StressedGateway() {
    models.whenChanged(registry::termsChanged);
  }

  /** The quota that all callers share. */
  final Quota group = new Quota("group", Charge.TOTAL, List.of());

  /** Callers in the group: two wait for what their key lacks, one is refused. */
  final List<Account> accounts =
      List.of(caller("alice", true), caller("bob", true), caller("carol", false));

  private Account caller(String name, boolean waits) {
    Quota key =
        Quota.personal(
            "key " + name, List.of(concurrency(3, Reason.KEY_CONCURRENCY), window(2_000)));
    List<Quota> quotas = List.of(key, group);
    return new Account(name, waits, (model, now) -> quotas);
  }

  private Metered window(long tokens) {
    LimitSpec spec =
        new LimitSpec.TrailingWindow(tokens, WINDOW_NANOS, 0, LimitSpec.TrailingWindow.UNPACED);
    return new Metered(Measure.TOKENS, new Limit(spec, ticker.nanos()), Reason.KEY_TPM);
  }

  private Metered concurrency(long requests, Reason reason) {
    LimitSpec spec = new LimitSpec.Concurrency(requests);
    return new Metered(Measure.CONCURRENCY, new Limit(spec, ticker.nanos()), reason);
  }

  /**
   * Returns an upstream with a limit of requests a window, and of concurrent ones; 0 is unlimited.
   */
  static UpstreamSpec upstream(String id, int weight, long requests, long concurrency) {
    return new UpstreamSpec(
        id,
        URI.create("mock://" + id),
        null,
        null,
        Map.of(),
        Map.of(),
        weight,
        new UpstreamSpec.Limits(requests, 0, 0, 0, 0, concurrency),
        Charge.TOTAL,
        0,
        60,
        new UpstreamSpec.Timeouts(House.SECOND, House.SECOND, House.SECOND));
  }

  void apply(EndpointSpec... specs) {
    registry.apply(List.of(specs));
  }

  Upstream upstream(String id) {
    return Objects.requireNonNull(upstreams.find(id), id);
  }

  /** Asserts that nothing is charged, claimed or waited for once all requests have ended. */
  void assertNothingIsLeft() throws InterruptedException {
    for (Endpoint endpoint : registry.all()) {
      awaitIdle(endpoint);
      House.assertBalanced(endpoint);
      assertThat(endpoint.totals().requests(Fate.WAITING)).as("waiting").isZero();
      assertThat(endpoint.totals().requests(Fate.RUNNING)).as("running").isZero();
      endpoint.limits().forEach(each -> assertNothingIsHeld(endpoint.path(), each));
    }
    upstreams.all().forEach(each -> each.pools().values().forEach(this::assertNothingIsLeft));
    for (Account account : accounts) {
      account.quotas(null, ticker.nanos()).forEach(this::assertNothingIsLeft);
      AtomicBoolean empty = new AtomicBoolean();
      account.ifEmpty(() -> empty.set(true));
      assertThat(empty).as(account + " has nobody inside").isTrue();
    }
  }

  /** Waits until an endpoint has processed all earlier messages. */
  private static void awaitIdle(Endpoint endpoint) throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(1);
    endpoint.atWork((dispatcher, now) -> seen.countDown());
    assertThat(seen.await(30, TimeUnit.SECONDS)).as("its turn came").isTrue();
  }

  void assertNothingIsLeft(Quota quota) {
    assertThat(quota.line().kept()).as(quota + " is kept").isFalse();
    quota.limits().forEach(each -> assertNothingIsHeld(quota.name(), each));
  }

  private void assertNothingIsHeld(String what, Metered metered) {
    assertThat(metered.limit().balance(ticker.nanos()).held())
        .as("held of %s, %s", what, metered.measure())
        .isZero();
  }

  @Override
  public void close() {
    drivers.close();
  }
}
