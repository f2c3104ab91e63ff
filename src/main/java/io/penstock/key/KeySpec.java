package io.penstock.key;

import io.penstock.quota.Sharing;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One API key, checked. The secret itself is never here.
 *
 * @param name what people call it, unique
 * @param secrets what it is known by: one, and behind it, while it is rotated, the one before
 * @param limits what it may spend; a limit of 0 is none
 * @param models what it may spend on some models, by the name clients ask for
 * @param group the name of its group, or null
 * @param scope what it may use
 * @param rank how it stands beside others
 * @param expiresAtMillis Unix milliseconds from which it is not valid, {@link #NEVER} for always
 * @param waits whether its requests wait for its limits, and are not refused
 * @param strictAfterDenial whether after a denial the shared count is asked for
 * @param sharing how instances share its limits; null is as they share all of which nobody says it
 */
public record KeySpec(
    String name,
    List<Secret> secrets,
    Limits limits,
    Map<String, ModelLimits> models,
    @Nullable String group,
    Scope scope,
    Rank rank,
    long expiresAtMillis,
    boolean waits,
    boolean strictAfterDenial,
    @Nullable Sharing sharing) {
  /** No instant: it does not expire. */
  public static final long NEVER = Long.MAX_VALUE;

  public KeySpec {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name is blank, expected one");
    }
    secrets = List.copyOf(secrets);
    models = Map.copyOf(models);
  }

  /** Makes one of which nobody says how it is shared. */
  public KeySpec(
      String name,
      List<Secret> secrets,
      Limits limits,
      Map<String, ModelLimits> models,
      @Nullable String group,
      Scope scope,
      Rank rank,
      long expiresAtMillis,
      boolean waits,
      boolean strictAfterDenial) {
    this(
        name,
        secrets,
        limits,
        models,
        group,
        scope,
        rank,
        expiresAtMillis,
        waits,
        strictAfterDenial,
        null);
  }

  /**
   * What a key is known by: the SHA-256 of its UTF-8, in four words of 64 bits.
   *
   * @param validUntilMillis Unix milliseconds from which it is not, {@link #NEVER} for always
   */
  public record Secret(long first, long second, long third, long fourth, long validUntilMillis) {
    private static final int DIGITS = 64;
    private static final int WORD_DIGITS = 16;

    /**
     * Makes one.
     *
     * @param sha256 the SHA-256 of the secret's UTF-8, 64 lower-case hexadecimal digits
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

    /** Returns the same one, valid until another instant. */
    public Secret until(long unixMillis) {
      return new Secret(first, second, third, fourth, unixMillis);
    }

    /** It is not shown, so that no log or dump of objects has it. */
    @Override
    public String toString() {
      return "Secret[…]";
    }
  }

  /**
   * What may be spent, all ≥ 0, 0 is unlimited.
   *
   * @param rpm requests in any 60 seconds
   * @param tpm tokens, input plus output, in any 60 seconds
   * @param rpd requests a day of 24 h from the first
   * @param concurrency requests at the same time
   * @param budgetTokensPerDay tokens a UTC day
   */
  public record Limits(long rpm, long tpm, long rpd, long concurrency, long budgetTokensPerDay) {
    /** No limit at all. */
    public static final Limits NONE = new Limits(0, 0, 0, 0, 0);
  }

  /** What may be spent on one model in any 60 seconds; 0 is unlimited. */
  public record ModelLimits(long rpm, long tpm) {}

  /**
   * What may be used; null is everything.
   *
   * @param models by the names clients ask for
   * @param endpoints by their paths; one covers the dynamic ones below it
   */
  public record Scope(@Nullable Set<String> models, @Nullable Set<String> endpoints) {
    /** Everything. */
    public static final Scope ALL = new Scope(null, null);

    public Scope {
      models = models == null ? null : Set.copyOf(models);
      endpoints = endpoints == null ? null : Set.copyOf(endpoints);
    }
  }

  /**
   * How it stands beside others.
   *
   * @param priority of its requests that state none
   * @param maxPriority the highest they can state
   * @param weight its part where shares are fair, 1 to 1,000,000
   */
  public record Rank(int priority, int maxPriority, int weight) {
    /** Like all others. */
    public static final Rank PLAIN = new Rank(0, 0, 1);
  }

  /**
   * Returns the same key with another secret.
   *
   * @param secret its new one
   * @param overlapUntilMillis Unix milliseconds until which the one it had last is valid too
   */
  public KeySpec rotated(Secret secret, long overlapUntilMillis) {
    Secret last = secrets.getFirst();
    long until = Math.min(last.validUntilMillis(), overlapUntilMillis);
    return as(name, List.of(secret, last.until(until)));
  }

  /** Returns a key that may do the same, under a name and by secrets of its own. */
  public KeySpec as(String other, List<Secret> others) {
    return new KeySpec(
        other,
        others,
        limits,
        models,
        group,
        scope,
        rank,
        expiresAtMillis,
        waits,
        strictAfterDenial,
        sharing);
  }

  /** Returns its name, and no secret. */
  @Override
  public String toString() {
    return "KeySpec[" + name + "]";
  }
}
