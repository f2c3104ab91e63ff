package io.penstock.settings;

import io.penstock.config.ConfigurationSnapshot;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.KeySpec;
import io.penstock.limit.LimitSpec;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisTrust;
import io.penstock.redis.SharingSettings;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingTerms;
import io.penstock.sharing.SharingTerms.Owner;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/**
 * The settings {@code penstock.redis.*}: if they are set, this gateway shares limits with other
 * instances.
 */
public final class RedisSettings {
  private static final String URL = "penstock.redis.url";

  /** Settings that may name the namespace; the first that is set counts. */
  private static final List<String> NAMESPACES =
      List.of(
          "penstock.redis.namespace",
          "REDIS_NAMESPACE",
          "PENSTOCK_ENVIRONMENT",
          "ENSEMBLE_ENVIRONMENT");

  private RedisSettings() {}

  /**
   * Returns the settings, or null without {@code penstock.redis.url}.
   *
   * @throws CannotStart when one of them is invalid
   */
  public static @Nullable SharingSettings of(Environment environment) {
    String url = text(environment, URL);
    if (url == null) {
      return null;
    }
    RedisAddress address = address(environment, url);
    try {
      return new SharingSettings(
          address,
          trust(environment),
          namespace(environment),
          duration(environment, "penstock.redis.sync-interval", SharingSettings.INTERVAL),
          duration(environment, "penstock.redis.slice-ttl", SharingSettings.SLICE_TTL),
          choice(environment, "penstock.redis.on-outage", OutagePolicy.PARK),
          choice(environment, "penstock.redis.sharing", SharingMode.EXACT));
    } catch (IllegalArgumentException bad) {
      throw new CannotStart(String.valueOf(bad.getMessage()));
    }
  }

  private static RedisAddress address(Environment environment, String url) {
    try {
      return RedisAddress.parse(
          url,
          text(environment, "penstock.redis.user"),
          text(environment, "penstock.redis.password"));
    } catch (IllegalArgumentException bad) {
      throw new CannotStart(URL + " " + bad.getMessage());
    }
  }

  private static @Nullable RedisTrust trust(Environment environment) {
    String ca = file(environment, "penstock.redis.tls.ca");
    String certificate = file(environment, "penstock.redis.tls.cert");
    String key = file(environment, "penstock.redis.tls.key");
    return ca == null && certificate == null && key == null
        ? null
        : new RedisTrust(ca, certificate, key);
  }

  private static @Nullable String file(Environment environment, String name) {
    String file = text(environment, name);
    try {
      if (file == null || Files.isReadable(Path.of(file))) {
        return file;
      }
    } catch (InvalidPathException bad) {
      throw new IllegalArgumentException(name + " is no path", bad);
    }
    throw new IllegalArgumentException(name + " is '" + file + "', which cannot be read");
  }

  private static String namespace(Environment environment) {
    for (String each : NAMESPACES) {
      String value = text(environment, each);
      if (value != null) {
        return value;
      }
    }
    return "default";
  }

  private static Duration duration(Environment environment, String name, Duration otherwise) {
    String value = text(environment, name);
    if (value == null) {
      return otherwise;
    }
    try {
      return DurationStyle.detectAndParse(value);
    } catch (IllegalArgumentException | ArithmeticException bad) {
      throw new IllegalArgumentException(
          name + " is '" + value + "', expected a duration such as 100ms or 2s", bad);
    }
  }

  private static <E extends Enum<E>> E choice(Environment environment, String name, E otherwise) {
    String value = text(environment, name);
    if (value == null) {
      return otherwise;
    }
    E[] all = otherwise.getDeclaringClass().getEnumConstants();
    for (E each : all) {
      if (lower(each).equals(value)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "%s is '%s', expected one of %s"
            .formatted(
                name,
                value,
                Arrays.stream(all).map(RedisSettings::lower).collect(Collectors.joining(", "))));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String text(Environment environment, String name) {
    String value = environment.getProperty(name, "").strip();
    return value.isEmpty() ? null : value;
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
      Environment environment,
      ConfigurationSnapshot configurationSnapshot) {
    List<String> warnings = new ArrayList<>();
    if (settings == null) {
      return warnings;
    }
    String state = environment.getProperty("penstock.state.file", "").strip();
    if (!state.isEmpty()) {
      warnings.add(
          "penstock.state.file is this instance's own: give each another one; quotas that are set"
              + " on the operator port are not shared");
    }
    for (KeySpec key : configurationSnapshot.keys()) {
      Owner owner = new Owner(Kind.KEY, key.name());
      SharingMode sharingMode = configurationSnapshot.sharing().of(owner, settings.sharing());
      if (key.strictAfterDenial() && sharingMode != SharingMode.EVENTUAL) {
        warnings.add(
            "key %s has strict_after_denial, which changes nothing with sharing %s"
                .formatted(key.name(), sharingMode.text()));
      }
    }
    return warnings;
  }
}
