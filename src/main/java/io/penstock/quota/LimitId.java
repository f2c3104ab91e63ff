package io.penstock.quota;

import io.penstock.cost.Measure;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Which limit: the name under which its state is kept, here and wherever it is shared.
 *
 * @param kind whose limit it is
 * @param id the path of the endpoint, the name of the key, group or model, the id of the upstream
 * @param pool the upstream's own name for the model, or the model a key's limit is for; or empty
 * @param measure what it counts
 * @param durationNanos the length of its window, 0 for limits without one
 */
public record LimitId(Kind kind, String id, String pool, Measure measure, long durationNanos) {
  /** Whose limit it is. */
  public enum Kind {
    /** An endpoint's own. */
    ENDPOINT,
    /** An API key's. */
    KEY,
    /** A group of keys'. */
    GROUP,
    /** A model's, under the name the client asks for. */
    MODEL,
    /** An upstream's, for one of its models. */
    UPSTREAM
  }

  /** Returns the name all measures of the limit share, safe as a key of a shared store. */
  public String text() {
    return kind == Kind.UPSTREAM
        ? "ratelimit:" + encoded(id) + ":" + encoded(pool)
        : "limit:"
            + lower(kind.name())
            + ":"
            + encoded(id)
            + (pool.isEmpty() ? "" : ":" + encoded(pool));
  }

  /** Returns the part that tells the measures and windows under one {@link #text} apart. */
  public String field() {
    return lower(measure.name()) + ":" + durationNanos / 1_000_000;
  }

  @Override
  public String toString() {
    return text() + "#" + field();
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static String encoded(String part) {
    // A form encoder: it alone writes a space as a plus, and a plus as %2B.
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
