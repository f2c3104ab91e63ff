package io.penstock.sharing;

import java.util.Locale;

/** How a limit is shared between instances. */
public enum SharingMode {
  /** All instances together never exceed the limit: each spends its share of it. */
  EXACT,
  /** Each instance counts alone and learns the counts of the others a little later. */
  EVENTUAL,
  /** Not shared: each instance has the whole limit. */
  LOCAL;

  /** Returns the name used in configuration, such as {@code exact}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
