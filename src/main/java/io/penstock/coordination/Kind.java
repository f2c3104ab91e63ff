package io.penstock.coordination;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What an object is. Names are unique within a kind. */
public enum Kind {
  /** So many may pass in each interval. */
  TOKENBUCKET,
  /** So many may hold a place at the same time. */
  SEMAPHORE,
  /** Those who wait go once it was sent; it is sent once. */
  EVENT,
  /** Those who wait go when it was not kicked in time. */
  WATCHDOG,
  /** A number. */
  COUNTER,
  /** Those who wait go once there are enough of them. */
  BARRIER;

  private final String word;

  Kind() {
    this.word = name().toLowerCase(Locale.ROOT);
  }

  /** Returns what paths call it, such as {@code tokenbucket}. */
  public String word() {
    return word;
  }

  /** Returns the kind that paths call so, or null. */
  public static @Nullable Kind of(String word) {
    for (Kind kind : values()) {
      if (kind.word.equals(word)) {
        return kind;
      }
    }
    return null;
  }
}
