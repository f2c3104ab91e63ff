package io.penstock.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.PatientWaits;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.park.SchedulerAlarms;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** The real registry, driven as in production, with windows short enough for a test. */
public final class StressedGateway implements AutoCloseable {
  static final long WINDOW_NANOS = 100_000_000L;

  public final Ticker ticker = Ticker.system();
  private final LocalLimitSource limits = new LocalLimitSource();
  final UpstreamRegistry upstreams = UpstreamFixture.registry(limits, WINDOW_NANOS);
  final ModelQuotas models = new ModelQuotas(limits, WINDOW_NANOS);
  private final SchedulerAlarms drivers = new SchedulerAlarms(ticker);
  public final EndpointRegistry registry =
      new EndpointRegistry(
          EndpointFixture.services(upstreams, models, limits, ticker, drivers, event -> {}));

  public StressedGateway() {
    models.whenChanged(registry::termsChanged);
  }

  /** The quota that all callers share. */
  final Quota group = new Quota("group", ChargeRule.TOTAL, List.of());

  /** Callers in the group: two wait for what their key lacks, one is refused. */
  public final List<CallerAccount> accounts =
      List.of(caller("alice", true), caller("bob", true), caller("carol", false));

  private CallerAccount caller(String name, boolean waits) {
    Quota key =
        Quota.ofKey(
            "key " + name, List.of(concurrency(3, RefusalReason.KEY_CONCURRENCY), window(2_000)));
    List<Quota> quotas = List.of(key, group);
    return new CallerAccount(name, waits, (model, now) -> quotas);
  }

  private MeteredLimit window(long tokens) {
    LimitSpec spec =
        new LimitSpec.TrailingWindow(tokens, WINDOW_NANOS, 0, LimitSpec.TrailingWindow.UNPACED);
    return new MeteredLimit(
        LimitMeasure.TOKENS, new Limit(spec, ticker.nanos()), RefusalReason.KEY_TPM);
  }

  private MeteredLimit concurrency(long requests, RefusalReason reason) {
    LimitSpec spec = new LimitSpec.Concurrency(requests);
    return new MeteredLimit(LimitMeasure.CONCURRENCY, new Limit(spec, ticker.nanos()), reason);
  }

  /**
   * Returns an upstream with a limit of requests a window, and of concurrent ones; 0 is unlimited.
   */
  public static UpstreamSpec upstream(String id, int weight, long requests, long concurrency) {
    return UpstreamSetup.of(id)
        .url("mock://" + id)
        .weight(weight)
        .limits(new UpstreamSpec.Limits(requests, 0, 0, 0, 0, concurrency))
        .spec();
  }

  public void apply(EndpointSpec... specs) {
    registry.apply(List.of(specs));
  }

  Upstream upstream(String id) {
    return Objects.requireNonNull(upstreams.find(id), id);
  }

  /** Asserts that nothing is charged, claimed or waited for once all requests have ended. */
  public void assertNothingIsLeft() throws InterruptedException {
    for (Endpoint endpoint : registry.all()) {
      awaitIdle(endpoint);
      EndpointFixture.assertBalanced(endpoint);
      assertThat(endpoint.totals().requests(TicketFate.WAITING)).as("waiting").isZero();
      assertThat(endpoint.totals().requests(TicketFate.RUNNING)).as("running").isZero();
      endpoint.limits().forEach(each -> assertNothingIsHeld(endpoint.path(), each));
    }
    upstreams.all().forEach(each -> each.pools().values().forEach(this::assertNothingIsLeft));
    for (CallerAccount account : accounts) {
      account.quotas(null, ticker.nanos()).forEach(this::assertNothingIsLeft);
      AtomicBoolean empty = new AtomicBoolean();
      account.ifEmpty(() -> empty.set(true));
      assertThat(empty).as(account + " has nobody inside").isTrue();
    }
  }

  /** Waits until an endpoint has processed all earlier messages. */
  private static void awaitIdle(Endpoint endpoint) throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(1);
    endpoint.runAsOwner((dispatcher, now) -> seen.countDown());
    PatientWaits.await(seen);
  }

  void assertNothingIsLeft(Quota quota) {
    assertThat(quota.waitList().isClaimed()).as(quota + " is kept").isFalse();
    quota.limits().forEach(each -> assertNothingIsHeld(quota.name(), each));
  }

  private void assertNothingIsHeld(String what, MeteredLimit metered) {
    assertThat(metered.limit().balance(ticker.nanos()).reserved())
        .as("held of %s, %s", what, metered.measure())
        .isZero();
  }

  @Override
  public void close() {
    drivers.close();
  }
}
