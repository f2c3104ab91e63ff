package io.penstock.region;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names of limits in the tables: a namespace such as {@code key-rpm}, and an identifier for the
 * owner.
 */
final class LimitNaming {
  /** Maximum length of an identifier in a row. */
  static final int MOST_IDENTIFIER = 512;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MOST_MILLIS = Long.MAX_VALUE / NANOS_PER_MILLI;

  private LimitNaming() {}

  /** Returns the namespace of a limit, or null when the tables have no name for it. */
  static @Nullable String namespace(LimitId id) {
    String counts = counts(id.measure(), id.durationNanos() >= LimitSpec.Day.NANOS);
    boolean fits = id.owner().length() <= MOST_IDENTIFIER;
    return counts == null || !fits ? null : lower(id.kind()) + "-" + counts;
  }

  private static @Nullable String counts(LimitMeasure limitMeasure, boolean day) {
    return switch (limitMeasure) {
      case REQUESTS -> day ? "rpd" : "rpm";
      case TOKENS -> day ? "budget" : "tpm";
      case INPUT_TOKENS, OUTPUT_TOKENS, CONCURRENCY -> null;
    };
  }

  static long durationMillis(LimitId id) {
    return id.durationNanos() / NANOS_PER_MILLI;
  }

  /** Returns the limit of a row, or null when this program does not write such rows. */
  static @Nullable LimitId limit(String namespace, String identifier, long durationMillis) {
    int dash = namespace.indexOf('-');
    if (dash < 0 || durationMillis < 1 || durationMillis > MOST_MILLIS) {
      return null;
    }
    long nanos = durationMillis * NANOS_PER_MILLI;
    try {
      for (LimitMeasure limitMeasure :
          new LimitMeasure[] {LimitMeasure.REQUESTS, LimitMeasure.TOKENS}) {
        LimitId id =
            LimitId.parse(
                namespace.substring(0, dash), identifier, lower(limitMeasure) + ":" + nanos);
        if (namespace.equals(namespace(id)) && identifier.equals(id.owner())) {
          return id;
        }
      }
    } catch (IllegalArgumentException unknown) {
      return null;
    }
    return null;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
