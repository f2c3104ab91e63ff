package io.penstock.config;

import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import java.util.List;
import java.util.Optional;

/** Finds out where in a route file an unknown key belongs, or which key was meant. */
final class UnknownKeys {
  private UnknownKeys() {}

  /** Returns the fault for a key of a section that can have only {@code known} keys. */
  static String describe(String key, List<String> known) {
    String fault = "unknown key " + ScalarValue.quote(key);
    String meant = known.equals(names(KeySettings.TABLE)) ? KeySettings.MEANT.get(key) : null;
    if (meant != null) {
      return fault + ", did you mean '" + meant + "'?";
    }
    if (has(UpstreamSettings.TABLE, key)) {
      return fault + " here, expected it in one of upstreams";
    }
    if (has(EndpointSettings.TABLE, key)) {
      return fault + " here, expected it in one of endpoints";
    }
    if (has(EndpointSettings.DEFAULTS, key)) {
      return fault + " here, expected it in defaults";
    }
    if (has(PoolSettings.TABLE, key)) {
      return fault + " here, expected it in one of limits";
    }
    if (has(ModelSettings.TABLE, key)) {
      return fault + " here, expected it in one of models";
    }
    if (has(KeySettings.TABLE, key)) {
      return fault + " here, expected it in one of keys";
    }
    Optional<String> near = NearestName.nearest(key, known);
    if (near.isPresent()) {
      return fault + ", did you mean '" + near.get() + "'?";
    }
    return fault + ", expected one of " + String.join(", ", known);
  }

  private static boolean has(List<RouteSetting<?>> table, String key) {
    return names(table).contains(key);
  }

  private static List<String> names(List<RouteSetting<?>> table) {
    return table.stream().<String>map(RouteSetting::name).toList();
  }
}
