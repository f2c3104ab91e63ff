package io.penstock.upgrade;

/** The two versions of the program in an upgrade. */
enum JarVersion {
  /** The version to upgrade from, or to downgrade to. */
  PREVIOUS,
  /** The version built from the present sources. */
  CURRENT;

  JarVersion other() {
    return this == PREVIOUS ? CURRENT : PREVIOUS;
  }
}
