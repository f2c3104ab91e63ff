package io.penstock.config.shape;

import org.yaml.snakeyaml.error.Mark;

/** A position in a file: line and column, both from 1. */
public record SourcePlace(String file, int line, int column) {
  /** Returns the position of the start of {@code file}. */
  public static SourcePlace startOf(String file) {
    return new SourcePlace(file, 1, 1);
  }

  /** Returns the position of {@code mark}, which counts from 0. */
  public static SourcePlace of(String file, Mark mark) {
    return new SourcePlace(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
