package io.penstock.config.shape;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One key of route files, the common source of the parser, the documentation and the schema.
 *
 * @param name the key
 * @param otherNames keys that mean the same, which users of other products know
 * @param shape the form of its values
 * @param fallback its value if neither the section nor the defaults set it
 * @param meaning one sentence for the schema, units included
 */
public record RouteSetting<T>(
    String name,
    List<String> otherNames,
    ValueShape<T> shape,
    Fallback<T> fallback,
    String meaning) {

  /** The value of a setting that nothing sets. */
  public sealed interface Fallback<T> {
    /** There is no fallback: the setting must be set. */
    record Required<T>() implements Fallback<T> {}

    /** The setting stays unset. */
    record Unset<T>(String text) implements Fallback<T> {}

    /** A fixed value. */
    record Fixed<T>(T value) implements Fallback<T> {}

    /** Derived from other settings, as {@code text} explains; may still be unset. */
    record Derived<T>(String text, Function<EffectiveValues, Optional<T>> from)
        implements Fallback<T> {}
  }

  public static <T> RouteSetting<T> required(
      String name, ValueShape<T> valueShape, String meaning) {
    return new RouteSetting<>(name, List.of(), valueShape, new Fallback.Required<>(), meaning);
  }

  public static <T> RouteSetting<T> fixed(
      String name, ValueShape<T> valueShape, T value, String meaning) {
    return new RouteSetting<>(name, List.of(), valueShape, new Fallback.Fixed<>(value), meaning);
  }

  public static <T> RouteSetting<T> unset(
      String name, ValueShape<T> valueShape, String text, String meaning) {
    return new RouteSetting<>(name, List.of(), valueShape, new Fallback.Unset<>(text), meaning);
  }

  public static <T> RouteSetting<T> derived(
      String name,
      ValueShape<T> valueShape,
      String text,
      Function<EffectiveValues, T> from,
      String meaning) {
    return sometimes(
        name,
        valueShape,
        text,
        effectiveValues -> Optional.of(from.apply(effectiveValues)),
        meaning);
  }

  public static <T> RouteSetting<T> sometimes(
      String name,
      ValueShape<T> valueShape,
      String text,
      Function<EffectiveValues, Optional<T>> from,
      String meaning) {
    return new RouteSetting<>(
        name, List.of(), valueShape, new Fallback.Derived<>(text, from), meaning);
  }

  /** Returns the same setting, which may also be written under other names. */
  public RouteSetting<T> alsoCalled(String... names) {
    return new RouteSetting<>(name, List.of(names), shape, fallback, meaning);
  }

  /** Returns the value if nothing sets it. */
  Optional<T> otherwise(EffectiveValues effectiveValues) {
    return switch (fallback) {
      case Fallback.Fixed<T>(T value) -> Optional.of(value);
      case Fallback.Derived<T> derived -> derived.from().apply(effectiveValues);
      case Fallback.Required<T> required -> Optional.empty();
      case Fallback.Unset<T> unset -> Optional.empty();
    };
  }
}
