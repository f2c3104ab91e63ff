package io.penstock.fake;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Captures the lines that the creating thread writes to one log category. */
public final class LogLines implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final String thread = Thread.currentThread().getName();
  private final Logger logger;
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getThreadName().equals(thread)) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage());
          }
        }
      };

  private LogLines(String category) {
    logger = (Logger) LoggerFactory.getLogger(category);
    logger.setLevel(Level.INFO); // the tests' configuration only logs warnings and errors
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
  }

  /** Starts to capture the lines of a category. */
  public static LogLines of(String category) {
    return new LogLines(category);
  }

  /** Returns the lines so far, each preceded by its level. */
  public String text() {
    return String.join("\n", lines);
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
  }
}
