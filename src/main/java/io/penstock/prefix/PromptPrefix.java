package io.penstock.prefix;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The beginnings of a prompt that a provider may have in its cache.
 *
 * @param boundaries where they end, the longest beginning last
 */
public record PromptPrefix(List<Boundary> boundaries) {
  /** Nothing that a provider caches. */
  public static final PromptPrefix NONE = new PromptPrefix(List.of());

  public PromptPrefix {
    boundaries = List.copyOf(boundaries);
  }

  /** Returns the longest beginning that the provider stores, or null if it stores none. */
  public @Nullable Boundary stored() {
    for (int i = boundaries.size() - 1; i >= 0; i--) {
      if (boundaries.get(i).stored()) {
        return boundaries.get(i);
      }
    }
    return null;
  }
}
