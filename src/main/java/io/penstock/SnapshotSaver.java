package io.penstock;

import io.penstock.limit.ChargedCell;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves what was spent and used, from time to time and at the end, on a thread of its own, so that
 * no request waits for it.
 */
final class SnapshotSaver implements AutoCloseable {
  /** The clock of limits and the clock of files. */
  record Clocks(Ticker ticker, WallClock wall) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Converts the cells of limits to wall time; they never become earlier. */
    Map<LimitId, List<Spent>> toWall(Map<LimitId, List<ChargedCell>> cells, long now) {
      long wallNanos = (wall.unixMillis() + 1) * NANOS_PER_MILLI;
      Map<LimitId, List<Spent>> spent = new HashMap<>();
      cells.forEach(
          (id, each) ->
              spent.put(
                  id,
                  each.stream()
                      .map(cell -> spent(wallNanos + (cell.atNanos() - now), cell.amount()))
                      .toList()));
      return spent;
    }

    private static Spent spent(long unixNanos, long amount) {
      return new Spent(Math.max(0, unixNanos), amount);
    }

    /** Converts the cells of a file to the time of limits; they never become earlier. */
    Map<LimitId, List<ChargedCell>> toCells(
        Map<LimitId, List<Spent>> spent, long wallMillis, long now) {
      long wallNanos = wallMillis * NANOS_PER_MILLI;
      Map<LimitId, List<ChargedCell>> cells = new HashMap<>();
      spent.forEach(
          (id, each) ->
              cells.put(
                  id,
                  each.stream()
                      .map(
                          piece ->
                              new ChargedCell(
                                  now + (piece.unixNanos() - wallNanos), piece.amount()))
                      .toList()));
      return cells;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.state");
  private static final long LAST_SAVE_SECONDS = 30;

  private final StateFile state;
  private final Clocks clocks;
  private final LocalLimitSource limits;
  private final UsageLedger ledger;
  private final Supplier<Map<String, ModelLimits>> overrides;
  private final ScheduledExecutorService thread;
  private boolean failing;
  private boolean closed;

  SnapshotSaver(
      StateFile state,
      Clocks clocks,
      LocalLimitSource limits,
      UsageLedger ledger,
      Supplier<Map<String, ModelLimits>> overrides) {
    this.state = state;
    this.clocks = clocks;
    this.limits = limits;
    this.ledger = ledger;
    this.overrides = overrides;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("penstock-state").factory());
  }

  /** Begins to save, if there is a file. */
  void start() {
    if (state.file() != null) {
      long millis = state.every().toMillis();
      var _ = thread.scheduleWithFixedDelay(this::save, millis, millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Saves once. Runs on the one thread, so never twice at the same time. */
  private void save() {
    try {
      long now = clocks.ticker().nanos();
      Map<LimitId, List<Spent>> spent = clocks.toWall(limits.owed(now), now);
      state.store().save(new Snapshot(overrides.get(), spent, ledger.rows()));
      if (failing) {
        failing = false;
        LOG.info("state is saved again");
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) { // the next save may succeed
      if (!failing) {
        failing = true;
        LOG.error("state is not saved, what was saved before stays: {}", e.getMessage());
      }
    }
  }

  /** Saves for the last time. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (state.file() != null) {
      thread.execute(this::save);
    }
    thread.execute(state.store()::close);
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LAST_SAVE_SECONDS, TimeUnit.SECONDS)) {
        LOG.error("state is not saved: the disk takes too long");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
