package io.penstock.prefix;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The beginnings of a prompt that a provider may have in its cache.
 *
 * @param boundaries where they end, the longest beginning last
 * @param automatic whether the provider caches by itself, and does not state what it writes
 */
public record PromptPrefix(List<Boundary> boundaries, boolean automatic) {
  /** Nothing that a provider caches. */
  public static final PromptPrefix NONE = new PromptPrefix(List.of());

  public PromptPrefix {
    boundaries = List.copyOf(boundaries);
  }

  /** Creates the beginnings of a prompt with marks by the client. */
  public PromptPrefix(List<Boundary> boundaries) {
    this(boundaries, false);
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
