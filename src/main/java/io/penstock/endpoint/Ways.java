package io.penstock.endpoint;

import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.queue.Discipline;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How tickets of one endpoint can go, as its configuration stands. */
final class Ways implements Routes {
  private final Upstreams upstreams;
  private final Supplier<EndpointSpec> configuration;
  private final Quota own;
  private final Runnable signal;

  Ways(Upstreams upstreams, Supplier<EndpointSpec> configuration, Quota own, Runnable signal) {
    this.upstreams = upstreams;
    this.configuration = configuration;
    this.own = own;
    this.signal = signal;
  }

  @Override
  public List<Route> of(@Nullable String model, long now) {
    EndpointSpec spec = configuration.get();
    if (spec.permit()) {
      return List.of(new Route(null, List.of(own)));
    }
    List<Route> routes = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      Upstream upstream = upstreams.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        routes.add(new Route(upstream, List.of(upstream.pool(model, now), own)));
      }
    }
    return routes;
  }

  @Override
  public Reason noWay(@Nullable String model) {
    boolean served = configuration.get().upstreams().stream().anyMatch(each -> each.serves(model));
    return served ? Reason.NO_HEALTHY_UPSTREAM : Reason.NO_UPSTREAM_FOR_MODEL;
  }

  @Override
  public Bounds bounds() {
    return configuration.get().waiting().bounds();
  }

  @Override
  public int maxBlocked() {
    return configuration.get().waiting().maxBlocked();
  }

  @Override
  public Discipline<Pending> discipline() {
    EndpointSpec spec = configuration.get();
    EndpointSpec.Scheduling scheduling = spec.scheduling();
    return Discipline.of(scheduling.order(), scheduling.agingNanos(), spec.path().hashCode());
  }

  @Override
  public int maxSkips() {
    return configuration.get().scheduling().maxSkips();
  }

  @Override
  public Runnable signal() {
    return signal;
  }
}
