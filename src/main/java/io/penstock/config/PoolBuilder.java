package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.SharedPool;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks that the {@code limits} of one upstream are consistent, and builds its shared pools. */
final class PoolBuilder {
  private final FaultCollector faultCollector;
  private final List<EffectiveValues> entries;

  /** The upstream's own model names; empty if it takes any. */
  private final Set<String> known;

  PoolBuilder(EffectiveValues upstream, FaultCollector faultCollector) {
    this.faultCollector = faultCollector;
    this.entries =
        upstream.get(UpstreamSettings.LIMITS).stream()
            .map(section -> EffectiveValues.inside(upstream, PoolSettings.TABLE, section))
            .toList();
    this.known = Set.copyOf(upstream.find(UpstreamSettings.MODELS).orElse(Map.of()).values());
  }

  /** Returns the pools; empty if any of them has a fault. */
  Optional<List<SharedPool>> build() {
    if (!entries.stream().allMatch(EffectiveValues::usable)) {
      return Optional.empty();
    }
    Map<String, String> poolOf = new HashMap<>();
    boolean good = true;
    for (EffectiveValues entry : entries) {
      good &= models(entry, poolOf);
    }
    Map<String, EffectiveValues> byName = new HashMap<>();
    for (EffectiveValues entry : entries) {
      good &= name(entry, byName, poolOf);
    }
    return good ? Optional.of(entries.stream().map(PoolBuilder::pool).toList()) : Optional.empty();
  }

  private boolean models(EffectiveValues entry, Map<String, String> poolOf) {
    String name = entry.get(PoolSettings.NAME);
    boolean good = true;
    for (String model : entry.get(PoolSettings.MODELS)) {
      String other = poolOf.putIfAbsent(model, name);
      String problem = "";
      if (other != null) {
        problem = "is in limits %s already, expected it in one".formatted(ScalarValue.quote(other));
      } else if (!known.isEmpty() && !known.contains(model)) {
        problem = "is none of the upstream's own names, expected one of its models";
      }
      if (!problem.isEmpty()) {
        fault(entry, PoolSettings.MODELS, "model " + ScalarValue.quote(model) + " " + problem);
        good = false;
      }
    }
    return good;
  }

  private boolean name(
      EffectiveValues entry, Map<String, EffectiveValues> byName, Map<String, String> poolOf) {
    String name = entry.get(PoolSettings.NAME);
    boolean twice = byName.putIfAbsent(name, entry) != null;
    boolean outside = known.contains(name) || poolOf.containsKey(name);
    if (twice) {
      fault(
          entry,
          PoolSettings.NAME,
          "limits " + ScalarValue.quote(name) + " are there twice, expected another name");
    } else if (outside && !entry.get(PoolSettings.MODELS).contains(name)) {
      fault(
          entry,
          PoolSettings.NAME,
          "limits "
              + ScalarValue.quote(name)
              + " have the name of a model that is not among theirs,"
              + " expected another name");
    } else {
      return true;
    }
    return false;
  }

  private void fault(EffectiveValues entry, RouteSetting<?> setting, String message) {
    faultCollector.add(entry.place(setting), message);
  }

  private static SharedPool pool(EffectiveValues entry) {
    return new SharedPool(
        entry.get(PoolSettings.NAME),
        Set.copyOf(entry.get(PoolSettings.MODELS)),
        new Limits(
            entry.get(PoolSettings.RPM),
            entry.get(PoolSettings.TPM),
            entry.get(PoolSettings.ITPM),
            entry.get(PoolSettings.OTPM),
            entry.get(PoolSettings.RPD),
            entry.get(PoolSettings.CONCURRENCY)));
  }

  /** Returns the pools in the form in which route files write them. */
  List<Map<String, Object>> shown() {
    List<Map<String, Object>> shown = new ArrayList<>();
    entries.forEach(entry -> shown.add(entry.shown()));
    return shown;
  }
}
