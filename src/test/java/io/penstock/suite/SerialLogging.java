package io.penstock.suite;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogFile;
import org.springframework.boot.logging.LoggingInitializationContext;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.logging.LoggingSystemFactory;
import org.springframework.boot.logging.logback.LogbackLoggingSystem;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Serializes the logging setup of the gateways inside this JVM.
 *
 * <p>Logback has one configuration for a JVM, and Spring sets it up anew for a gateway that starts
 * after another one has stopped. It does so without a lock, because a process normally has one
 * gateway. Test classes that run concurrently start several, and two setups at the same time damage
 * Logback's lists, so that one of the gateways does not start. Spring finds this factory by its
 * name in {@code META-INF/spring.factories}. Thread-safe.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class SerialLogging implements LoggingSystemFactory {
  @Override
  public LoggingSystem getLoggingSystem(ClassLoader loader) {
    return new Serial(loader);
  }

  private static final class Serial extends LogbackLoggingSystem {
    private static final Object LOCK = new Object();

    Serial(ClassLoader loader) {
      super(loader);
    }

    @Override
    public void beforeInitialize() {
      synchronized (LOCK) {
        super.beforeInitialize();
      }
    }

    @Override
    public void initialize(
        LoggingInitializationContext context, @Nullable String location, @Nullable LogFile file) {
      synchronized (LOCK) {
        super.initialize(context, location, file);
      }
    }

    @Override
    public void cleanUp() {
      synchronized (LOCK) {
        super.cleanUp();
      }
    }
  }
}
