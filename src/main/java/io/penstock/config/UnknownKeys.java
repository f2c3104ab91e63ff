package io.penstock.config;

import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import io.penstock.config.shape.WordShapes;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds out in which sections of a route file an unknown key belongs, or which key was meant. */
final class UnknownKeys {
  /** A section of route files, by the name that it has in faults. */
  private record Section(String name, List<RouteSetting<?>> table) {
    boolean has(String key) {
      return table.stream().anyMatch(setting -> names(setting).anyMatch(key::equals));
    }
  }

  private static final List<Section> SECTIONS =
      List.of(
          new Section("endpoints", EndpointSettings.TABLE),
          new Section("upstreams", UpstreamSettings.TABLE),
          new Section("limits", PoolSettings.TABLE),
          new Section("models", ModelSettings.TABLE),
          new Section("keys", KeySettings.TABLE),
          new Section("groups", GroupSettings.TABLE));

  /** Matches what YAML reads as a key where somebody wrote a number with a comma in braces. */
  private static final Pattern THOUSANDS = Pattern.compile("[0-9]{3}");

  private UnknownKeys() {}

  /** Returns the fault for a key of a section that can have only the settings of {@code table}. */
  static String describe(String key, List<RouteSetting<?>> table) {
    String meant = table.equals(KeySettings.TABLE) ? KeySettings.MEANT.get(key) : null;
    if (THOUSANDS.matcher(key).matches()) {
      return "a comma ends a value, so %s begins another, expected a number without commas"
          .formatted(ScalarValue.quote(key));
    }
    return "unknown key "
        + ScalarValue.quote(key)
        + Optional.ofNullable(meant)
            .or(() -> known(key, table))
            .map(UnknownKeys::suggestion)
            .or(() -> elsewhere(key))
            .or(() -> nearest(key, table).map(UnknownKeys::suggestion))
            .orElseGet(() -> ", expected one of " + String.join(", ", firstNames(table)));
  }

  /** Returns in which sections {@code key} belongs, in words that follow the key. */
  static Optional<String> elsewhere(String key) {
    List<String> sections =
        SECTIONS.stream().filter(section -> section.has(key)).map(Section::name).toList();
    if (!sections.isEmpty()) {
      return Optional.of(" here, expected it in one of " + WordShapes.oneOf(sections));
    }
    return EndpointSettings.MAX_DYNAMIC_ENDPOINTS.name().equals(key)
        ? Optional.of(" here, expected it in defaults")
        : Optional.empty();
  }

  /** Returns the name in {@code table} of what {@code key} is another name of in some section. */
  private static Optional<String> known(String key, List<RouteSetting<?>> table) {
    return SECTIONS.stream()
        .flatMap(section -> section.table().stream())
        .filter(setting -> setting.otherNames().contains(key))
        .<String>map(RouteSetting::name)
        .filter(firstNames(table)::contains)
        .findFirst();
  }

  /** Returns the first name of the setting that has the most similar name of all. */
  private static Optional<String> nearest(String key, List<RouteSetting<?>> table) {
    List<String> all = table.stream().flatMap(UnknownKeys::names).toList();
    return NearestName.nearest(key, all)
        .flatMap(
            near ->
                table.stream()
                    .filter(setting -> names(setting).anyMatch(near::equals))
                    .<String>map(RouteSetting::name)
                    .findFirst());
  }

  private static Stream<String> names(RouteSetting<?> setting) {
    return Stream.concat(Stream.of(setting.name()), setting.otherNames().stream());
  }

  private static List<String> firstNames(List<RouteSetting<?>> table) {
    return table.stream().<String>map(RouteSetting::name).toList();
  }

  private static String suggestion(String name) {
    return ", did you mean '" + name + "'?";
  }
}
