package io.penstock.upgrade;

/** The two versions of the program in an upgrade. */
enum JarVersion {
  /** The version to upgrade from. */
  PREVIOUS,
  /** The version built from the present sources. */
  CURRENT
}
