package io.penstock;

import io.penstock.quota.Sharing;
import io.penstock.sync.OnOutage;
import io.penstock.sync.RedisAddress;
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
 * @param name in the form that the README uses
 * @param rule the values that it takes
 * @param list whether it has several values, which may also be written as {@code name[0]} and so on
 */
record Setting(String name, Rule rule, boolean list) {
  Setting(String name, Rule rule) {
    this(name, rule, false);
  }

  /** The values that a setting takes. */
  interface Rule {
    /**
     * Returns null for a value that can be used, else what is wrong with it and what is expected,
     * as the end of a sentence that begins with the name of the setting.
     */
    @Nullable String problem(String value);
  }

  private static final Rule TEXT = value -> null;

  /** Spring converts these, as it does for those who read them; the drain counts nanoseconds. */
  private static final Rule DURATION =
      expecting(
          "a duration such as 500ms, 30s or 10m",
          converts(Duration.class, each -> !each.isNegative() && each.toNanos() >= 0));

  private static final Rule SHARE =
      expecting("a number from 0 to 1", converts(Double.class, each -> each >= 0 && each <= 1));

  private static final Rule SWITCH = oneOf("true or false", "true", "false", "");

  private static final Pattern DATABASE = Pattern.compile("r2dbc:(mariadb|mysql)://[^/]+/.+");

  /** All of them; there are no others. */
  static final List<Setting> ALL =
      List.of(
          new Setting("penstock.allowed-hosts", TEXT, true),
          new Setting("penstock.allowed-origins", TEXT, true),
          new Setting("penstock.body-timeout", DURATION),
          new Setting("penstock.body.deadline", DURATION),
          new Setting("penstock.body.min-bytes-per-second", whole(0, Long.MAX_VALUE)),
          new Setting("penstock.body.tenant-share", SHARE),
          new Setting("penstock.coordination.enabled", SWITCH),
          new Setting("penstock.coordination.max-objects", whole(1, 1_000_000)),
          new Setting("penstock.coordination.max-waiters", whole(0, 1_000_000)),
          new Setting("penstock.database.migrate", SWITCH),
          new Setting("penstock.database.migration-password", TEXT),
          new Setting("penstock.database.migration-user", TEXT),
          new Setting("penstock.database.url", Setting::databaseProblem),
          new Setting("penstock.drain-pause", DURATION),
          new Setting("penstock.drain-timeout", DURATION),
          new Setting("penstock.keys.required", oneOf("true or false", "true", "false")),
          new Setting("penstock.keys.store", Setting::storeProblem),
          new Setting("penstock.log.access", SHARE),
          new Setting("penstock.log.format", oneOf("plain or json", "plain", "json")),
          new Setting(
              "penstock.max-buffered-bytes",
              expecting("a size such as 64MB", converts(DataSize.class, s -> s.toBytes() > 0))),
          new Setting("penstock.mock-endpoint-tpm-threshold", whole(0, Long.MAX_VALUE)),
          new Setting("penstock.operator.token", TEXT),
          new Setting("penstock.quotas.reservation-timeout", DURATION),
          new Setting("penstock.redis.namespace", TEXT),
          new Setting("penstock.redis.on-outage", oneOf(OnOutage.values())),
          new Setting("penstock.redis.password", TEXT),
          new Setting("penstock.redis.sharing", oneOf(Sharing.values())),
          new Setting("penstock.redis.slice-ttl", DURATION),
          new Setting("penstock.redis.sync-interval", DURATION),
          new Setting("penstock.redis.tls.ca", TEXT),
          new Setting("penstock.redis.tls.cert", TEXT),
          new Setting("penstock.redis.tls.key", TEXT),
          new Setting("penstock.redis.url", Setting::redisProblem),
          new Setting("penstock.redis.user", TEXT),
          new Setting("penstock.region.name", TEXT),
          new Setting("penstock.region.share", SHARE),
          new Setting("penstock.state.file", TEXT),
          new Setting("penstock.state.interval", DURATION),
          new Setting("penstock.stream-drain-timeout", DURATION),
          new Setting("penstock.usage.rows-per-day", whole(0, Integer.MAX_VALUE)),
          new Setting("penstock.workspace", TEXT));

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
        return value == null || fits.test(value); // an empty text is no value, and so the default
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

  /** The problem of an address, which is not shown: there may be a password in it. */
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
