package io.penstock.wire;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The ids requests go by. */
public final class RequestIds {
  private static final Pattern TAKEN = Pattern.compile("[\\x21-\\x7e]{1,128}");

  private RequestIds() {}

  /** Returns the id a client gave; one that would not fit a header or a log line is replaced. */
  public static String of(@Nullable String given) {
    return given != null && TAKEN.matcher(given).matches() ? given : next();
  }

  /** Returns a new id. */
  static String next() {
    // Unique is enough, and unlike a secure random one it never blocks.
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return new UUID(random.nextLong(), random.nextLong()).toString();
  }
}
