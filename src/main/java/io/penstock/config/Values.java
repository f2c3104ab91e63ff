package io.penstock.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of one endpoint or upstream: its own value, else that of its file's
 * defaults, else the default of the table. An upstream also sees the settings of its endpoint.
 */
final class Values {
  private final List<Setting<?>> table;
  private final Section own;
  private final @Nullable Section defaults;
  private final @Nullable Values outer;

  private Values(
      List<Setting<?>> table, Section own, @Nullable Section defaults, @Nullable Values outer) {
    this.table = table;
    this.own = own;
    this.defaults = defaults;
    this.outer = outer;
  }

  static Values ofEndpoint(Section own, Section defaults) {
    return new Values(EndpointSettings.TABLE, own, defaults, null);
  }

  static Values ofUpstream(Section own, Values endpoint) {
    return new Values(UpstreamSettings.TABLE, own, null, endpoint);
  }

  static Values ofPool(Section own, Values upstream) {
    return new Values(PoolSettings.TABLE, own, null, upstream);
  }

  /** Returns the values of a section that inherits from no other. */
  static Values of(List<Setting<?>> table, Section own) {
    return new Values(table, own, null, null);
  }

  /** Returns a value that is set, and its place, ignoring the table's default. */
  <T> Optional<Located<T>> set(Setting<T> setting) {
    Located<T> value = own.get(setting);
    if (value == null && defaults != null && !own.broken(setting)) {
      value = defaults.get(setting);
    }
    return Optional.ofNullable(value);
  }

  private boolean knows(Setting<?> setting) {
    return table.stream().anyMatch(known -> known.name().equals(setting.name()));
  }

  /** Returns the value, if there is one. */
  <T> Optional<T> find(Setting<T> setting) {
    if (outer != null && !knows(setting)) {
      return outer.find(setting);
    }
    Optional<T> value = set(setting).map(Located::value);
    return value.isPresent() ? value : setting.otherwise(this);
  }

  /** Returns the value of a setting that always has one. */
  <T> T get(Setting<T> setting) {
    return find(setting)
        .orElseThrow(() -> new IllegalStateException(setting.name() + " has no value"));
  }

  /** Returns whether each of {@code settings} is usable; an unusable one already has a fault. */
  boolean usable(Setting<?>... settings) {
    for (Setting<?> setting : settings) {
      boolean inherited = defaults != null && own.get(setting) == null && defaults.broken(setting);
      if (own.broken(setting) || inherited) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all settings are usable. */
  boolean usable() {
    return !own.broken() && (defaults == null || !defaults.broken());
  }

  /** Returns the place of {@code setting} in the section itself, else the start of the section. */
  Place place(Setting<?> setting) {
    Located<?> value = own.get(setting);
    return value == null ? own.start() : value.place();
  }

  /**
   * Returns the place of the first of {@code settings} that is set in the section itself, else in
   * the defaults.
   */
  Place placeOfAny(Setting<?>... settings) {
    for (Setting<?> setting : settings) {
      Located<?> value = own.get(setting);
      if (value != null) {
        return value.place();
      }
    }
    for (Setting<?> setting : settings) {
      Located<?> value = defaults == null ? null : defaults.get(setting);
      if (value != null) {
        return value.place();
      }
    }
    return own.start();
  }

  /** Returns the names of the settings that are set. */
  Set<String> stated() {
    return table.stream()
        .filter(setting -> set(setting).isPresent())
        .map(Setting::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the values in the form in which route files write them, in the table's order, without
   * lists of sections.
   */
  Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (Setting<?> setting : table) {
      if (!(setting.shape() instanceof Listing)) {
        show(setting, shown);
      }
    }
    return shown;
  }

  private <T> void show(Setting<T> setting, Map<String, Object> shown) {
    find(setting).ifPresent(value -> shown.put(setting.name(), setting.shape().show(value)));
  }
}
