package io.penstock.config;

import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ValueShape;
import io.penstock.config.shape.WordShapes;
import io.penstock.key.KeyTerms;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One term of a key, as route files, the operator port and the command line know it. Immutable.
 *
 * @param setting its setting in route files and its member in JSON
 * @param value takes it from the terms of a key; null if a key has none
 * @param label its name where commands show a key
 * @param option the option of commands, without dashes; empty if it has options of its own
 * @param values the form of the option's value, such as {@code N}
 * @param none the word that stands for the value of a new key, on the command line only; null if
 *     there is none
 */
public record KeyTerm<T>(
    RouteSetting<T> setting,
    Function<KeyTerms, @Nullable T> value,
    String label,
    String option,
    String values,
    @Nullable String none) {
  /** Returns its name in route files and in JSON. */
  public String name() {
    return setting.name();
  }

  /** Returns one sentence about it. */
  public String meaning() {
    return setting.meaning();
  }

  /** Returns whether its values are true and false. */
  public boolean isFlag() {
    return setting.shape() instanceof WordShapes.Flag;
  }

  /** Returns whether its values are lists. */
  public boolean isList() {
    return !(setting.shape() instanceof ValueShape.OfScalar);
  }

  /**
   * Reads the words of its option; returns the value in types of JSON, or null for {@link #none}.
   *
   * @throws KeyTermsJson.Unclear if they are no value of it
   */
  public @Nullable Object read(String name, List<String> words) {
    if (none != null && words.equals(List.of(none))) {
      return null;
    }
    try {
      return setting.shape().show(JsonTree.read(setting, name, words));
    } catch (KeyTermsJson.Unclear unclear) {
      throw none == null
          ? unclear
          : new KeyTermsJson.Unclear(unclear.getMessage() + ", or '" + none + "'");
    }
  }

  /** Returns its value in types of JSON, or null if a key has none. */
  public @Nullable Object shown(KeyTerms terms) {
    T has = value.apply(terms);
    return has == null ? null : setting.shape().show(has);
  }
}
