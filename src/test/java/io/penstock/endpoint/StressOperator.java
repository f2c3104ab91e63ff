package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.endpoint.EndpointSpec.FairBy;
import io.penstock.endpoint.EndpointSpec.Fallback;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.pool.AttemptFailure;
import io.penstock.pool.AttemptHistory;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueOrder;
import io.penstock.quota.MeteredLimit;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Changes at random everything that an operator or a provider can change, until it is stopped. */
public final class StressOperator {
  private static final AttemptHistory ONCE = UpstreamFixture.attempt(null, 0, 1);
  private static final long PAUSE_NANOS = 5_000_000L;
  private static final List<String> UPSTREAMS = List.of("u", "v");

  private final StressedGateway gateway;
  private final Random random;
  private final AtomicLong changes = new AtomicLong();
  private int weight = 1;
  private boolean over;

  public StressOperator(StressedGateway gateway, long seed) {
    this.gateway = gateway;
    this.random = new Random(seed);
  }

  /** Makes one change. */
  public synchronized void change() {
    if (over) {
      return;
    }
    changes.incrementAndGet();
    switch (random.nextInt(8)) {
      case 0, 1 -> pause(random.nextBoolean());
      case 2 -> reload();
      case 3 -> fail(anyUpstream());
      case 4 -> answer(anyUpstream(), ProviderLesson.silent(200));
      case 5 ->
          answer(
              anyUpstream(),
              new ProviderLesson(429, List.of(), PAUSE_NANOS, ProviderLesson.ErrorCause.RATE));
      case 6 -> limitModel();
      default -> limitGroup(1 + random.nextInt(6));
    }
  }

  /** Returns how many changes were made. */
  public long changes() {
    return changes.get();
  }

  /** Stops, and opens everything, so that all waiting requests can go. */
  public synchronized void calm() {
    over = true;
    gateway.models.endOverride("m", gateway.ticker.nanos());
    limitGroup(1_000);
    reload(true); // weights change, and newly configured upstreams are healthy
    gateway.registry.all().forEach(endpoint -> endpoint.pause(false));
  }

  private void pause(boolean stop) {
    List<Endpoint> all = List.copyOf(gateway.registry.all());
    all.get(random.nextInt(all.size())).pause(stop);
  }

  private Upstream anyUpstream() {
    return gateway.upstream(UPSTREAMS.get(random.nextInt(UPSTREAMS.size())));
  }

  private void fail(Upstream upstream) {
    for (int failure = 0; failure < 3; failure++) {
      upstream.judge(ONCE, AttemptFailure.BROKEN, "broken", gateway.ticker.nanos());
    }
  }

  private void answer(Upstream upstream, ProviderLesson lesson) {
    upstream.judge(ONCE, lesson, gateway.ticker.nanos());
  }

  private void limitModel() {
    long now = gateway.ticker.nanos();
    if (random.nextBoolean()) {
      ModelLimits limits = new ModelLimits(50 + random.nextInt(500), 0, 0);
      gateway.models.override("m", limits, now);
    } else {
      gateway.models.endOverride("m", now);
    }
  }

  private void limitGroup(long atOnce) {
    LimitSpec spec = new LimitSpec.Concurrency(atOnce);
    List<MeteredLimit> known = gateway.group.limits();
    if (known.isEmpty()) {
      Limit limit = new Limit(spec, gateway.ticker.nanos());
      known =
          List.of(new MeteredLimit(LimitMeasure.CONCURRENCY, limit, RefusalReason.KEY_CONCURRENCY));
    }
    known.getFirst().limit().resize(spec, gateway.ticker.nanos());
    gateway.group.change(ChargeRule.TOTAL, known);
  }

  /**
   * Applies another configuration: other limits, orders and upstreams; one endpoint comes and goes.
   */
  public void reload() {
    reload(random.nextInt(4) > 0);
  }

  private void reload(boolean all) {
    weight = weight % 100 + 1;
    UpstreamSpec u = StressedGateway.upstream("u", weight, 0, 2 + random.nextInt(3));
    UpstreamSpec v = StressedGateway.upstream("v", weight, 200 + random.nextInt(400), 3);
    List<EndpointSpec> specs = new ArrayList<>();
    specs.add(endpoint("/a", new LimitSpec.Unlimited(), u, v));
    long rate = 1_000L + random.nextInt(100_000);
    specs.add(
        random.nextBoolean()
            ? endpoint("/b", new LimitSpec.TokenBucket(new ExactRate(rate, 1), 100), u)
            : endpoint("/b", new LimitSpec.Strict(new ExactRate(rate, 1), 0), u));
    LimitSpec window =
        new LimitSpec.FixedWindow(5_000 + random.nextInt(20_000), StressedGateway.WINDOW_NANOS);
    specs.add(endpoint("/c", window, v, u));
    if (all) {
      specs.add(endpoint("/d", new LimitSpec.Unlimited(), v));
    }
    gateway.registry.apply(specs);
  }

  private EndpointSpec endpoint(String path, LimitSpec limit, UpstreamSpec... upstreams) {
    QueueOrder[] orders = QueueOrder.values();
    int[] skips = {0, 1, 4};
    return EndpointSetup.of(path, limit)
        .scheduling(
            new Scheduling(
                orders[random.nextInt(orders.length)],
                1_000_000,
                skips[random.nextInt(skips.length)],
                new FairBy.Key()))
        .waiting(
            EndpointSetup.waiting(
                new QueueBounds(
                    20 + random.nextInt(100), QueueBounds.UNLIMITED, QueueBounds.UNLIMITED),
                random.nextInt(50),
                0,
                false,
                0))
        .fallbacks(Map.of("m", new Fallback(List.of("n"), 2_000_000)))
        .to(upstreams)
        .spec();
  }
}
