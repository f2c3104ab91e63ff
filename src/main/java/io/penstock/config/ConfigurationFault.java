package io.penstock.config;

/**
 * An error in a route file.
 *
 * @param file its name as given to the loader; never made absolute
 * @param line from 1; 1 if the fault is about the file as a whole
 * @param column from 1, in characters
 * @param message one line: what is wrong and what was expected, without secrets
 */
public record ConfigurationFault(String file, int line, int column, String message) {
  /** Returns {@code FILE:LINE:COL: message}. */
  @Override
  public String toString() {
    return file + ":" + line + ":" + column + ": " + message;
  }
}
