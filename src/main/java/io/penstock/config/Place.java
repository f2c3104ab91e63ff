package io.penstock.config;

import org.yaml.snakeyaml.error.Mark;

/** A position in a file: line and column, both from 1. */
record Place(String file, int line, int column) {
  /** Returns the position of the start of {@code file}. */
  static Place startOf(String file) {
    return new Place(file, 1, 1);
  }

  /** Returns the position of {@code mark}, which counts from 0. */
  static Place of(String file, Mark mark) {
    return new Place(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
