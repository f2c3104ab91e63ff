package io.penstock.sharing;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Identity of a limit: the name under which its state is kept, here and wherever it is shared.
 *
 * @param kind the kind of owner
 * @param id the owner: the path of the endpoint, the identity of the key, the name of the group or
 *     model, or the id of the upstream
 * @param pool the upstream's own name for the model, or the model that a limit of a key is for, or
 *     empty
 * @param measure what the limit counts
 * @param durationNanos the length of its window, 0 for limits without one
 */
public record LimitId(Kind kind, String id, String pool, LimitMeasure measure, long durationNanos) {
  /** Kind of owner of a limit. */
  public enum Kind {
    /** An endpoint. */
    ENDPOINT,
    /** An API key. */
    KEY,
    /** A group of keys. */
    GROUP,
    /** A model, by the name that clients use. */
    MODEL,
    /** An upstream, for one of its models. */
    UPSTREAM
  }

  /** Creates the identity of a limit with the window of a specification. */
  public LimitId(Kind kind, String id, String pool, LimitMeasure measure, LimitSpec spec) {
    this(kind, id, pool, measure, spec.windowNanos());
  }

  /** Returns a value that is the same in each run, so that simulations can be repeated. */
  @Override
  public int hashCode() {
    int owner = 31 * (31 * kind.name().hashCode() + id.hashCode()) + pool.hashCode();
    return 31 * (31 * owner + measure.name().hashCode()) + Long.hashCode(durationNanos);
  }

  /**
   * Returns the name that all measures of the limit share. It is safe as a key of a shared store.
   */
  public String text() {
    return kind == Kind.UPSTREAM
        ? "ratelimit:" + encoded(id) + ":" + encoded(pool)
        : "limit:"
            + lower(kind.name())
            + ":"
            + encoded(id)
            + (pool.isEmpty() ? "" : ":" + encoded(pool));
  }

  /**
   * Returns the name of measure and window, unique among the limits with the same {@link #text}.
   */
  public String field() {
    return lower(measure.name()) + ":" + durationNanos / 1_000_000;
  }

  /** Returns owner and pool as one word without spaces. */
  public String owner() {
    return pool.isEmpty() ? encoded(id) : encoded(id) + ":" + encoded(pool);
  }

  /** Returns the measure and the length of the window as one word without spaces. */
  public String counts() {
    return lower(measure.name()) + ":" + durationNanos;
  }

  /**
   * Parses the id of a limit from its kind and what {@link #owner} and {@link #counts} return.
   *
   * @throws IllegalArgumentException when a part is malformed; the message names the part
   */
  public static LimitId parse(String kind, String owner, String counts) {
    int colon = owner.indexOf(':');
    String id = decoded(colon < 0 ? owner : owner.substring(0, colon));
    String pool = colon < 0 ? "" : decoded(owner.substring(colon + 1));
    int cut = counts.indexOf(':');
    if (cut < 0 || !counts.substring(cut + 1).matches("\\d{1,18}")) {
      throw new IllegalArgumentException(
          "measure is '" + counts + "', expected one such as tokens:60000000000");
    }
    return new LimitId(
        named(Kind.class, "kind", kind),
        id,
        pool,
        named(LimitMeasure.class, "measure", counts.substring(0, cut)),
        Long.parseLong(counts.substring(cut + 1)));
  }

  private static <E extends Enum<E>> E named(Class<E> type, String what, String name) {
    for (E each : type.getEnumConstants()) {
      if (lower(each.name()).equals(name)) {
        return each;
      }
    }
    throw new IllegalArgumentException(what + " '" + name + "' is not known");
  }

  private static String decoded(String part) {
    try {
      return URLDecoder.decode(part, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException("id '" + part + "' is not percent-encoded", bad);
    }
  }

  @Override
  public String toString() {
    return text() + "#" + field();
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static String encoded(String part) {
    // The form encoder writes a space as a plus, and a plus as %2B: each plus here is a space.
    return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
