package io.penstock.quota;

import java.util.Locale;

/** How a limit is shared between instances. */
public enum Sharing {
  /** What all instances spend together never passes it: each spends slices of its own. */
  EXACT,
  /** Each counts alone, and learns a little later what the others counted. */
  EVENTUAL,
  /** Not at all: each instance has the whole limit. */
  LOCAL;

  /** Returns the name people write, such as {@code exact}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
