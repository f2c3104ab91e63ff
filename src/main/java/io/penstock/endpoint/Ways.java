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

/** The ways of this endpoint, as its configuration stands. */
final class Ways implements Routes {
  private final Upstreams upstreams;
  private final Quota own;
  private final Supplier<EndpointSpec> configured;
  private final Runnable signal;

  /**
   * Makes the ways of an endpoint.
   *
   * @param own its own limit
   * @param configured says how it is configured now
   * @param signal asks for another step
   */
  Ways(Upstreams upstreams, Quota own, Supplier<EndpointSpec> configured, Runnable signal) {
    this.upstreams = upstreams;
    this.own = own;
    this.configured = configured;
    this.signal = signal;
  }

  @Override
  public List<Route> of(@Nullable String model, long now) {
    EndpointSpec spec = configured.get();
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
    boolean served = configured.get().upstreams().stream().anyMatch(each -> each.serves(model));
    return served ? Reason.NO_HEALTHY_UPSTREAM : Reason.NO_UPSTREAM_FOR_MODEL;
  }

  @Override
  public Bounds bounds() {
    return configured.get().waiting().bounds();
  }

  @Override
  public int maxBlocked() {
    return configured.get().waiting().maxBlocked();
  }

  @Override
  public Discipline<Pending> discipline() {
    EndpointSpec.Scheduling scheduling = configured.get().scheduling();
    return Discipline.of(
        scheduling.order(), scheduling.agingNanos(), configured.get().path().hashCode());
  }

  @Override
  public int maxSkips() {
    return configured.get().scheduling().maxSkips();
  }

  @Override
  public Runnable signal() {
    return signal;
  }
}
