package io.penstock.redis;

import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validated settings for sharing limits between instances.
 *
 * @param address of Redis
 * @param trust certificates for checking the server; null for those of the platform
 * @param namespace prefix of all keys in Redis; keys with another prefix are not used
 * @param interval between two rounds, 20 ms to 10 s
 * @param lease for how long instances spend shares without an answer of Redis, and after which a
 *     silent one counts as dead: 400 ms to a minute
 * @param onOutage policy for shared limits without Redis
 * @param divides whether an instance that has no share of a limit takes an equal part of it then
 * @param servesAlone whether an instance serves that has not heard Redis since its start
 * @param sharing default for limits without a setting of their own
 */
public record SharingSettings(
    RedisAddress address,
    @Nullable RedisTrust trust,
    String namespace,
    Duration interval,
    Duration lease,
    OutagePolicy onOutage,
    boolean divides,
    boolean servesAlone,
    SharingMode sharing) {
  private static final Duration SHORTEST = Duration.ofMillis(20);
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(400);
  private static final Duration LONGEST_LEASE = Duration.ofMinutes(1);

  private static final Pattern NAMESPACE = Pattern.compile("[^\\s\\p{Cntrl}{}]{1,200}");

  public SharingSettings {
    checkNamespace(namespace);
    within("penstock.redis.sync-interval", interval, SHORTEST, LONGEST);
    within("penstock.redis.lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
    if (trust != null && !address.tls()) {
      throw new IllegalArgumentException(
          "penstock.redis.tls is set, but penstock.redis.url is not encrypted, expected rediss://");
    }
  }

  /**
   * Checks a namespace.
   *
   * @throws IllegalArgumentException when it is invalid
   */
  static void checkNamespace(String namespace) {
    if (!NAMESPACE.matcher(namespace).matches()) {
      throw new IllegalArgumentException(
          "penstock.redis.namespace is '%s', expected up to 200 characters without spaces and"
                  .formatted(namespace)
              + " braces");
    }
  }

  private static void within(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s is %s, expected %s to %s".formatted(name, text(value), text(least), text(most)));
    }
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
