package io.penstock.config;

import static io.penstock.config.UpstreamSettings.LIMITS;
import static io.penstock.config.UpstreamSettings.MODELS;
import static io.penstock.config.UpstreamSettings.PROXY;
import static io.penstock.config.UpstreamSettings.TLS;
import static io.penstock.config.UpstreamSettings.URL;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks that the settings of one upstream, with its pools, are consistent. */
final class UpstreamCheck {
  private final EffectiveValues upstream;
  private final FaultCollector faultCollector;
  private final Map<String, String> poolOf = new HashMap<>();
  private boolean good = true;

  UpstreamCheck(EffectiveValues upstream, FaultCollector faultCollector) {
    this.upstream = upstream;
    this.faultCollector = faultCollector;
  }

  /** Returns whether all settings are usable and consistent; adds faults for contradictions. */
  boolean passes() {
    if (upstream.usable(URL, TLS, PROXY)) {
      link();
    }
    if (upstream.usable(LIMITS, MODELS)) {
      pools();
    }
    return good && upstream.usable();
  }

  private void link() {
    String scheme = upstream.get(URL).getScheme();
    if (upstream.find(TLS).isPresent() && !scheme.equals("https")) {
      fault(upstream, TLS, "tls is set, but url is no https address, expected one");
    }
    if (upstream.find(PROXY).isPresent() && scheme.equals("mock")) {
      fault(upstream, PROXY, "proxy is set, but url is a mock address, expected another");
    }
  }

  private void pools() {
    List<EffectiveValues> pools = upstream.sections(LIMITS, PoolSettings.TABLE);
    if (!pools.stream().allMatch(EffectiveValues::usable)) {
      good = false;
      return;
    }
    Collection<String> known = upstream.find(MODELS).orElse(Map.of()).values();
    pools.forEach(pool -> models(pool, known));
    Set<String> names = new HashSet<>();
    pools.forEach(pool -> name(pool, names, known));
  }

  /**
   * Checks the models of a pool.
   *
   * @param known the upstream's own names; empty if it takes any
   */
  private void models(EffectiveValues pool, Collection<String> known) {
    for (String model : pool.get(PoolSettings.MODELS)) {
      String other = poolOf.putIfAbsent(model, pool.get(PoolSettings.NAME));
      String quoted = "model " + ScalarValue.quote(model);
      if (other != null) {
        fault(
            pool,
            PoolSettings.MODELS,
            quoted
                + " is in limits %s already, expected it in one"
                    .formatted(ScalarValue.quote(other)));
      } else if (!known.isEmpty() && !known.contains(model)) {
        fault(
            pool,
            PoolSettings.MODELS,
            quoted + " is none of the upstream's own names, expected one of its models");
      }
    }
  }

  private void name(EffectiveValues pool, Set<String> names, Collection<String> known) {
    String name = pool.get(PoolSettings.NAME);
    String quoted = "limits " + ScalarValue.quote(name);
    boolean outside = known.contains(name) || poolOf.containsKey(name);
    if (!names.add(name)) {
      fault(pool, PoolSettings.NAME, quoted + " are there twice, expected another name");
    } else if (outside && !pool.get(PoolSettings.MODELS).contains(name)) {
      fault(
          pool,
          PoolSettings.NAME,
          quoted
              + " have the name of a model that is not among theirs,"
              + " expected another name");
    }
  }

  private void fault(EffectiveValues section, RouteSetting<?> setting, String message) {
    faultCollector.add(section.place(setting), message);
    good = false;
  }
}
