package io.penstock.region;

import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sharing of limits between regions through a database. No decision waits for the database; without
 * it, each region goes on with what it knows. Thread-safe.
 */
public final class DatabaseRegions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.region");
  private static final long RETRY_SECONDS = 5;
  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration MOST = Duration.ofSeconds(4);

  /** Source of the counts of the other instances of this region. */
  @FunctionalInterface
  public interface LocalPeers {
    /**
     * Returns the sum over all other instances for one limit, by cell: floor(Unix time ÷ duration).
     */
    Map<Long, Long> counted(LimitId id);
  }

  private final RegionSettings settings;
  private final Ticker ticker;
  private final StepAlarm alarm;
  private final RegionDatabase regionDatabase;
  private final RegionSync regionSync;
  private final RowSweeper sweeper;
  private final PollSchedule sweeping;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Creates the sharing without contacting the database.
   *
   * @param alarm for this object alone, on a thread that serves no requests
   * @param localPeers null when this is the only instance of its region
   */
  public DatabaseRegions(
      RegionSettings settings,
      Ticker ticker,
      WallClock wall,
      StepAlarm alarm,
      @Nullable LocalPeers localPeers) {
    this.settings = settings;
    this.ticker = ticker;
    this.alarm = alarm;
    this.regionDatabase = new RegionDatabase(settings.address(), CONNECT, MOST);
    SecureRandom random = new SecureRandom();
    CountRows counts = new CountRows(regionDatabase, settings.workspace(), wall);
    DenialRows denials = new DenialRows(regionDatabase, settings.workspace(), wall);
    RegionSync.Stores stores =
        new RegionSync.Stores(
            settings.region(), counts, denials, () -> counts.of(settings.region()));
    this.regionSync =
        new RegionSync(
            stores,
            localPeers,
            ticker,
            wall,
            RegionSync.Terms.of(settings.share()),
            random::nextDouble);
    this.sweeper = new RowSweeper(regionDatabase, settings.region(), wall);
    this.sweeping =
        new PollSchedule(
            SWEEP_NANOS, SWEEP_NANOS / 2, random::nextDouble, ticker.nanos() + SWEEP_NANOS);
  }

  /**
   * Returns the limits of another source that leave room for the counts of other regions.
   *
   * @param local tells which limits are not shared
   */
  public LimitSource over(LimitSource source, Predicate<LimitId> local) {
    return new RegionLimitSource(source, regionSync, local);
  }

  /** Starts sharing as soon as the tables exist. */
  public void start() {
    Thread.ofPlatform().daemon().name("penstock-region-schema").start(this::prepare);
  }

  /** Creates the tables if configured; on a thread of its own, because JDBC blocks. */
  private void prepare() {
    boolean warned = false;
    while (settings.migrates() && closed.getCount() > 0) {
      try {
        RegionSchema.migrate(settings);
        break;
      } catch (FlywayException failed) {
        if (!warned) {
          warned = true;
          LOG.warn(
              "regions: the tables in {} cannot be made yet: {}",
              settings.address(),
              SqlTrouble.of(failed));
        }
      }
      try {
        if (closed.await(RETRY_SECONDS, TimeUnit.SECONDS)) {
          return;
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return;
      }
    }
    LOG.info("regions: {} shares limits through {}", settings.region(), settings.address());
    regionSync.onDenial(() -> alarm.soon(this::step));
    alarm.soon(this::step);
  }

  private void step() {
    if (closed.getCount() > 0) {
      long next = Math.min(regionSync.step(), sweep());
      alarm.at(next, this::step);
    }
  }

  private synchronized long sweep() {
    long now = ticker.nanos();
    var _ = sweeping.dropOverdue(now);
    if (sweeping.due(now)) {
      long mine = sweeping.begin(now);
      var _ = sweeper.sweep().whenComplete((rows, failure) -> swept(mine, rows, failure));
    }
    return sweeping.next();
  }

  /**
   * Ends a sweep. A failed one is retried at the next regular time; when rows may be left, the next
   * sweep follows at once.
   */
  private synchronized void swept(long mine, @Nullable Long rows, @Nullable Throwable failure) {
    if (!sweeping.ends(mine)) {
      return;
    }
    if (rows == null) {
      regionSync.ledger().failed(RegionStatistics.SWEEPS, failure);
      return;
    }
    regionSync.ledger().answered(RegionStatistics.SWEEPS, ticker.nanos() - sweeping.sentAt());
    if (rows >= RowSweeper.MOST) {
      sweeping.hurry(ticker.nanos());
      alarm.soon(this::step);
    }
  }

  /**
   * Publishes the counts of this region for the last time; counts that are not published by then
   * are lost.
   */
  public CompletionStage<?> leave() {
    return regionSync.last();
  }

  /** Returns the statistics of the exchange so far. */
  public RegionStatistics ledger() {
    return regionSync.ledger();
  }

  /** Stops the exchange. */
  @Override
  public void close() {
    closed.countDown();
    regionDatabase.close();
  }
}
