package io.penstock.suite;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Counts the gateways that a test class starts, inside this JVM and in processes of their own.
 *
 * <p>The count belongs to the thread that runs the class and to the threads that it creates. Spring
 * finds this listener by its name in {@code META-INF/spring.factories}, so tests need not do
 * anything to have gateways inside the JVM counted. Thread-safe.
 */
public final class GatewayStarts implements ApplicationListener<ApplicationReadyEvent> {
  /** Number of gateways started by one class so far. */
  static final class Counter {
    private final AtomicInteger starts = new AtomicInteger();

    int count() {
      return starts.get();
    }
  }

  private static final InheritableThreadLocal<Counter> CURRENT =
      new InheritableThreadLocal<>() {
        @Override
        protected Counter initialValue() {
          return new Counter();
        }
      };

  /** Starts a count for a class, on the thread that is going to run it. */
  static Counter newCounter() {
    Counter counter = new Counter();
    CURRENT.set(counter);
    return counter;
  }

  /** Counts a gateway that starts in a process of its own. */
  public static void process() {
    CURRENT.get().starts.incrementAndGet();
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent ready) {
    process();
  }
}
