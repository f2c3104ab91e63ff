package io.penstock.simulator;

import io.penstock.dispatch.AlarmSource;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointServices;
import io.penstock.endpoint.TicketDirectory;
import io.penstock.event.EventSink;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import java.util.concurrent.atomic.AtomicLong;

/** The core that is tested, the fake clock it runs on, and the choices that are drawn for it. */
final class SimWorld {
  private final SimScenario simScenario;
  private final InjectedFault injectedFault;
  private final UpstreamRegistry upstreamRegistry;
  private final EndpointRegistry endpointRegistry;
  private final SimKeys keys;
  private final AtomicLong arrivals = new AtomicLong();
  private long now = 1_000;

  SimWorld(long seed, InjectedFault injectedFault, AlarmSource drivers, EventSink events) {
    this.simScenario = new SimScenario(seed);
    this.injectedFault = injectedFault;
    LimitSource limits =
        injectedFault == InjectedFault.LARGER_LIMIT ? new Larger() : new LocalLimitSource();
    this.upstreamRegistry = UpstreamFixture.registry(limits, simScenario.window);
    ModelQuotas models = new ModelQuotas(limits, simScenario.window);
    this.keys = new SimKeys(seed, simScenario, limits, models, now);
    this.endpointRegistry =
        new EndpointRegistry(
            new EndpointServices(
                upstreamRegistry,
                models,
                limits,
                this::now,
                drivers,
                events,
                arrivals,
                new TicketDirectory(),
                (key, group, model, used) -> {}));
  }

  long now() {
    return now;
  }

  /** Sets the clock to a later instant. */
  void advance(long instant) {
    now = instant;
  }

  long window() {
    return simScenario.window;
  }

  UpstreamRegistry upstreams() {
    return upstreamRegistry;
  }

  /** Returns the upstream with that id, which must exist. */
  Upstream upstream(String id) {
    Upstream found = upstreamRegistry.find(id);
    if (found == null) {
      throw new InvariantViolation("upstream " + id + " is configured and not there");
    }
    return found;
  }

  EndpointRegistry registry() {
    return endpointRegistry;
  }

  SimKeys keys() {
    return keys;
  }

  SimScenario scenario() {
    return simScenario;
  }

  InjectedFault fault() {
    return injectedFault;
  }

  long nextArrival() {
    return arrivals.get();
  }

  private static final class Larger implements LimitSource {
    private final LimitSource local = new LocalLimitSource();

    private static LimitSpec larger(LimitSpec spec) {
      return switch (spec) {
        case LimitSpec.FixedWindow(long capacity, long window) ->
            new LimitSpec.FixedWindow(capacity + 1, window);
        case LimitSpec.TrailingWindow(long capacity, long window, long guard, long burst) ->
            new LimitSpec.TrailingWindow(capacity + 1, window, guard, burst);
        case LimitSpec.Strict strict -> strict;
        case LimitSpec.TokenBucket(ExactRate rate, long burst) ->
            new LimitSpec.TokenBucket(rate, burst + 1);
        case LimitSpec.SlidingWindow(long capacity, long window) ->
            new LimitSpec.SlidingWindow(capacity + 1, window);
        case LimitSpec.Concurrency(long max) -> new LimitSpec.Concurrency(max + 1);
        case LimitSpec.Day day -> day;
        case LimitSpec.Unlimited unlimited -> unlimited;
      };
    }

    @Override
    public Limit limit(LimitId id, LimitSpec spec, long now) {
      return local.limit(id, larger(spec), now);
    }

    @Override
    public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
      return local.change(from, to, larger(spec), now);
    }

    @Override
    public void forget(LimitId id) {
      local.forget(id);
    }
  }
}
