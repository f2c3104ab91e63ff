package io.penstock.upgrade;

/** The two versions of the program that an upgrade has to do with. */
enum JarVersion {
  /** The version that is upgraded from, or gone back to. */
  PREVIOUS,
  /** The version that this build has made. */
  CURRENT;

  JarVersion other() {
    return this == PREVIOUS ? CURRENT : PREVIOUS;
  }
}
