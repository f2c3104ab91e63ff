package io.penstock.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Meters of the sharing of limits between instances and regions. */
public final class SyncMeters {
  /** A way of sharing: shares, or counts. */
  public interface Way {
    /** Returns the number of completed exchanges. */
    long answered();

    /** Returns the total duration of completed exchanges, in nanoseconds. */
    long answeredNanos();

    /** Returns the number of errors by kind. */
    Map<String, Long> errors();
  }

  private SyncMeters() {}

  /**
   * Creates the meters of one way of sharing.
   *
   * @param name its name, such as {@code shares}
   * @param errors all kinds of errors
   */
  public static void add(
      MeterRegistry registry, String name, Supplier<Way> way, Set<String> errors) {
    FunctionTimer.builder(
            "penstock.sync",
            SyncMeters.class, // a meter holds its function strongly, but its object only weakly
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
   * Creates the meter of reports that were dropped instead of sent to other regions.
   *
   * @param name batches of {@code counts}, which the next batch makes good, or {@code denials}
   */
  public static void addDropped(MeterRegistry registry, String name, LongSupplier dropped) {
    FunctionCounter.builder(
            "penstock.region.dropped", SyncMeters.class, kept -> dropped.getAsLong())
        .description("What other regions were not told because the database was sick")
        .tag("what", name)
        .register(registry);
  }

  /** Creates the meter of rows of other regions that were ignored. */
  public static void addIgnored(MeterRegistry registry, LongSupplier rows) {
    FunctionCounter.builder("penstock.region.ignored", SyncMeters.class, kept -> rows.getAsLong())
        .description("Rows of other regions that were of no limit, or of no cell that counts")
        .register(registry);
  }

  /**
   * Creates the meters of exact limits.
   *
   * @param silentSeconds returns the time since Redis answered last
   * @param members returns how many instances share limits, this one included
   * @param stopped returns how many instances have stopped of which shares still count
   */
  public static void addShares(
      MeterRegistry registry,
      DoubleSupplier silentSeconds,
      LongSupplier members,
      LongSupplier stopped) {
    Gauge.builder("penstock.shares.silence", silentSeconds::getAsDouble)
        .description("Time since Redis answered the last message about exact limits")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("penstock.shares.members", members::getAsLong)
        .description("Instances that share exact limits, this one included")
        .register(registry);
    Gauge.builder("penstock.shares.stopped", stopped::getAsLong)
        .description("Instances that have stopped, and of which shares still count")
        .register(registry);
  }
}
