package io.penstock.settings;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.KeySpec;
import io.penstock.limit.LimitSpec;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisPlace;
import io.penstock.redis.RedisTrust;
import io.penstock.redis.SharingSettings;
import io.penstock.settings.PenstockSettings.StartWithoutRedis;
import io.penstock.settings.PenstockSettings.UnknownInOutage;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import io.penstock.sharing.SharingTerms.Owner;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * The settings {@code penstock.redis.*}: if they are set, this gateway shares limits with other
 * instances.
 */
public final class RedisSettings {
  private static final String URL = "penstock.redis.url";
  private static final String COORDINATION = "penstock.coordination.redis";

  /** Variables of other products, which name the namespace there. */
  private static final List<String> FOREIGN = List.of("REDIS_NAMESPACE", "ENSEMBLE_ENVIRONMENT");

  private static final String OWN = "PENSTOCK_ENVIRONMENT";
  private static final String DEFAULT = "default";

  private RedisSettings() {}

  /**
   * Returns the settings, or null without {@code penstock.redis.url}.
   *
   * @throws IllegalArgumentException when one of them is invalid
   */
  public static @Nullable SharingSettings of(PenstockSettings settings, Environment environment) {
    PenstockSettings.RedisAccess access = settings.redisAccess();
    if (access.url() == null) {
      return null;
    }
    PenstockSettings.Redis redis = settings.redis();
    RedisAddress address = address(URL, access.url().value(), access.user(), access.password());
    boolean others = !address.tls() && isEncrypted(settings.coordination().redis());
    return new SharingSettings(
        address,
        others ? null : trust(access.tls()),
        namespace(redis, environment),
        redis.syncInterval(),
        redis.lease(),
        redis.onOutage(),
        redis.unknownInOutage() == UnknownInOutage.DIVIDE,
        redis.startWithoutRedis() == StartWithoutRedis.SERVE,
        redis.sharing());
  }

  /**
   * Returns the Redis of the coordination API, or null when its objects are not shared.
   *
   * @throws IllegalArgumentException when a setting is invalid
   */
  public static @Nullable RedisPlace coordination(
      PenstockSettings settings, Environment environment) {
    PenstockSettings.CoordinationRedis own = settings.coordination().redis();
    if (own.url() == null) {
      refuseWithoutUrl("user", own.user() != null);
      refuseWithoutUrl("password", own.password() != null);
      SharingSettings shared = of(settings, environment);
      return shared == null
          ? null
          : new RedisPlace(shared.address(), shared.trust(), shared.namespace());
    }
    RedisAddress address =
        address(COORDINATION + ".url", own.url().value(), own.user(), own.password());
    return new RedisPlace(
        address,
        address.tls() ? trust(settings.redisAccess().tls()) : null,
        namespace(settings.redis(), environment));
  }

  private static void refuseWithoutUrl(String setting, boolean set) {
    if (set) {
      throw new IllegalArgumentException(
          "%s.%s is set, but %s.url is not, so nobody would log in with it"
              .formatted(COORDINATION, setting, COORDINATION));
    }
  }

  /** Returns whether the coordination API has an encrypted connection to a Redis of its own. */
  private static boolean isEncrypted(PenstockSettings.CoordinationRedis own) {
    return own.url() != null && own.url().value().startsWith("rediss");
  }

  private static RedisAddress address(
      String setting, String url, @Nullable String user, @Nullable SecretText password) {
    try {
      return RedisAddress.parse(url, user, SecretText.textOf(password));
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException(setting + " " + bad.getMessage(), bad);
    }
  }

  private static @Nullable RedisTrust trust(PenstockSettings.RedisAccess.Tls tls) {
    checkFile("penstock.redis.tls.ca", tls.ca());
    checkFile("penstock.redis.tls.cert", tls.cert());
    checkFile("penstock.redis.tls.key", tls.key());
    return tls.ca() == null && tls.cert() == null && tls.key() == null
        ? null
        : new RedisTrust(tls.ca(), tls.cert(), tls.key());
  }

  private static void checkFile(String name, @Nullable String file) {
    try {
      if (file == null || Files.isReadable(Path.of(file))) {
        return;
      }
    } catch (InvalidPathException bad) {
      throw new IllegalArgumentException(name + " is no path", bad);
    }
    throw new IllegalArgumentException(name + " is '" + file + "', which cannot be read");
  }

  private static String namespace(PenstockSettings.Redis redis, Environment environment) {
    if (redis.namespace() != null) {
      return redis.namespace();
    }
    for (String each : redis.namespaceFrom()) {
      String value = variable(environment, each);
      if (!value.isEmpty()) {
        return value;
      }
    }
    String own = variable(environment, OWN);
    if (redis.namespaceFrom().isEmpty()) {
      refuseForeign(environment, own.isEmpty() ? DEFAULT : own);
    } else if (own.isEmpty()) {
      throw new IllegalArgumentException(
          ("penstock.redis.namespace-from names %s, but no such variable is set. In the namespace"
                  + " 'default' this instance might not share limits with the others, so that every"
                  + " limit would silently be doubled. Set one of these variables,"
                  + " PENSTOCK_ENVIRONMENT or penstock.redis.namespace")
              .formatted(String.join(", ", redis.namespaceFrom())));
    }
    return own.isEmpty() ? DEFAULT : own;
  }

  /** Refuses variables that name the namespace of other products, and do not count here. */
  private static void refuseForeign(Environment environment, String namespace) {
    for (String each : FOREIGN) {
      if (!variable(environment, each).isEmpty()) {
        throw new IllegalArgumentException(
            ("%s is set in the environment, but counts as the namespace in Redis only where"
                    + " penstock.redis.namespace-from lists it. Without it the namespace would be"
                    + " '%s', and instances in different namespaces do not share limits, so that"
                    + " every limit would silently be doubled. Set"
                    + " penstock.redis.namespace-from=%s to go on using its value, or"
                    + " penstock.redis.namespace to the name you want")
                .formatted(each, namespace, each));
      }
    }
  }

  private static String variable(Environment environment, String name) {
    return environment.getProperty(name.strip(), "").strip();
  }

  /**
   * Checks that the configured limits can be shared between instances.
   *
   * @throws CannotStart when they cannot
   */
  public static void check(@Nullable SharingSettings settings, StartSetup setup) {
    if (settings == null) {
      return;
    }
    String problem = problem(setup.shared(settings), setup.snapshot());
    if (problem != null) {
      throw new CannotStart(problem);
    }
  }

  /** Returns why limits cannot be shared as configured, or null if they can. */
  public static @Nullable String problem(
      StartSetup setup, ConfigurationSnapshot configurationSnapshot) {
    SharingSettings settings = setup.sync();
    if (settings == null) {
      return null;
    }
    long minute = setup.window().toNanos();
    for (EndpointSpec endpoint : configurationSnapshot.endpoints()) {
      SharingMode sharingMode =
          configurationSnapshot
              .sharing()
              .of(new Owner(Kind.ENDPOINT, endpoint.path()), settings.sharing());
      if (sharingMode == SharingMode.EXACT
          && endpoint.limit() instanceof LimitSpec.SlidingWindow window
          && window.windowNanos() < SharingTerms.SHORTEST_EXACT_NANOS) {
        return "endpoint %s has sliding_window over %s s, too short for sharing exact:"
                .formatted(endpoint.path(), seconds(window.windowNanos()))
            + " say window_seconds 10 or more, or sharing eventual or local";
      }
    }
    boolean exact = settings.sharing() == SharingMode.EXACT;
    return exact && minute < SharingTerms.SHORTEST_EXACT_NANOS
        ? "a minute is made %s s long here, too short for sharing exact: expected at least 10"
            .formatted(seconds(minute))
        : null;
  }

  private static String seconds(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  /**
   * Returns warnings about settings that have another effect with several instances, one line each.
   */
  public static List<String> warnings(
      @Nullable SharingSettings settings,
      @Nullable String stateFile,
      ConfigurationSnapshot configurationSnapshot) {
    List<String> warnings = new ArrayList<>();
    if (settings == null) {
      return warnings;
    }
    if (stateFile != null) {
      warnings.add(
          "penstock.state.file is this instance's own: give each another one; quotas that are set"
              + " on the operator port are not shared");
    }
    for (KeySpec key : configurationSnapshot.keys()) {
      Owner owner = new Owner(Kind.KEY, key.name());
      SharingMode sharingMode = configurationSnapshot.sharing().of(owner, settings.sharing());
      if (key.terms().policy().strictAfterDenial() && sharingMode != SharingMode.EVENTUAL) {
        warnings.add(
            "key %s has strict_after_denial, which changes nothing with sharing %s"
                .formatted(key.name(), sharingMode.text()));
      }
    }
    return warnings;
  }
}
