package io.penstock.simulator;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.simulator.SimTicket.Stage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The dynamic endpoints, below configured ones: when they are made, and when they are reclaimed.
 */
final class OracleDynamics {
  private static final long IDLE = 600 * SimScenario.SECOND;

  private final SimWorld world;

  /** All endpoints there were, including removed ones while a request is inside. */
  private final List<SimEndpoint> all;

  private final Map<String, SimEndpoint> live;
  private long givenUp;

  OracleDynamics(SimWorld world, List<SimEndpoint> all, Map<String, SimEndpoint> live) {
    this.world = world;
    this.all = all;
    this.live = live;
  }

  /** Notes the endpoint that a request for a path entered. */
  SimEndpoint entered(String path, Endpoint endpoint) {
    follow();
    SimEndpoint parent = live.get(path.substring(0, path.lastIndexOf('/')));
    if (parent == null) {
      throw new InvariantViolation("nobody serves " + path + ", and yet it has " + endpoint.path());
    }
    SimEndpoint known = live.get(path);
    if (known == null) {
      EndpointSpec.Descendants below = parent.spec.entry().descendants();
      known = below.dynamic() && count() < below.most() ? make(path, endpoint, parent) : parent;
    }
    if (known.endpoint != endpoint) {
      throw new InvariantViolation(
          path + " is served by " + endpoint.path() + ", expected another");
    }
    known.inside++;
    return known;
  }

  private long count() {
    return live.values().stream().filter(each -> each.spec.isDynamic()).count();
  }

  private SimEndpoint make(String path, Endpoint endpoint, SimEndpoint parent) {
    EndpointSpec spec = ChangedSpecs.below(parent.spec, path);
    SimEndpoint made = new SimEndpoint(endpoint, spec, world.fault(), world.now());
    made.emptySince = world.now();
    all.add(made);
    live.put(path, made);
    return made;
  }

  void left(SimEndpoint endpoint) {
    endpoint.inside--;
    endpoint.emptySince = world.now();
  }

  /**
   * Returns the settings of a dynamic endpoint after a new configuration; null if it is removed.
   */
  static @Nullable EndpointSpec following(SimEndpoint child, Map<String, SimEndpoint> live) {
    SimEndpoint parent = live.get(child.spec.entry().path());
    return parent != null && parent.spec.entry().descendants().dynamic()
        ? ChangedSpecs.below(parent.spec, child.spec.path())
        : null;
  }

  /** Finds the endpoints that were reclaimed, and adds their totals to their ancestors'. */
  void follow() {
    EndpointRegistry endpointRegistry = world.registry();
    for (SimEndpoint each : List.copyOf(all)) {
      if (each.spec.isDynamic()) {
        boolean present = endpointRegistry.find(each.spec.path()) == each.endpoint;
        if (present == each.removed) {
          mayBeGivenUp(each);
        }
        if (!present && empty(each)) {
          bequeath(each);
        }
      }
    }
  }

  private static boolean empty(SimEndpoint endpoint) {
    return endpoint.inside == 0
        && endpoint.sum(Stage.WAITING)[0] == 0
        && endpoint.sum(Stage.RUNNING)[0] == 0;
  }

  private void mayBeGivenUp(SimEndpoint endpoint) {
    boolean rested = world.now() - endpoint.emptySince >= IDLE && full(endpoint, world.now());
    if (endpoint.removed || !empty(endpoint) || !rested) {
      throw new InvariantViolation(
          endpoint.spec.path() + " was given up, or is there, and should not");
    }
    givenUp++;
    endpoint.removed = true;
    live.remove(endpoint.spec.path());
  }

  private void bequeath(SimEndpoint endpoint) {
    all.remove(endpoint);
    SimEndpoint heir = live.get(endpoint.spec.entry().path());
    if (heir != null) {
      heir.inherit(endpoint);
    }
  }

  private static boolean full(SimEndpoint endpoint, long now) {
    OracleSpend.Metering own = endpoint.own;
    return own == null
        || (own.limit().free(now) >= own.limit().capacity() && own.limit().held() == 0);
  }

  /** Returns how many were reclaimed because they were idle. */
  long givenUp() {
    return givenUp;
  }

  /** Checks that none is left when nothing happens any more. */
  void over() {
    follow();
    if (count() > 0) {
      throw new InvariantViolation("dynamic endpoints are there for ever: " + live.keySet());
    }
  }

  /**
   * Checks, before a time without events until {@code until}, that endpoints idle for long enough
   * by then are gone.
   */
  void still(long until) {
    for (SimEndpoint each : live.values()) {
      boolean due = each.spec.isDynamic() && empty(each) && until - each.emptySince >= IDLE;
      // A strict limit admits a little before it is as good as new.
      if (due
          && !(each.own != null && each.own.limit() instanceof OracleStrict)
          && full(each, until)) {
        throw new InvariantViolation(each.spec.path() + " is there, though nobody was for long");
      }
    }
  }
}
