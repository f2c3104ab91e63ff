package io.penstock.settings;

import io.penstock.redis.RedisAddress;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.unit.DataSize;

/**
 * A setting of the gateway: a property below {@code penstock}.
 *
 * @param name in the form that the documents use
 * @param rule the values that it accepts
 * @param list whether it has several values, which may also be written as {@code name[0]} and so on
 */
record ProcessSetting(String name, Rule rule, boolean list) {
  ProcessSetting(String name, Rule rule) {
    this(name, rule, false);
  }

  /** The values that a setting accepts. */
  interface Rule {
    /**
     * Returns null for a usable value. Otherwise returns what is wrong with it and what is
     * expected, as the end of a sentence that begins with the name of the setting.
     */
    @Nullable String problem(String value);
  }

  private static final Rule TEXT = value -> null;

  /**
   * Accepts what Spring converts for the readers of these settings; the drain counts nanoseconds,
   * so they must fit a long.
   */
  private static final Rule DURATION =
      expecting(
          "a duration such as 500ms, 30s or 10m",
          converts(Duration.class, each -> !each.isNegative() && each.toNanos() >= 0));

  private static final Rule SHARE =
      expecting("a number from 0 to 1", converts(Double.class, each -> each >= 0 && each <= 1));

  private static final Rule SWITCH = oneOf("true or false", "true", "false", "");

  private static final Pattern DATABASE = Pattern.compile("r2dbc:(mariadb|mysql)://[^/]+/.+");

  /** All settings; there are no others. */
  static final List<ProcessSetting> ALL =
      List.of(
          new ProcessSetting("penstock.allowed-hosts", TEXT, true),
          new ProcessSetting("penstock.allowed-origins", TEXT, true),
          new ProcessSetting("penstock.body-timeout", DURATION),
          new ProcessSetting("penstock.body.deadline", DURATION),
          new ProcessSetting("penstock.body.min-bytes-per-second", whole(0, Long.MAX_VALUE)),
          new ProcessSetting("penstock.body.tenant-share", SHARE),
          new ProcessSetting("penstock.coordination.enabled", SWITCH),
          new ProcessSetting("penstock.coordination.max-objects", whole(1, 1_000_000)),
          new ProcessSetting("penstock.coordination.max-waiters", whole(0, 1_000_000)),
          new ProcessSetting("penstock.database.migrate", SWITCH),
          new ProcessSetting("penstock.database.migration-password", TEXT),
          new ProcessSetting("penstock.database.migration-user", TEXT),
          new ProcessSetting("penstock.database.url", ProcessSetting::databaseProblem),
          new ProcessSetting("penstock.drain-pause", DURATION),
          new ProcessSetting("penstock.drain-timeout", DURATION),
          new ProcessSetting("penstock.keys.required", oneOf("true or false", "true", "false")),
          new ProcessSetting("penstock.keys.store", ProcessSetting::storeProblem),
          new ProcessSetting("penstock.log.access", SHARE),
          new ProcessSetting("penstock.log.format", oneOf("plain or json", "plain", "json")),
          new ProcessSetting(
              "penstock.max-buffered-bytes",
              expecting("a size such as 64MB", converts(DataSize.class, s -> s.toBytes() > 0))),
          new ProcessSetting("penstock.mock-endpoint-tpm-threshold", whole(0, Long.MAX_VALUE)),
          new ProcessSetting("penstock.operator.token", TEXT),
          new ProcessSetting("penstock.quotas.reservation-timeout", DURATION),
          new ProcessSetting("penstock.redis.namespace", TEXT),
          new ProcessSetting("penstock.redis.on-outage", oneOf(OutagePolicy.values())),
          new ProcessSetting("penstock.redis.password", TEXT),
          new ProcessSetting("penstock.redis.sharing", oneOf(SharingMode.values())),
          new ProcessSetting("penstock.redis.slice-ttl", DURATION),
          new ProcessSetting("penstock.redis.sync-interval", DURATION),
          new ProcessSetting("penstock.redis.tls.ca", TEXT),
          new ProcessSetting("penstock.redis.tls.cert", TEXT),
          new ProcessSetting("penstock.redis.tls.key", TEXT),
          new ProcessSetting("penstock.redis.url", ProcessSetting::redisProblem),
          new ProcessSetting("penstock.redis.user", TEXT),
          new ProcessSetting("penstock.region.name", TEXT),
          new ProcessSetting("penstock.region.share", SHARE),
          new ProcessSetting("penstock.state.file", TEXT),
          new ProcessSetting("penstock.state.interval", DURATION),
          new ProcessSetting("penstock.stream-drain-timeout", DURATION),
          new ProcessSetting("penstock.usage.rows-per-day", whole(0, Integer.MAX_VALUE)),
          new ProcessSetting("penstock.workspace", TEXT));

  /** Returns the names of the environment variable that sets it; people use the first. */
  List<String> variables() {
    String upper = name.toUpperCase(Locale.ROOT).replace('.', '_');
    return List.of(upper.replace('-', '_'), upper.replace("-", ""));
  }

  private static Rule expecting(String expected, Predicate<String> fits) {
    return value ->
        fits.test(value)
            ? null
            : "is '" + value.replaceAll("\\p{Cntrl}", " ") + "', expected " + expected;
  }

  private static <T> Predicate<String> converts(Class<T> type, Predicate<T> fits) {
    return text -> {
      try {
        T value = ApplicationConversionService.getSharedInstance().convert(text, type);
        return value == null
            || fits.test(value); // an empty text means no value, and so the default
      } catch (ConversionException | ArithmeticException unreadable) {
        return false;
      }
    };
  }

  private static Rule whole(long least, long most) {
    return expecting(
        most == Long.MAX_VALUE
            ? "a whole number from " + least + " on"
            : "a whole number from " + least + " to " + most,
        converts(Long.class, each -> each >= least && each <= most));
  }

  private static Rule oneOf(String expected, String... values) {
    return expecting(expected, text -> Arrays.asList(values).contains(text));
  }

  private static Rule oneOf(Enum<?>... constants) {
    List<String> names =
        Arrays.stream(constants).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
    return expecting(
        "one of " + String.join(", ", names),
        text -> text.isBlank() || names.contains(text.strip()));
  }

  /**
   * Returns what is wrong with an address, without showing it, because it may contain a password.
   */
  private static @Nullable String databaseProblem(String value) {
    return value.isBlank() || DATABASE.matcher(value.strip()).matches()
        ? null
        : "cannot be read, expected r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE";
  }

  private static @Nullable String storeProblem(String value) {
    String store = value.strip();
    return store.isEmpty() || store.equals("sql") || store.matches("file:.+")
        ? null
        : "is expected to be file:PATH or sql";
  }

  private static @Nullable String redisProblem(String value) {
    if (value.isBlank()) {
      return null;
    }
    try {
      // The user and the password may be settings of their own.
      var _ = RedisAddress.parse(value.strip(), "", "");
      return null;
    } catch (IllegalArgumentException bad) {
      return bad.getMessage();
    }
  }
}
