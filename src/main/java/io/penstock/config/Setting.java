package io.penstock.config;

import java.util.Optional;
import java.util.function.Function;

/**
 * One key of route files, the common source of the parser, the documentation and the schema.
 *
 * @param name the key
 * @param shape the form of its values
 * @param fallback its value if neither the section nor the defaults set it
 * @param meaning one sentence for the schema, units included
 */
record Setting<T>(String name, Shape<T> shape, Fallback<T> fallback, String meaning) {

  /** The value of a setting that nothing sets. */
  sealed interface Fallback<T> {
    /** There is no fallback: the setting must be set. */
    record Required<T>() implements Fallback<T> {}

    /** The setting stays unset. */
    record Unset<T>(String text) implements Fallback<T> {}

    /** A fixed value. */
    record Fixed<T>(T value) implements Fallback<T> {}

    /** Derived from other settings, as {@code text} explains; may still be unset. */
    record Derived<T>(String text, Function<Values, Optional<T>> from) implements Fallback<T> {}
  }

  static <T> Setting<T> required(String name, Shape<T> shape, String meaning) {
    return new Setting<>(name, shape, new Fallback.Required<>(), meaning);
  }

  static <T> Setting<T> fixed(String name, Shape<T> shape, T value, String meaning) {
    return new Setting<>(name, shape, new Fallback.Fixed<>(value), meaning);
  }

  static <T> Setting<T> unset(String name, Shape<T> shape, String text, String meaning) {
    return new Setting<>(name, shape, new Fallback.Unset<>(text), meaning);
  }

  static <T> Setting<T> derived(
      String name, Shape<T> shape, String text, Function<Values, T> from, String meaning) {
    return sometimes(name, shape, text, values -> Optional.of(from.apply(values)), meaning);
  }

  static <T> Setting<T> sometimes(
      String name,
      Shape<T> shape,
      String text,
      Function<Values, Optional<T>> from,
      String meaning) {
    return new Setting<>(name, shape, new Fallback.Derived<>(text, from), meaning);
  }

  /** Returns the value if nothing sets it. */
  Optional<T> otherwise(Values values) {
    return switch (fallback) {
      case Fallback.Fixed<T>(T value) -> Optional.of(value);
      case Fallback.Derived<T> derived -> derived.from().apply(values);
      case Fallback.Required<T> required -> Optional.empty();
      case Fallback.Unset<T> unset -> Optional.empty();
    };
  }
}
