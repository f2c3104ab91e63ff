package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.simulator.OracleLimit.Ask;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The routes of each ticket, and what it lacks on each. */
final class OracleWays {
  /** Tolerance for the pace, which is a fraction of a nanosecond for each token. */
  private static final long PACE_NANOS = 2_000;

  private final SimWorld world;
  private final List<SimEndpoint> all = new ArrayList<>();
  private final Map<String, SimEndpoint> live = new TreeMap<>();
  private final Map<String, UpstreamSpec> upstreams = new LinkedHashMap<>();
  private final Map<String, Map<String, SimPool>> pools = new HashMap<>();
  private final Map<String, SimGate> gates = new HashMap<>();
  private final List<SimPool> allPools = new ArrayList<>();
  private final IdentityHashMap<SimEndpoint, Map<SimLaneKey, List<@Nullable SimPool>>> cache =
      new IdentityHashMap<>();
  private final OracleDynamics dynamics;
  private final OracleClaims claims;
  private final OracleAvoiding avoiding;
  private List<SimEndpoint> living = List.of();

  /** Number of configurations applied so far. */
  private int generation;

  OracleWays(SimWorld world, EventCounts eventCounts) {
    this.world = world;
    this.dynamics = new OracleDynamics(world, all, live);
    this.claims = new OracleClaims(world, all, allPools);
    this.avoiding = new OracleAvoiding(world, this, eventCounts);
  }

  List<SimEndpoint> all() {
    return all;
  }

  List<SimEndpoint> live() {
    return living;
  }

  List<SimPool> pools() {
    return allPools;
  }

  OracleAvoiding avoiding() {
    return avoiding;
  }

  void applied(List<EndpointSpec> specs) {
    generation++;
    cache.clear();
    Map<String, UpstreamSpec> next = upstreams(specs);
    next.forEach(
        (id, spec) -> {
          if (!spec.equals(upstreams.get(id))) {
            gate(id).forget(world.now());
            Collection<SimPool> known = pools.getOrDefault(id, Map.of()).values();
            known.forEach(pool -> pool.apply(spec, world.now()));
          }
        });
    upstreams.clear();
    upstreams.putAll(next);
    EndpointRegistry endpointRegistry = world.registry();
    Map<String, SimEndpoint> before = new TreeMap<>(live);
    live.clear();
    for (EndpointSpec spec : specs) {
      SimEndpoint known = before.remove(spec.path());
      if (known != null) {
        known.reconfigure(spec, world.now());
      } else {
        known =
            new SimEndpoint(endpointRegistry.find(spec.path()), spec, world.fault(), world.now());
        all.add(known);
      }
      live.put(spec.path(), known);
    }
    Map<String, SimEndpoint> configured = Map.copyOf(live);
    before.forEach((path, each) -> follow(path, each, configured));
    refresh();
    for (SimEndpoint each : living) {
      each.waiting.forEach(this::look); // the upstream it avoided may be the only one left
    }
  }

  /** Returns the upstreams of a configuration by id. */
  private static Map<String, UpstreamSpec> upstreams(List<EndpointSpec> specs) {
    Map<String, UpstreamSpec> found = new LinkedHashMap<>();
    specs.forEach(spec -> spec.upstreams().forEach(each -> found.put(each.id(), each)));
    return found;
  }

  private void follow(String path, SimEndpoint endpoint, Map<String, SimEndpoint> configured) {
    EndpointSpec next =
        endpoint.spec.isDynamic() ? OracleDynamics.following(endpoint, configured) : null;
    endpoint.removed = next == null;
    if (next != null) {
      endpoint.reconfigure(next, world.now());
      live.put(path, endpoint);
    }
  }

  private void refresh() {
    living = List.copyOf(live.values());
  }

  /** Notes that a request for a path entered that endpoint. */
  SimEndpoint entered(String path, Endpoint endpoint) {
    SimEndpoint known = dynamics.entered(path, endpoint);
    refresh();
    return known;
  }

  void left(SimEndpoint endpoint) {
    dynamics.left(endpoint);
  }

  /** Finds the dynamic endpoints that are gone. */
  void follow() {
    dynamics.follow();
    refresh();
  }

  /** Returns how many dynamic endpoints were reclaimed, when nothing happens any more. */
  long over() {
    dynamics.over();
    return dynamics.givenUp();
  }

  void still(long until) {
    dynamics.still(until);
  }

  void widened() {
    allPools.forEach(SimPool::widen);
  }

  /** Returns the routes of a ticket: one pool each, null if the endpoint answers by itself. */
  List<@Nullable SimPool> of(SimTicket ticket) {
    look(ticket);
    return ticket.ways;
  }

  /** Updates a ticket for the present configuration. */
  private void look(SimTicket ticket) {
    if (ticket.generation != generation) {
      boolean comes = ticket.generation == 0;
      ticket.generation = generation;
      route(ticket);
      // Tickets of a paused endpoint are updated when it resumes.
      if (!ticket.possible || comes || !ticket.endpoint.paused) {
        avoiding.look(ticket);
      }
    }
  }

  /** Finds the routes of a ticket. */
  void route(SimTicket ticket) {
    ticket.ways = ways(ticket);
    ticket.possible = possible(ticket, ticket.ways);
  }

  private List<@Nullable SimPool> ways(SimTicket ticket) {
    return cache
        .computeIfAbsent(ticket.endpoint, absent -> new HashMap<>())
        .computeIfAbsent(ticket.facing, facing -> find(ticket.endpoint, facing));
  }

  /** Returns all pools that serve it except the avoided one; that one too if there is no other. */
  private List<@Nullable SimPool> find(SimEndpoint endpoint, SimLaneKey facing) {
    List<@Nullable SimPool> all = find(endpoint, facing.model());
    List<@Nullable SimPool> others = new ArrayList<>();
    for (SimPool pool : all) {
      if (pool == null || !facing.avoids(pool.spec.id())) {
        others.add(pool);
      }
    }
    return others.isEmpty() ? all : others;
  }

  private List<@Nullable SimPool> find(SimEndpoint endpoint, @Nullable String model) {
    List<@Nullable SimPool> found = new ArrayList<>();
    if (endpoint.spec.permit()) {
      found.add(null);
    }
    for (UpstreamSpec spec : endpoint.spec.upstreams()) {
      boolean serves = spec.models().isEmpty() || model == null || spec.models().containsKey(model);
      if (serves && spec.access().disabledBecause() == null) {
        found.add(pool(endpoint, spec.id(), model));
      }
    }
    return found;
  }

  SimPool pool(SimEndpoint endpoint, String id, @Nullable String model) {
    UpstreamSpec spec = upstreams.get(id);
    if (spec == null || !endpoint.spec.upstreams().contains(spec)) {
      throw new InvariantViolation(endpoint.spec.path() + " does not know upstream " + id);
    }
    String own = model == null ? "*" : spec.models().getOrDefault(model, model);
    return pools
        .computeIfAbsent(id, absent -> new HashMap<>())
        .computeIfAbsent(own, name -> open(spec, name, model));
  }

  /** Returns the gate of an upstream. */
  SimGate gate(String id) {
    return gates.computeIfAbsent(id, absent -> new SimGate());
  }

  List<String> upstreams() {
    return List.copyOf(upstreams.keySet());
  }

  private SimPool open(UpstreamSpec spec, String own, @Nullable String model) {
    Upstream upstream = world.upstream(spec.id());
    String name = spec.id() + "/" + own;
    SimPool pool =
        new SimPool(
            upstream,
            spec,
            name,
            upstream.pool(model, world.now()),
            gate(spec.id()),
            world.window(),
            world.now());
    allPools.add(pool);
    return pool;
  }

  /**
   * Returns whether a limit admits a demand: by its room at {@code now}, and by its pace at {@code
   * pace}.
   */
  private static boolean passes(OracleLimit limit, Ask ask, long now, long pace) {
    return limit.admits(ask, now) && (pace == Long.MAX_VALUE || limit.paced(ask) <= pace);
  }

  private static boolean passes(SimPool pool, SimTicket ticket, long now, long pace) {
    if (pool.gate.shut(now)) {
      return false;
    }
    for (OracleSpend.Metering metering : pool.meters) {
      Ask ask = ticket.demand.ask(metering, pool.spec.budget());
      if (!passes(metering.limit(), ask, now, pace)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether its endpoint lacks room for it. */
  static boolean lacks(SimTicket ticket, long now) {
    OracleSpend.Metering own = ticket.owes();
    return own != null
        && !passes(
            own.limit(), ticket.demand.ask(own.measure(), ChargeRule.TOTAL), now, Long.MAX_VALUE);
  }

  /** Returns whether a pool surely lacks room for it, the pace included. */
  static boolean lacks(SimPool pool, SimTicket ticket, long now) {
    return !passes(pool, ticket, now, now + PACE_NANOS);
  }

  /** Returns whether a pool surely has room for it, the pace included. */
  static boolean fits(SimPool pool, SimTicket ticket, long now) {
    return passes(pool, ticket, now, now - PACE_NANOS);
  }

  /** Returns whether the window of a pool has room for it. */
  static boolean inWindow(SimPool pool, SimTicket ticket, long now) {
    return passes(pool, ticket, now, Long.MAX_VALUE);
  }

  boolean possible(SimTicket ticket) {
    look(ticket);
    return ticket.possible;
  }

  private static boolean possible(SimTicket ticket, List<@Nullable SimPool> ways) {
    OracleSpend.Metering own = ticket.owes();
    if (own != null && !own.limit().possible(ticket.demand.ask(own.measure(), ChargeRule.TOTAL))) {
      return false;
    }
    for (SimQuota each : ticket.more()) {
      if (!each.possible(ticket.demand)) {
        return false;
      }
    }
    return ways.stream().anyMatch(pool -> pool == null || possible(pool, ticket));
  }

  /** Returns whether a pool could ever admit a ticket. */
  static boolean possible(SimPool pool, SimTicket ticket) {
    for (OracleSpend.Metering each : pool.meters) {
      if (!each.limit().possible(ticket.demand.ask(each, pool.spec.budget()))) {
        return false;
      }
    }
    return true;
  }

  /** Throws unless everything on its route has room for a ticket and no claim for another. */
  void mayTake(SimTicket ticket, @Nullable SimPool pool, long now) {
    String why = null;
    if (lacks(ticket, now)) {
      why = "its endpoint has no room";
    } else if (pool != null && pool.gate.shut(now)) {
      why = pool.name + " is shut";
    } else if (pool != null && lacks(pool, ticket, now)) {
      why = pool.name + " has no room or is paced";
    } else if (!ticket.facing.paid() && ticket.barredBy(ticket.endpoint.line)) {
      why = "its endpoint is kept for another";
    } else if (pool != null && ticket.barredBy(pool.line)) {
      why = pool.name + " is kept for another";
    }
    for (SimQuota each : ticket.more()) {
      if (each.lacks(ticket.demand, now)) {
        why = each.line.quota + " has no room";
      } else if (ticket.barredBy(each.line)) {
        why = each.line.quota + " is kept for another";
      }
    }
    if (why != null) {
      throw new InvariantViolation("released though " + why + ": " + ticket);
    }
  }

  /** Returns whether it could take that route now. */
  static boolean canGo(SimTicket ticket, @Nullable SimPool pool, long now) {
    for (SimQuota each : ticket.more()) {
      if (each.lacks(ticket.demand, now) || ticket.barredBy(each.line)) {
        return false;
      }
    }
    return !lacks(ticket, now)
        && (ticket.facing.paid() || !ticket.barredBy(ticket.endpoint.line))
        && (pool == null || (!ticket.barredBy(pool.line) && fits(pool, ticket, now)));
  }

  /** Records the claims: a claim ends before its ticket is seen to go. */
  void noteClaims(boolean still) {
    claims.note(still);
  }

  String describe(long now) {
    StringBuilder text = new StringBuilder();
    for (SimPool pool : allPools) {
      pool.limits.forEach(
          (limitMeasure, each) ->
              text.append(pool.name)
                  .append(pool.line.kept() ? " kept for #" + pool.line.claimant() : "")
                  .append(" paced ")
                  .append(each.limit().paced(1) - now)
                  .append(' ')
                  .append(limitMeasure)
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
