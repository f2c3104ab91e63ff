package io.penstock.region;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What limits are called in tables: a kind such as {@code key-rpm}, and whose it is. */
final class Naming {
  /** Longer names have no place in a row. */
  static final int MOST_IDENTIFIER = 512;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long MOST_MILLIS = Long.MAX_VALUE / NANOS_PER_MILLI;

  private Naming() {}

  /** Returns the kind of limit, or null when rows know none for it. */
  static @Nullable String namespace(LimitId id) {
    String counts = counts(id.measure(), id.durationNanos() >= LimitSpec.Day.NANOS);
    boolean fits = identifier(id).length() <= MOST_IDENTIFIER;
    return counts == null || !fits ? null : lower(id.kind()) + "-" + counts;
  }

  private static @Nullable String counts(Measure measure, boolean day) {
    return switch (measure) {
      case REQUESTS -> day ? "rpd" : "rpm";
      case TOKENS -> day ? "budget" : "tpm";
      case INPUT_TOKENS, OUTPUT_TOKENS, CONCURRENCY -> null;
    };
  }

  /** Returns whose limit it is: the name, percent-encoded, and after a colon the model. */
  static String identifier(LimitId id) {
    return id.owner();
  }

  static long durationMillis(LimitId id) {
    return id.durationNanos() / NANOS_PER_MILLI;
  }

  /** Returns the limit of a row, or null when it is none that this program writes. */
  static @Nullable LimitId limit(String namespace, String identifier, long durationMillis) {
    int dash = namespace.indexOf('-');
    if (dash < 0 || durationMillis < 1 || durationMillis > MOST_MILLIS) {
      return null;
    }
    long nanos = durationMillis * NANOS_PER_MILLI;
    try {
      for (Measure measure : new Measure[] {Measure.REQUESTS, Measure.TOKENS}) {
        LimitId id =
            LimitId.parse(namespace.substring(0, dash), identifier, lower(measure) + ":" + nanos);
        if (namespace.equals(namespace(id)) && identifier.equals(identifier(id))) {
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
