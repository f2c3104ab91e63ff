package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.dispatch.LaneKey;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RendezvousHash;
import io.penstock.dispatch.RouteSource;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketRoute;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamHold;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.DisciplineFactory;
import io.penstock.queue.QueueBounds;
import io.penstock.queue.QueueDiscipline;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of an endpoint's tickets, as its present configuration has them. */
final class RouteTable implements RouteSource {
  /** Part of a limit, used beyond the mean of all upstreams, above which no prefix is new there. */
  private static final double MORE_USE = 0.2;

  private final PrefixPlaces places = new PrefixPlaces();
  private final UpstreamRegistry upstreamRegistry;
  private final ModelQuotas models;
  private final Supplier<EndpointSpec> configuration;
  private final Quota own;
  private final Runnable signal;

  RouteTable(
      EndpointServices services, Supplier<EndpointSpec> configuration, Quota own, Runnable signal) {
    this.upstreamRegistry = services.upstreams();
    this.models = services.models();
    this.configuration = configuration;
    this.own = own;
    this.signal = signal;
  }

  @Override
  public List<TicketRoute> of(LaneKey laneKey, long now) {
    EndpointSpec spec = configuration.get();
    if (spec.permit()) {
      Quota ofModel = ofModel(laneKey.model(), laneKey, now);
      List<Quota> quotas = quotas(laneKey, ofModel, null, List.of(), now);
      return List.of(new TicketRoute(null, null, null, ofModel, quotas));
    }
    List<TicketRoute> routes = new ArrayList<>();
    add(routes, laneKey.model(), laneKey, now);
    EndpointSpec.Fallback fallback =
        laneKey.withFallbacks() ? spec.fallback(laneKey.model()) : null;
    if (fallback != null) {
      fallback.models().forEach(model -> add(routes, model, laneKey, now));
    }
    return chosen(routes, laneKey);
  }

  /**
   * Returns one route for each upstream, with all its pools that were used. Requests without a
   * known model take these.
   */
  List<TicketRoute> ofAnyModel() {
    EndpointSpec spec = configuration.get();
    if (spec.permit()) {
      return List.of(new TicketRoute(null, null, null, null, List.of(own)));
    }
    List<TicketRoute> routes = new ArrayList<>();
    for (UpstreamSpec each : spec.upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled()) {
        List<Quota> quotas = new ArrayList<>(upstream.pools().values());
        quotas.add(own);
        routes.add(new TicketRoute(upstream, null, null, null, quotas));
      }
    }
    return routes;
  }

  /**
   * Returns the largest stated maximum of output with which a request for {@code model} fits into
   * the pool of at least one enabled upstream.
   */
  long mostStatedOutput(@Nullable String model, Cost cost, long now) {
    long most = Long.MIN_VALUE;
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        most = Math.max(most, upstream.pool(model, now).mostStatedOutput(cost));
      }
    }
    return most;
  }

  /** As {@link Endpoint#mostInput}. */
  long mostInput(@Nullable String model, Cost cost, @Nullable CallerAccount account, long now) {
    long most = own.mostInput(cost);
    Quota ofModel = models.of(model, now);
    if (ofModel != null) {
      most = Math.min(most, ofModel.mostInput(cost));
    }
    if (account != null) {
      for (Quota each : account.quotas(model, now)) {
        most = Math.min(most, each.mostInput(cost));
      }
    }
    long pool = Long.MIN_VALUE;
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        pool = Math.max(pool, upstream.pool(model, now).mostInput(cost));
      }
    }
    return pool == Long.MIN_VALUE ? most : Math.min(most, pool);
  }

  /** As {@link Endpoint#ownerOfTokenLimit}. */
  @Nullable String ownerOfTokenLimit(@Nullable CallerAccount callerAccount, long now) {
    if (callerAccount != null) {
      for (Quota each : callerAccount.quotas(null, now)) {
        if (each.limitsTokens()) {
          return each.ofKey() ? "key " + callerAccount.name() : each.name();
        }
      }
    }
    if (own.limitsTokens()) {
      return own.name();
    }
    for (UpstreamSpec each : configuration.get().upstreams()) {
      if (each.access().disabledBecause() == null && each.budget().limitsTokens()) {
        return "upstream " + each.id();
      }
    }
    String model = models.limitedInTokens();
    return model == null ? null : "model " + model;
  }

  /** Informs the upstreams that may serve a new request of its arrival. */
  void arrived(TicketRequest ticketRequest, long now) {
    Object tenant = ticketRequest.sender().tenant();
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && each.serves(ticketRequest.model())) {
        upstream.arrived(tenant, now);
      }
    }
  }

  /** Returns the key of a new request's lane, with the upstream to which it is kept. */
  LaneKey kept(LaneKey laneKey, TicketRequest ticketRequest, long now) {
    TicketRequest.RequestAffinity affinity = ticketRequest.affinity();
    return affinity.at() == null
        ? laneKey.keptTo(keptTo(affinity, ticketRequest.model(), now))
        : laneKey.onlyTo(affinity.at());
  }

  @Override
  public @Nullable String keptTo(
      TicketRequest.RequestAffinity affinity, @Nullable String model, long now) {
    if (affinity.with() == null) {
      return null;
    }
    List<UpstreamSpec> all = new ArrayList<>();
    List<UpstreamSpec> present = new ArrayList<>();
    Map<UpstreamSpec, Double> utilization = new HashMap<>();
    for (UpstreamSpec each : configuration.get().upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        all.add(each);
        Quota pool = upstream.pool(model, now);
        if (!upstream.readiness(pool, now).away(now)) {
          if (each.id().equals(affinity.holder())) {
            return each.id();
          }
          present.add(each);
          if (affinity.passes()) {
            utilization.put(each, pool.globalUtilization(now));
          }
        }
      }
    }
    List<UpstreamSpec> candidates = present.isEmpty() ? all : present;
    return affinity.passes()
        ? places.place(affinity.with(), model, lessUsed(candidates, utilization))
        : RendezvousHash.choose(affinity.with(), candidates);
  }

  /** Returns the upstreams that are not used much more than the others. */
  private static List<UpstreamSpec> lessUsed(
      List<UpstreamSpec> upstreams, Map<UpstreamSpec, Double> utilization) {
    double sum = 0;
    for (UpstreamSpec each : upstreams) {
      sum += utilization.getOrDefault(each, 0.0);
    }
    double most = sum / Math.max(1, upstreams.size()) + MORE_USE;
    return upstreams.stream().filter(each -> utilization.getOrDefault(each, 0.0) <= most).toList();
  }

  private @Nullable Quota ofModel(@Nullable String model, LaneKey laneKey, long now) {
    return laneKey.alreadyCharged() ? null : models.of(model, now);
  }

  /**
   * Returns the quotas in the order in which they are charged; for a ticket that came back, only
   * the upstream's is left to charge.
   */
  private List<Quota> quotas(
      LaneKey laneKey, @Nullable Quota ofModel, @Nullable Quota pool, List<Quota> holds, long now) {
    if (laneKey.alreadyCharged() && holds.isEmpty()) {
      return pool == null ? List.of() : List.of(pool);
    }
    CallerAccount callerAccount = laneKey.account();
    boolean few = callerAccount == null && ofModel == null && laneKey.warmup() == null;
    if (few && holds.isEmpty()) {
      return pool == null ? List.of(own) : List.of(pool, own);
    }
    List<Quota> quotas = new ArrayList<>();
    if (laneKey.warmup() != null) {
      quotas.add(laneKey.warmup().quota());
    }
    if (callerAccount != null) {
      quotas.addAll(callerAccount.quotas(laneKey.model(), now));
    }
    quotas.addAll(holds);
    for (Quota each : Arrays.asList(ofModel, pool, laneKey.alreadyCharged() ? null : own)) {
      if (each != null) {
        quotas.add(each);
      }
    }
    return quotas;
  }

  private static List<Quota> holds(LaneKey laneKey, String upstream) {
    return laneKey.holds().isEmpty()
        ? List.of()
        : laneKey.holds().stream()
            .filter(each -> each.upstream().equals(upstream))
            .map(UpstreamHold::quota)
            .toList();
  }

  private void add(List<TicketRoute> routes, @Nullable String model, LaneKey laneKey, long now) {
    Quota ofModel = ofModel(model, laneKey, now);
    EndpointSpec spec = configuration.get();
    boolean inOrder = spec.forwarding().order() == EndpointSpec.UpstreamOrder.FIRST_FIT;
    for (UpstreamSpec each : spec.upstreams()) {
      Upstream upstream = upstreamRegistry.find(each.id());
      if (upstream != null && upstream.enabled() && each.serves(model)) {
        Quota pool = upstream.pool(model, now);
        List<Quota> quotas = quotas(laneKey, ofModel, pool, holds(laneKey, each.id()), now);
        int rank = inOrder ? routes.size() : 0;
        routes.add(new TicketRoute(upstream, model, pool, ofModel, quotas, rank));
      }
    }
  }

  /**
   * Leaves out routes by upstream. If the only upstream allowed is gone, the ticket may go to any.
   */
  private static List<TicketRoute> chosen(List<TicketRoute> routes, LaneKey laneKey) {
    if (laneKey.onlyUpstream() == null && laneKey.avoidedUpstreams().isEmpty()) {
      return routes;
    }
    List<TicketRoute> kept =
        routes.stream().filter(route -> route.leadsTo(laneKey.onlyUpstream())).toList();
    List<TicketRoute> allowed = kept.isEmpty() ? routes : kept;
    List<TicketRoute> others =
        allowed.stream().filter(route -> !route.leadsTo(laneKey.avoidedUpstreams())).toList();
    return others.isEmpty() ? allowed : others;
  }

  @Override
  public RefusalReason noRouteReason(@Nullable String model) {
    boolean served = configuration.get().upstreams().stream().anyMatch(each -> each.serves(model));
    return served ? RefusalReason.NO_HEALTHY_UPSTREAM : RefusalReason.NO_UPSTREAM_FOR_MODEL;
  }

  @Override
  public QueueBounds bounds() {
    return configuration.get().waiting().bounds();
  }

  @Override
  public int maxBlocked() {
    return configuration.get().waiting().maxBlocked();
  }

  @Override
  public QueueDiscipline<ParkedTicket> discipline() {
    EndpointSpec spec = configuration.get();
    EndpointSpec.Scheduling scheduling = spec.scheduling();
    return DisciplineFactory.create(
        scheduling.order(), scheduling.agingNanos(), spec.path().hashCode());
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
