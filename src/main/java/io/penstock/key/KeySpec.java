package io.penstock.key;

import io.penstock.cost.AllowedCalls;
import io.penstock.cost.ExcessOutput;
import io.penstock.sharing.SharingMode;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checked configuration of an API key. It never contains the secret itself.
 *
 * @param name the unique name for people
 * @param secrets digests of its secrets: the present one, followed during a rotation by the
 *     previous one
 * @param terms what it may use
 * @param identity what its use is remembered under
 */
public record KeySpec(String name, List<Secret> secrets, KeyTerms terms, Identity identity) {
  /** No expiry. */
  public static final long NEVER = Long.MAX_VALUE;

  public KeySpec {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name is blank, expected one");
    }
    secrets = List.copyOf(secrets);
  }

  /** Creates a key with its name as identity. */
  public KeySpec(String name, List<Secret> secrets, KeyTerms terms) {
    this(name, secrets, terms, Identity.ofName(name));
  }

  /**
   * Identity of a key, which tells it from an earlier key of the same name: limits are kept, saved
   * and shared under it.
   *
   * @param limitOwner the owner of its limits, as in {@link io.penstock.sharing.LimitId}; the name
   *     of the key, unless a key of that name was revoked before
   * @param createdAtMillis Unix time in milliseconds at which it was created, {@link #UNKNOWN} for
   *     a key of a route file
   */
  public record Identity(String limitOwner, long createdAtMillis) {
    /** An unknown time of creation. */
    public static final long UNKNOWN = 0;

    /** Returns the identity of a key that is known by its name alone, as in route files. */
    public static Identity ofName(String name) {
      return new Identity(name, UNKNOWN);
    }
  }

  /**
   * Digest of a secret: the SHA-256 of its UTF-8 bytes, in four words of 64 bits.
   *
   * @param validUntilMillis Unix time in milliseconds from which it is invalid, {@link #NEVER} if
   *     it stays valid
   */
  public record Secret(long first, long second, long third, long fourth, long validUntilMillis) {
    private static final int DIGITS = 64;
    private static final int WORD_DIGITS = 16;

    /**
     * Creates a digest.
     *
     * @param sha256 the SHA-256 of the UTF-8 bytes of the secret, as 64 lower-case hexadecimal
     *     digits
     * @param validUntilMillis as in the record
     */
    public Secret(String sha256, long validUntilMillis) {
      this(
          word(checked(sha256), 0),
          word(sha256, 1),
          word(sha256, 2),
          word(sha256, 3),
          validUntilMillis);
    }

    private static String checked(String sha256) {
      if (!sha256.matches("[0-9a-f]{64}")) {
        throw new IllegalArgumentException(
            "sha256 has %d characters, expected %d lower-case hexadecimal digits"
                .formatted(sha256.length(), DIGITS));
      }
      return sha256;
    }

    private static long word(String sha256, int at) {
      return HexFormat.fromHexDigitsToLong(sha256, at * WORD_DIGITS, (at + 1) * WORD_DIGITS);
    }

    /** Returns the SHA-256 as 64 lower-case hexadecimal digits. */
    public String sha256() {
      HexFormat hex = HexFormat.of();
      return hex.toHexDigits(first)
          + hex.toHexDigits(second)
          + hex.toHexDigits(third)
          + hex.toHexDigits(fourth);
    }

    /** Returns the same digest, valid until another time. */
    public Secret until(long unixMillis) {
      return new Secret(first, second, third, fourth, unixMillis);
    }

    /** Returns a text without the digest, so that it appears in no log or dump of objects. */
    @Override
    public String toString() {
      return "Secret[…]";
    }
  }

  /**
   * Limits of a key, each ≥ 0; 0 means unlimited.
   *
   * @param rpm requests in any 60 seconds
   * @param tpm tokens, input plus output, in any 60 seconds
   * @param rpd requests in a day of 24 h, which begins with its first request
   * @param concurrency requests at the same time
   * @param budgetTokensPerDay tokens per UTC day
   * @param maxOutputTokens the largest maximum of output that one request may state, for all its
   *     answers; requests that state none are weighed as if they stated it
   * @param lightRpm calls that cost nothing, in any 60 seconds
   */
  public record Limits(
      long rpm,
      long tpm,
      long rpd,
      long concurrency,
      long budgetTokensPerDay,
      long maxOutputTokens,
      long lightRpm) {
    /** The limit on calls that cost nothing, unless another is set. */
    public static final long LIGHT_RPM = 600;

    /** No limits but that on calls that cost nothing. */
    public static final Limits NONE = new Limits(0, 0, 0, 0, 0, 0);

    /** Creates limits of which only that on calls that cost nothing is the default. */
    public Limits(
        long rpm,
        long tpm,
        long rpd,
        long concurrency,
        long budgetTokensPerDay,
        long maxOutputTokens) {
      this(rpm, tpm, rpd, concurrency, budgetTokensPerDay, maxOutputTokens, LIGHT_RPM);
    }
  }

  /** Limits of a key for one model in any 60 seconds; 0 means unlimited. */
  public record ModelLimits(long rpm, long tpm) {}

  /**
   * Models, endpoints and calls that a key may use; null means all.
   *
   * @param models models by the names that clients use
   * @param endpoints endpoints by their paths; each includes the dynamic endpoints below it
   * @param calls the calls to providers
   */
  public record Scope(
      @Nullable Set<String> models, @Nullable Set<String> endpoints, AllowedCalls calls) {
    /** All models, endpoints and calls. */
    public static final Scope ALL = new Scope(null, null, AllowedCalls.ALL);

    public Scope {
      models = models == null ? null : Set.copyOf(models);
      endpoints = endpoints == null ? null : Set.copyOf(endpoints);
    }
  }

  /**
   * Priorities and weight of a key.
   *
   * @param priority the priority of requests that state none
   * @param maxPriority the highest priority that requests can state
   * @param weight its share in fair queueing, 1 to 1,000,000
   */
  public record Rank(int priority, int maxPriority, int weight) {
    /** The default. */
    public static final Rank PLAIN = new Rank(0, 0, 1);
  }

  /**
   * Behaviour at the limits of a key.
   *
   * @param waits whether its requests wait for its limits instead of being refused; null for the
   *     default
   * @param maxWaiting how many of its requests may wait in a queue before further ones that would
   *     wait for its limits are refused; 0 means unlimited
   * @param strictAfterDenial whether the shared count is fetched before decisions after a denial
   * @param sharing how instances share its limits; null for the default
   * @param excessOutput what happens to larger maxima of output than its limits allow; null if its
   *     group or the endpoint says it
   */
  public record LimitPolicy(
      @Nullable Boolean waits,
      long maxWaiting,
      boolean strictAfterDenial,
      @Nullable SharingMode sharing,
      @Nullable ExcessOutput excessOutput) {
    /** The default of {@code maxWaiting}. */
    public static final long MAX_WAITING = 100;

    /** The default. */
    public static final LimitPolicy PLAIN = new LimitPolicy(null, MAX_WAITING, false, null, null);
  }

  /**
   * Returns the same key with another secret.
   *
   * @param secret the new secret
   * @param overlapUntilMillis Unix time in milliseconds until which the previous secret stays valid
   *     too
   */
  public KeySpec rotated(Secret secret, long overlapUntilMillis) {
    Secret last = secrets.getFirst();
    long until = Math.min(last.validUntilMillis(), overlapUntilMillis);
    return new KeySpec(name, List.of(secret, last.until(until)), terms, identity);
  }

  /** Returns the same key with other terms. */
  public KeySpec with(KeyTerms others) {
    return new KeySpec(name, secrets, others, identity);
  }

  /** Returns the same key with another identity. */
  public KeySpec identifiedBy(Identity other) {
    return new KeySpec(name, secrets, terms, other);
  }

  /** Returns the name, without secrets. */
  @Override
  public String toString() {
    return "KeySpec[" + name + "]";
  }
}
