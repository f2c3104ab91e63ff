package io.penstock.endpoint;

import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.queue.Discipline;
import io.penstock.quota.Account;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of an endpoint's tickets, as its present configuration has them. */
final class Ways implements Routes {
  private final Upstreams upstreams;
  private final ModelQuotas models;
  private final Supplier<EndpointSpec> configuration;
  private final Quota own;
  private final Runnable signal;

  Ways(Endpoint.House house, Supplier<EndpointSpec> configuration, Quota own, Runnable signal) {
    this.upstreams = house.upstreams();
    this.models = house.models();
    this.configuration = configuration;
    this.own = own;
    this.signal = signal;
  }

  @Override
  public List<Route> of(Facing facing, long now) {
    EndpointSpec spec = configuration.get();
    if (spec.permit()) {
      Quota ofModel = ofModel(facing.model(), facing, now);
      List<Quota> quotas = quotas(facing, ofModel, null, now);
      return List.of(new Route(null, null, null, ofModel, quotas));
    }
    List<Route> routes = new ArrayList<>();
    add(routes, facing.model(), facing, now);
    EndpointSpec.Fallback fallback = facing.widely() ? spec.fallback(facing.model()) : null;
    if (fallback != null) {
      fallback.models().forEach(model -> add(routes, model, facing, now));
    }
    return chosen(routes, facing);
  }

  /** Returns the id of the only upstream a request may go to, or null for any. */
  @Nullable String keptTo(Ask ask, long now) {
    if (ask.kept().at() != null || ask.kept().with() == null) {
      return ask.kept().at();
    }
    List<UpstreamSpec> all = new ArrayList<>();
    List<UpstreamSpec> well = new ArrayList<>();
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreams.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(ask.model())) {
        all.add(each);
        if (!upstream.health().onTrial()) {
          well.add(each);
        }
      }
    }
    return Rendezvous.choose(ask.kept().with(), well.isEmpty() ? all : well);
  }

  private @Nullable Quota ofModel(@Nullable String model, Facing facing, long now) {
    return facing.paid() ? null : models.of(model, now);
  }

  /**
   * Returns the quotas in the order in which they are charged; for a ticket that came back, only
   * the upstream's is left to charge.
   */
  private List<Quota> quotas(
      Facing facing, @Nullable Quota ofModel, @Nullable Quota pool, long now) {
    if (facing.paid()) {
      return pool == null ? List.of() : List.of(pool);
    }
    Account account = facing.account();
    if (account == null && ofModel == null) {
      return pool == null ? List.of(own) : List.of(pool, own);
    }
    List<Quota> quotas = new ArrayList<>();
    if (account != null) {
      quotas.addAll(account.quotas(facing.model(), now));
    }
    for (Quota each : Arrays.asList(ofModel, pool)) {
      if (each != null) {
        quotas.add(each);
      }
    }
    quotas.add(own);
    return quotas;
  }

  private void add(List<Route> routes, @Nullable String model, Facing facing, long now) {
    Quota ofModel = ofModel(model, facing, now);
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreams.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        Quota pool = upstream.pool(model, now);
        List<Quota> quotas = quotas(facing, ofModel, pool, now);
        routes.add(new Route(upstream, model, pool, ofModel, quotas));
      }
    }
  }

  /**
   * Leaves out routes by upstream. If the only upstream allowed is gone, the ticket may go to any.
   */
  private static List<Route> chosen(List<Route> routes, Facing facing) {
    if (facing.only() == null && facing.not() == null) {
      return routes;
    }
    List<Route> kept = routes.stream().filter(route -> route.goesTo(facing.only())).toList();
    List<Route> allowed = kept.isEmpty() ? routes : kept;
    List<Route> others = allowed.stream().filter(route -> !route.goesTo(facing.not())).toList();
    return others.isEmpty() ? allowed : others;
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
