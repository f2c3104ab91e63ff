package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The meters of what is shared with other instances. */
public final class SyncMeters {
  /** What is shared in this way: slices, or counts. */
  public interface Way {
    /** Returns how many times the others were asked and answered. */
    long answered();

    /** Returns how long that took in all, in nanoseconds. */
    long answeredNanos();

    /** Returns how often something went wrong, by what it was. */
    Map<String, Long> errors();
  }

  private SyncMeters() {}

  /**
   * Makes the meters of one way.
   *
   * @param name what is shared, such as {@code slices}
   * @param errors all that can go wrong
   */
  public static void add(
      MeterRegistry registry, String name, Supplier<Way> way, Set<String> errors) {
    FunctionTimer.builder(
            "penstock.sync",
            SyncMeters.class, // a meter keeps its function, but not what it is of
            kept -> way.get().answered(),
            kept -> way.get().answeredNanos(),
            TimeUnit.NANOSECONDS)
        .description("Until what is shared with other instances was there and back")
        .tag("what", name)
        .register(registry);
    for (String error : errors) {
      FunctionCounter.builder(
              "penstock.sync.errors",
              SyncMeters.class,
              kept -> way.get().errors().getOrDefault(error, 0L))
          .description("What went wrong when limits were shared")
          .tag("what", name)
          .tag("kind", error)
          .register(registry);
    }
  }

  /**
   * Makes the meter of what other regions were not told.
   *
   * @param name batches of {@code counts}, which the next one makes good, or {@code denials}
   */
  public static void addDropped(MeterRegistry registry, String name, LongSupplier dropped) {
    FunctionCounter.builder(
            "penstock.region.dropped", SyncMeters.class, kept -> dropped.getAsLong())
        .description("What other regions were not told because the database was sick")
        .tag("what", name)
        .register(registry);
  }

  /** Makes the meter of rows of other regions that were of no use. */
  public static void addIgnored(MeterRegistry registry, LongSupplier rows) {
    FunctionCounter.builder("penstock.region.ignored", SyncMeters.class, kept -> rows.getAsLong())
        .description("Rows of other regions that were of no limit, or of no cell that counts")
        .register(registry);
  }

  /** Makes the meter of limits that are kept shut because what was spent may have been lost. */
  public static void addRecovering(MeterRegistry registry, IntSupplier limits) {
    Gauge.builder("penstock.limits.recovering", limits::getAsInt)
        .description("Exact limits that grant nothing more because Redis has lost data")
        .register(registry);
  }

  /** Makes the meter of tokens that this instance alone may spend, and has not yet. */
  public static void addSlices(MeterRegistry registry, LongSupplier tokens) {
    Gauge.builder("penstock.slice.tokens", tokens::getAsLong)
        .description("Tokens in slices of shared limits that are not spent yet")
        .register(registry);
  }
}
