package io.penstock.sim;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.Registry;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Quota;
import io.penstock.sim.OracleLimit.Ask;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which ways a ticket has, and what it lacks on each. */
final class OracleWays {
  /** The pace is a fraction of a nanosecond an amount; what it says is believed to this much. */
  private static final long PACE_NANOS = 2_000;

  private static final ProviderLedger NONE = new ProviderLedger(0);

  private final Simulation world;
  private final List<SimEndpoint> all = new ArrayList<>();
  private final Map<String, SimEndpoint> live = new TreeMap<>();
  private final Map<String, UpstreamSpec> upstreams = new LinkedHashMap<>();
  private final Map<String, Map<String, SimPool>> pools = new HashMap<>();
  private final Map<String, Map<Measure, OracleSpend.Metering>> kept = new HashMap<>();
  private final IdentityHashMap<Quota, Long> claims = new IdentityHashMap<>();
  private final IdentityHashMap<SimEndpoint, Map<@Nullable String, List<@Nullable SimPool>>> cache =
      new IdentityHashMap<>();

  OracleWays(Simulation world) {
    this.world = world;
  }

  List<SimEndpoint> all() {
    return all;
  }

  List<SimEndpoint> live() {
    return List.copyOf(live.values());
  }

  List<SimPool> pools() {
    List<SimPool> found = new ArrayList<>();
    pools.values().forEach(each -> found.addAll(each.values()));
    return found;
  }

  void applied(List<EndpointSpec> specs) {
    cache.clear();
    Map<String, UpstreamSpec> next = Oracle.upstreams(specs);
    pools.keySet().retainAll(next.keySet());
    next.forEach(
        (id, spec) -> {
          if (!spec.equals(upstreams.get(id))) {
            Collection<SimPool> known = pools.getOrDefault(id, Map.of()).values();
            known.forEach(pool -> pool.apply(spec, world.now()));
          }
        });
    upstreams.clear();
    upstreams.putAll(next);
    Registry registry = world.registry();
    Map<String, SimEndpoint> before = new TreeMap<>(live);
    live.clear();
    for (EndpointSpec spec : specs) {
      SimEndpoint known = before.remove(spec.path());
      if (known != null) {
        known.reconfigure(spec, world.now());
      } else {
        known = new SimEndpoint(registry.find(spec.path()), spec, world.now());
        all.add(known);
      }
      live.put(spec.path(), known);
    }
    before.values().forEach(gone -> gone.removed = true);
  }

  void widened() {
    pools().forEach(SimPool::widen);
  }

  /** The ways of a ticket: one pool each, null where the endpoint answers by itself. */
  List<@Nullable SimPool> of(SimTicket ticket) {
    return cache
        .computeIfAbsent(ticket.endpoint, absent -> new HashMap<>())
        .computeIfAbsent(ticket.model, model -> find(ticket.endpoint, model));
  }

  private List<@Nullable SimPool> find(SimEndpoint endpoint, @Nullable String model) {
    List<@Nullable SimPool> found = new ArrayList<>();
    if (endpoint.spec.permit()) {
      found.add(null);
    }
    for (UpstreamSpec spec : endpoint.spec.upstreams()) {
      boolean serves = spec.models().isEmpty() || model == null || spec.models().containsKey(model);
      if (serves && spec.disabledBecause() == null) {
        found.add(pool(endpoint, spec.id(), model));
      }
    }
    return found;
  }

  SimPool pool(SimEndpoint endpoint, String id, @Nullable String model) {
    UpstreamSpec spec = upstreams.get(id);
    if (spec == null || !endpoint.spec.upstreams().contains(spec)) {
      throw new Violation(endpoint.spec.path() + " does not know upstream " + id);
    }
    String own = model == null ? "*" : spec.models().getOrDefault(model, model);
    Upstream upstream = Oracle.upstream(world, id);
    return pools
        .computeIfAbsent(id, absent -> new TreeMap<>())
        .computeIfAbsent(
            own,
            name ->
                new SimPool(
                    upstream,
                    spec,
                    id + "/" + name,
                    upstream.pool(model, world.now()),
                    kept.computeIfAbsent(id + "/" + name, absent -> new EnumMap<>(Measure.class)),
                    world.window(),
                    world.now()));
  }

  static OracleSpend.@Nullable Metering own(SimEndpoint endpoint) {
    OracleLimit own = endpoint.own;
    if (own == null) {
      return null;
    }
    boolean tokens = own.spec() instanceof LimitSpec.FixedWindow;
    return new OracleSpend.Metering(tokens ? Measure.TOKENS : Measure.REQUESTS, own, NONE);
  }

  /** Says why a pool does not let a ticket go, or null when it does, claims aside. */
  static @Nullable String obstacle(SimPool pool, SimTicket ticket, long now, long pace) {
    for (OracleSpend.Metering metering : pool.limits.values()) {
      Ask ask = OracleSpend.ask(metering.measure(), pool.spec.charge(), ticket.cost);
      String found = obstacle(metering, ask, now, pace);
      if (found != null) {
        return pool.name + " " + found;
      }
    }
    return null;
  }

  static @Nullable String obstacle(SimEndpoint endpoint, SimTicket ticket, long now) {
    OracleSpend.Metering own = own(endpoint);
    if (own == null) {
      return null;
    }
    Ask ask = OracleSpend.ask(own.measure(), Charge.TOTAL, ticket.cost);
    return obstacle(own, ask, now, Long.MAX_VALUE);
  }

  private static @Nullable String obstacle(
      OracleSpend.Metering metering, Ask ask, long now, long pace) {
    OracleLimit limit = metering.limit();
    if (!limit.admits(ask, now)) {
      return "has " + limit.free(now) + " free of " + limit.spec() + " for " + ask;
    }
    if (pace < Long.MAX_VALUE && limit.paced(ask) > pace) {
      return "is paced until " + limit.paced(ask) + " by " + limit.spec() + " for " + ask;
    }
    return null;
  }

  /** Whether a pool lacks room for it for sure, the pace included. */
  static boolean lacks(SimPool pool, SimTicket ticket, long now) {
    return obstacle(pool, ticket, now, now + PACE_NANOS) != null;
  }

  /** Whether a pool has room for it for sure, the pace included. */
  static boolean fits(SimPool pool, SimTicket ticket, long now) {
    return obstacle(pool, ticket, now, now - PACE_NANOS) == null;
  }

  /** Whether the window of a pool has room for it. */
  static boolean inWindow(SimPool pool, SimTicket ticket, long now) {
    return obstacle(pool, ticket, now, Long.MAX_VALUE) == null;
  }

  boolean possible(SimTicket ticket) {
    List<@Nullable SimPool> ways = of(ticket);
    OracleSpend.Metering own = own(ticket.endpoint);
    if (own != null
        && !own.limit().possible(OracleSpend.ask(own.measure(), Charge.TOTAL, ticket.cost))) {
      return false;
    }
    return ways.stream().anyMatch(pool -> pool == null || possible(pool, ticket));
  }

  private static boolean possible(SimPool pool, SimTicket ticket) {
    return pool.limits.values().stream()
        .allMatch(
            each ->
                each.limit()
                    .possible(OracleSpend.ask(each.measure(), pool.spec.charge(), ticket.cost)));
  }

  /** Fails unless everything on its way has room for a ticket and is kept for nobody else. */
  void mayTake(SimTicket ticket, @Nullable SimPool pool, long now) {
    String why = obstacle(ticket.endpoint, ticket, now);
    if (why == null && pool != null) {
      why = obstacle(pool, ticket, now, now + PACE_NANOS);
    }
    if (why == null && ticket.endpoint.quota.line().keptFrom(ticket.order)) {
      why = "its endpoint is kept for another";
    }
    if (why == null && pool != null && pool.quota.line().keptFrom(ticket.order)) {
      why = pool.name + " is kept for another";
    }
    if (why != null) {
      throw new Violation("released though " + why + ": " + ticket);
    }
  }

  /** Whether it could go that way now. */
  boolean canGo(SimTicket ticket, @Nullable SimPool pool, long now) {
    return obstacle(ticket.endpoint, ticket, now) == null
        && !ticket.endpoint.quota.line().keptFrom(ticket.order)
        && (pool == null || (!pool.quota.line().keptFrom(ticket.order) && fits(pool, ticket, now)));
  }

  /** Remembers who has claimed what: a claim ends before its ticket is seen to go. */
  void noteClaims(boolean still) {
    for (SimEndpoint endpoint : all) {
      note(endpoint.quota, still);
    }
    for (Map<String, SimPool> each : pools.values()) {
      for (SimPool pool : each.values()) {
        note(pool.quota, still);
      }
    }
  }

  private void note(Quota quota, boolean still) {
    if (!quota.line().kept()) {
      claims.remove(quota);
      return;
    }
    Long known = claims.get(quota);
    if (known != null && !still && !quota.line().keptFrom(known)) {
      return;
    }
    for (SimEndpoint endpoint : all) {
      for (Long order : endpoint.waiting.keySet()) {
        if (!quota.line().keptFrom(order)) {
          claims.put(quota, order);
          if (still && endpoint.paused) {
            throw new Violation(quota + " is kept for one that may not go: " + order);
          }
          return;
        }
      }
    }
    claims.remove(quota);
    if (still) {
      throw new Violation(quota + " is kept for nobody who waits");
    }
  }

  /** Whether a ticket had claimed a quota when it went. */
  boolean hadClaimed(Quota quota, SimTicket ticket) {
    Long claimant = claims.get(quota);
    return claimant != null && claimant == ticket.order;
  }

  String describe(long now) {
    StringBuilder text = new StringBuilder("claims " + claims + "\n");
    for (SimPool pool : pools()) {
      pool.limits.forEach(
          (measure, each) ->
              text.append(pool.name)
                  .append(pool.quota.line().kept() ? " kept " : " ")
                  .append("paced ")
                  .append(each.limit().paced(1) - now)
                  .append(' ')
                  .append(measure)
                  .append(" free ")
                  .append(each.limit().free(now))
                  .append(" held ")
                  .append(each.limit().held())
                  .append(' ')
                  .append(each.limit().spec())
                  .append('\n'));
    }
    return text.toString();
  }
}
