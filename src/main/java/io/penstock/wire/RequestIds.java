package io.penstock.wire;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Chooses the ids of requests. */
public final class RequestIds {
  private static final Pattern TAKEN = Pattern.compile("[\\x21-\\x7e]{1,128}");

  private RequestIds() {}

  /** Returns the id that a client gave, or a new one if it would not fit a header or a log line. */
  public static String of(@Nullable String given) {
    return given != null && TAKEN.matcher(given).matches() ? given : next();
  }

  /** Returns a new id. */
  static String next() {
    // Unique is enough, and unlike a secure random id it never blocks.
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }
}
