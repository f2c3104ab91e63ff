package io.penstock.fake;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** Captures the output of all loggers of the JVM, for test classes that run alone in it. */
public final class LogCapture implements AutoCloseable {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          events.add(event);
        }
      };

  private LogCapture() {}

  /** Starts to listen. Call it after the gateway has started, which configures logging. */
  public static LogCapture listen() {
    LogCapture logCapture = new LogCapture();
    logCapture.appender.setContext(logCapture.root.getLoggerContext());
    logCapture.appender.start();
    logCapture.root.addAppender(logCapture.appender);
    return logCapture;
  }

  /** Returns the lines with a stack trace, and errors. */
  public List<String> traces() {
    return events.stream()
        .filter(event -> event.getThrowableProxy() != null || event.getLevel() == Level.ERROR)
        .map(LogCapture::text)
        .toList();
  }

  /** Returns all lines. */
  public List<String> lines() {
    return events.stream().map(LogCapture::text).toList();
  }

  private static String text(ILoggingEvent event) {
    String trace =
        event.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
    return event.getLevel()
        + " "
        + event.getLoggerName()
        + " "
        + event.getFormattedMessage()
        + pairs(event)
        + trace;
  }

  private static String pairs(ILoggingEvent event) {
    return event.getKeyValuePairs() == null
        ? ""
        : event.getKeyValuePairs().stream()
            .map(pair -> " " + pair.key + "=" + pair.value)
            .collect(Collectors.joining());
  }

  @Override
  public void close() {
    root.detachAppender(appender);
  }
}
