package io.penstock.config.shape;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of one section: its own value, else that of its file's defaults, else the
 * default of the table. A section inside another one also sees the settings of that one: an
 * upstream those of its endpoint.
 */
public final class EffectiveValues {
  private final List<RouteSetting<?>> table;
  private final FileSection own;
  private final @Nullable FileSection defaults;
  private final @Nullable EffectiveValues outer;
  private final boolean rls;

  private EffectiveValues(
      List<RouteSetting<?>> table,
      FileSection own,
      @Nullable FileSection defaults,
      @Nullable EffectiveValues outer,
      boolean rls) {
    this.table = table;
    this.own = own;
    this.defaults = defaults;
    this.outer = outer;
    this.rls = rls;
  }

  /** Returns the values of a section that inherits from no other. */
  public static EffectiveValues of(List<RouteSetting<?>> table, FileSection own) {
    return new EffectiveValues(table, own, null, null, false);
  }

  /**
   * Returns the values of a section that inherits from the defaults of its file.
   *
   * @param rls whether the file is a configuration of rls, in which some defaults are others
   */
  public static EffectiveValues withDefaults(
      List<RouteSetting<?>> table, FileSection own, FileSection defaults, boolean rls) {
    return new EffectiveValues(table, own, defaults, null, rls);
  }

  /**
   * Returns the values of a section inside another one, which also have the settings of {@code
   * outer}.
   */
  static EffectiveValues inside(
      EffectiveValues outer, List<RouteSetting<?>> table, FileSection own) {
    return new EffectiveValues(table, own, null, outer, outer.rls);
  }

  /** Returns the values of each section of a list in this one. */
  public List<EffectiveValues> sections(
      RouteSetting<List<FileSection>> list, List<RouteSetting<?>> of) {
    return get(list).stream().map(section -> inside(this, of, section)).toList();
  }

  /** Returns whether the file is a configuration of rls. */
  public boolean rls() {
    return rls;
  }

  /** Returns a value that is set, and its place, ignoring the table's default. */
  public <T> Optional<LocatedValue<T>> set(RouteSetting<T> routeSetting) {
    LocatedValue<T> value = own.get(routeSetting);
    if (value == null && defaults != null && !own.broken(routeSetting)) {
      value = defaults.get(routeSetting);
    }
    return Optional.ofNullable(value);
  }

  /** Returns whether the section itself sets {@code routeSetting}, with a usable value. */
  public boolean writes(RouteSetting<?> routeSetting) {
    return own.get(routeSetting) != null;
  }

  private boolean knows(RouteSetting<?> routeSetting) {
    return table.stream().anyMatch(known -> known.name().equals(routeSetting.name()));
  }

  /** Returns the value, if there is one. */
  public <T> Optional<T> find(RouteSetting<T> routeSetting) {
    if (outer != null && !knows(routeSetting)) {
      return outer.find(routeSetting);
    }
    Optional<T> value = set(routeSetting).map(LocatedValue::value);
    return value.isPresent() ? value : routeSetting.otherwise(this);
  }

  /** Returns the value of a setting that always has one. */
  public <T> T get(RouteSetting<T> routeSetting) {
    return find(routeSetting)
        .orElseThrow(() -> new IllegalStateException(routeSetting.name() + " has no value"));
  }

  /** Returns whether each of {@code settings} is usable; an unusable one already has a fault. */
  public boolean usable(RouteSetting<?>... settings) {
    for (RouteSetting<?> routeSetting : settings) {
      boolean inherited =
          defaults != null && own.get(routeSetting) == null && defaults.broken(routeSetting);
      if (own.broken(routeSetting) || inherited) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all settings are usable. */
  public boolean usable() {
    return !own.broken() && (defaults == null || !defaults.broken());
  }

  /** Returns the start of the section. */
  public SourcePlace start() {
    return own.start();
  }

  /**
   * Returns the place of {@code routeSetting} in the section itself, else the start of the section.
   */
  public SourcePlace place(RouteSetting<?> routeSetting) {
    LocatedValue<?> value = own.get(routeSetting);
    return value == null ? own.start() : value.place();
  }

  /**
   * Returns the place of the first of {@code settings} that is set in the section itself, else in
   * the defaults.
   */
  public SourcePlace placeOfAny(RouteSetting<?>... settings) {
    for (RouteSetting<?> routeSetting : settings) {
      LocatedValue<?> value = own.get(routeSetting);
      if (value != null) {
        return value.place();
      }
    }
    for (RouteSetting<?> routeSetting : settings) {
      LocatedValue<?> value = defaults == null ? null : defaults.get(routeSetting);
      if (value != null) {
        return value.place();
      }
    }
    return own.start();
  }

  /** Returns the names of the settings that are set. */
  public Set<String> stated() {
    return table.stream()
        .filter(routeSetting -> set(routeSetting).isPresent())
        .map(RouteSetting::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the values in the form in which route files write them, in the table's order, followed
   * by lists of sections that are not empty.
   */
  public Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    Map<String, Object> sections = new LinkedHashMap<>();
    for (RouteSetting<?> routeSetting : table) {
      show(routeSetting, routeSetting.shape() instanceof SectionList ? sections : shown);
    }
    sections.values().removeIf(List.of()::equals);
    shown.putAll(sections);
    return shown;
  }

  private <T> void show(RouteSetting<T> routeSetting, Map<String, Object> shown) {
    find(routeSetting)
        .ifPresent(value -> shown.put(routeSetting.name(), routeSetting.shape().show(value, this)));
  }
}
