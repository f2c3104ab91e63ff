package io.penstock.provider;

import io.netty.handler.codec.DateFormatter;
import io.penstock.quota.ProviderStatus;
import io.penstock.time.WallClock;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Date;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses times in the formats that providers use. All methods return nanoseconds from now, ≥ 0, or
 * {@link ProviderStatus#UNSTATED} for unreadable values and for those that are too long: a limit
 * per minute is whole again within a day, and no quota lasts longer than a month.
 */
final class ResetTimes {
  /** The longest time until a limit is whole again. */
  static final long MAX_RESET_NANOS = 86_400_000_000_000L;

  /** The longest time after which a provider allows a retry: 35 days. */
  static final long MAX_RETRY_NANOS = 35 * MAX_RESET_NANOS;

  /** An instant of Unix time in seconds or milliseconds; fewer digits are a duration. */
  private static final Pattern INSTANT = Pattern.compile("(\\d{10})(\\d{3})?");

  private static final long NANOS_PER_MILLI = 1_000_000L;
  private static final long NANOS_PER_SECOND = 1_000 * NANOS_PER_MILLI;
  private static final int MAX_CHARS = 64;
  private static final String NUMBER = "\\d{1,12}(?:\\.\\d{1,9})?";
  private static final Pattern DECIMAL = Pattern.compile(NUMBER);
  private static final Pattern PART = Pattern.compile("(" + NUMBER + ")(h|ms|m|s|us|µs|ns)");

  private final WallClock clock;

  ResetTimes(WallClock clock) {
    this.clock = clock;
  }

  /**
   * Parses a duration as Go prints it, such as {@code 6m0s} or {@code 20ms}. A bare number means
   * seconds, as some providers that imitate OpenAI's headers write it.
   */
  long goDuration(String text) {
    return duration(text, MAX_RESET_NANOS);
  }

  /**
   * Parses the time after which a retry is allowed, in the same form; that of protobuf in JSON,
   * such as {@code 37.5s}, is a part of it.
   */
  long retryDuration(String text) {
    return duration(text, MAX_RETRY_NANOS);
  }

  private static long duration(String text, long mostNanos) {
    String trimmed = text.strip();
    if (trimmed.length() > MAX_CHARS) {
      return ProviderStatus.UNSTATED;
    }
    if (DECIMAL.matcher(trimmed).matches()) {
      return nanos(trimmed, NANOS_PER_SECOND, mostNanos);
    }
    Matcher part = PART.matcher(trimmed);
    long sum = 0;
    int end = 0;
    while (part.find()) {
      long nanos = nanos(part.group(1), unit(part.group(2)), mostNanos);
      if (part.start() != end || nanos == ProviderStatus.UNSTATED) {
        return ProviderStatus.UNSTATED;
      }
      sum += nanos;
      end = part.end();
    }
    return end == 0 || end != trimmed.length() ? ProviderStatus.UNSTATED : bounded(sum, mostNanos);
  }

  private static long unit(String name) {
    return switch (name) {
      case "h" -> 3_600 * NANOS_PER_SECOND;
      case "m" -> 60 * NANOS_PER_SECOND;
      case "s" -> NANOS_PER_SECOND;
      case "ms" -> NANOS_PER_MILLI;
      case "ns" -> 1;
      default -> 1_000;
    };
  }

  /** Parses an RFC 3339 instant; a past one gives 0. */
  long instant(String text) {
    String trimmed = text.strip();
    if (trimmed.length() > MAX_CHARS) {
      return ProviderStatus.UNSTATED;
    }
    try {
      Instant instant = OffsetDateTime.parse(trimmed).toInstant();
      return until(instant.getEpochSecond(), instant.getNano() / NANOS_PER_MILLI, MAX_RESET_NANOS);
    } catch (DateTimeException e) {
      return ProviderStatus.UNSTATED;
    }
  }

  /**
   * Parses {@code retry-after}: seconds, or a date in any form of RFC 9110, section 5.6.7. Some
   * servers write an instant of Unix time.
   */
  long secondsOrDate(String text) {
    String trimmed = text.strip();
    if (trimmed.isEmpty() || trimmed.length() > MAX_CHARS) {
      return ProviderStatus.UNSTATED;
    }
    Matcher instant = INSTANT.matcher(trimmed);
    if (instant.matches()) {
      long millis = instant.group(2) == null ? 0 : Long.parseLong(instant.group(2));
      return until(Long.parseLong(instant.group(1)), millis, MAX_RETRY_NANOS);
    }
    if (DECIMAL.matcher(trimmed).matches()) {
      return nanos(trimmed, NANOS_PER_SECOND, MAX_RETRY_NANOS);
    }
    Date date = DateFormatter.parseHttpDate(trimmed);
    return date == null
        ? ProviderStatus.UNSTATED
        : until(date.toInstant().getEpochSecond(), 0, MAX_RETRY_NANOS);
  }

  /** Parses milliseconds. */
  long millis(String text) {
    String trimmed = text.strip();
    return DECIMAL.matcher(trimmed).matches()
        ? nanos(trimmed, NANOS_PER_MILLI, MAX_RETRY_NANOS)
        : ProviderStatus.UNSTATED;
  }

  private long until(long epochSecond, long millis, long mostNanos) {
    long now = clock.unixMillis();
    long seconds = epochSecond - Math.floorDiv(now, 1_000L);
    if (seconds > mostNanos / NANOS_PER_SECOND + 1) {
      return ProviderStatus.UNSTATED;
    }
    long left = Math.max(seconds, -1) * 1_000 + millis - Math.floorMod(now, 1_000L);
    return bounded(Math.max(0, left) * NANOS_PER_MILLI, mostNanos);
  }

  private static long nanos(String number, long unitNanos, long mostNanos) {
    // twelve digits of hours, in nanoseconds, would overflow a long
    BigDecimal nanos = new BigDecimal(number).multiply(BigDecimal.valueOf(unitNanos));
    return nanos.compareTo(BigDecimal.valueOf(mostNanos)) > 0
        ? ProviderStatus.UNSTATED
        : nanos.longValue();
  }

  private static long bounded(long nanos, long mostNanos) {
    return nanos > mostNanos ? ProviderStatus.UNSTATED : nanos;
  }

  /** Parses a count of 0 to 10^18; returns {@link ProviderStatus#UNSTATED} for anything else. */
  static long count(@Nullable String text) {
    String trimmed = text == null ? "" : text.strip();
    return !trimmed.isEmpty()
            && trimmed.length() <= 18
            && trimmed.chars().allMatch(digit -> digit >= '0' && digit <= '9')
        ? Long.parseLong(trimmed)
        : ProviderStatus.UNSTATED;
  }
}
