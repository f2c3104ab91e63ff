package io.penstock.operator;

import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;

/**
 * The levels of log categories, which operators change for {@value #LASTS_MINUTES} minutes. Other
 * loggers and lower levels are left out: drivers and Netty then write passwords, headers and
 * bodies. Safe from any thread.
 */
final class LogLevels implements AutoCloseable {
  /** For how long a level is changed. */
  static final int LASTS_MINUTES = 15;

  /** The levels that can be set, the lowest last. */
  static final List<LogLevel> LEVELS =
      List.of(LogLevel.ERROR, LogLevel.WARN, LogLevel.INFO, LogLevel.DEBUG);

  /** The categories of the program, as the page about operating lists them. */
  static final List<String> CATEGORIES =
      List.of(
          "io.penstock.access",
          "io.penstock.config",
          "io.penstock.coordination",
          "io.penstock.http",
          "io.penstock.keys",
          "io.penstock.lifecycle",
          "io.penstock.operator",
          "io.penstock.parameters",
          "io.penstock.redis",
          "io.penstock.region",
          "io.penstock.shadow",
          "io.penstock.sharing",
          "io.penstock.state",
          "io.penstock.trace",
          "io.penstock.upstream",
          "io.penstock.upstream.answers");

  private static final long LASTS_NANOS = LASTS_MINUTES * 60_000_000_000L;

  private final LoggingSystem loggingSystem;
  private final StepAlarm alarm;
  private final Ticker ticker;

  /** The changed categories, with their levels before the first change. */
  private final Map<String, Change> changes = new TreeMap<>();

  private record Change(@Nullable LogLevel before, long untilNanos) {}

  /**
   * The level of a category.
   *
   * @param configured its own level; null if it has that of the category above it
   * @param untilNanos when it goes back to its level before; {@link Ticker#NEVER} if it is not
   *     changed
   */
  record Level(@Nullable LogLevel configured, LogLevel effective, long untilNanos) {}

  /**
   * Creates an object without changes.
   *
   * @param alarm for this object alone, which closes it
   */
  LogLevels(LoggingSystem loggingSystem, StepAlarm alarm, Ticker ticker) {
    this.loggingSystem = loggingSystem;
    this.alarm = alarm;
    this.ticker = ticker;
  }

  /** Returns the level of one of {@link #CATEGORIES}. */
  synchronized Level of(String category) {
    LoggerConfiguration configuration = loggingSystem.getLoggerConfiguration(category);
    Change change = changes.get(category);
    return new Level(
        configuration == null ? null : configuration.getConfiguredLevel(),
        configuration == null
            ? Objects.requireNonNull(loggingSystem.getLoggerConfiguration("io.penstock"))
                .getEffectiveLevel()
            : configuration.getEffectiveLevel(),
        change == null ? Ticker.NEVER : change.untilNanos());
  }

  /** Sets the level of one of {@link #CATEGORIES} for a while. */
  synchronized void set(String category, LogLevel level) {
    Change earlier = changes.get(category);
    LogLevel before = earlier == null ? of(category).configured() : earlier.before();
    changes.put(category, new Change(before, ticker.nanos() + LASTS_NANOS));
    loggingSystem.setLogLevel(category, level);
    setAlarm();
  }

  /** Gives a category its level before the change back. */
  synchronized void reset(String category) {
    Change change = changes.remove(category);
    if (change != null) {
      loggingSystem.setLogLevel(category, change.before());
      setAlarm();
    }
  }

  private void setAlarm() {
    long next = changes.values().stream().mapToLong(Change::untilNanos).min().orElse(Ticker.NEVER);
    alarm.at(next, this::resetDue);
  }

  private synchronized void resetDue() {
    long now = ticker.nanos();
    List.copyOf(changes.keySet()).stream()
        .filter(each -> Objects.requireNonNull(changes.get(each)).untilNanos() <= now)
        .forEach(this::reset);
    setAlarm();
  }

  /** Takes all changes back. */
  @Override
  public synchronized void close() {
    List.copyOf(changes.keySet()).forEach(this::reset);
    alarm.close();
  }
}
