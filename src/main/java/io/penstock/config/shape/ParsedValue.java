package io.penstock.config.shape;

/** The result of parsing one value. */
public sealed interface ParsedValue<T> {
  /** The value is usable. */
  record Good<T>(T value) implements ParsedValue<T> {}

  /**
   * The value is not usable.
   *
   * @param problem text that follows the name of the setting: {@code is 'x', expected …}
   */
  record Bad<T>(String problem) implements ParsedValue<T> {}
}
