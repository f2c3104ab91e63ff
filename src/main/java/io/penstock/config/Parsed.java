package io.penstock.config;

/** What came of reading one value. */
sealed interface Parsed<T> {
  /** It can be used. */
  record Good<T>(T value) implements Parsed<T> {}

  /**
   * It cannot be used.
   *
   * @param problem goes on after the name of the setting: {@code is 'x', expected …}
   */
  record Bad<T>(String problem) implements Parsed<T> {}
}
