package io.penstock.coordination;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Kind of coordination object. Names are unique within a kind. */
public enum ObjectKind {
  /** Lets a number of clients pass in each interval. */
  TOKENBUCKET,
  /** Lets a number of clients hold a permit at the same time. */
  SEMAPHORE,
  /** Releases its waiters when it is sent, which happens once. */
  EVENT,
  /** Releases its waiters when it was not kicked in time. */
  WATCHDOG,
  /** A number. */
  COUNTER,
  /** Releases its waiters once there are enough of them. */
  BARRIER;

  private final String word;

  ObjectKind() {
    this.word = name().toLowerCase(Locale.ROOT);
  }

  /** Returns the name used in paths, such as {@code tokenbucket}. */
  public String word() {
    return word;
  }

  /** Returns the kind with that name in paths, or null. */
  public static @Nullable ObjectKind of(String word) {
    for (ObjectKind objectKind : values()) {
      if (objectKind.word.equals(word)) {
        return objectKind;
      }
    }
    return null;
  }
}
