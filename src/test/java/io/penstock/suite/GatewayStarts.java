package io.penstock.suite;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Counts the gateways that the tests of this JVM start, inside it and as processes of their own.
 *
 * <p>Spring finds this listener by its name in {@code META-INF/spring.factories}, so gateways
 * inside the JVM are counted without a word of the tests. Thread-safe.
 */
public final class GatewayStarts implements ApplicationListener<ApplicationReadyEvent> {
  private static final AtomicInteger STARTS = new AtomicInteger();

  /** Counts one that starts as a process of its own. */
  public static void process() {
    STARTS.incrementAndGet();
  }

  /** Returns how many were started so far. */
  static int count() {
    return STARTS.get();
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    STARTS.incrementAndGet();
  }
}
