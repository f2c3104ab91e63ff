package io.penstock.store;

import io.penstock.key.KeyRegistry;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore;
import io.penstock.key.Revocation;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys in SQL, and this instance's copy of them. A thread of its own does all work that blocks: the
 * changes by operators of this instance, and a check every second for changes by others. While the
 * store is unavailable, the known keys stay valid.
 */
public final class KeyStorage implements KeyStore, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.keys");
  private static final Duration LOOK = Duration.ofSeconds(1);

  /**
   * Longest interval between checks of an unavailable store. Changes by other instances arrive
   * within 10 s of its return.
   */
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

  private static final KeyDatabase.Content NOTHING =
      new KeyDatabase.Content(0, List.of(), Map.of());
  private static final double JITTER = 0.2;

  /** Maximum number of waiting changes; further ones are refused. */
  private static final int MOST_WAITING = 64;

  private final String shown;
  private final KeyDatabase database;
  private final Semaphore places = new Semaphore(MOST_WAITING);
  private final ScheduledThreadPoolExecutor thread;
  private final SplittableRandom random = new SplittableRandom();
  private KeyDatabase.Content content;
  private @Nullable KeyRegistry keyRegistry;
  private Ticker clock = Ticker.system();
  private long version;
  private long opened;
  private boolean lost;
  private Duration pause = LOOK;

  private KeyStorage(String shown, KeyDatabase database, KeyDatabase.Content content) {
    this.shown = shown;
    this.database = database;
    this.content = content;
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("penstock-keys").daemon().factory());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * Opens a store and reads it; blocks.
   *
   * @param store {@code file:PATH} of a SQLite file, created if missing, or {@code sql}
   * @param databaseUrl for the latter: {@code r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE}
   * @throws UnusableStore if it cannot be used; nothing is changed then
   */
  public static KeyStorage open(String store, @Nullable String databaseUrl) {
    return open(store, databaseUrl, WallClock.system());
  }

  /**
   * Opens a store and reads it; blocks.
   *
   * @param wall gives the times of creation
   */
  static KeyStorage open(String store, @Nullable String databaseUrl, WallClock wall) {
    SqlAddress address = SqlAddress.of(store, databaseUrl);
    KeyDatabase database = new KeyDatabase(SqlServer.of(address), wall);
    try {
      return new KeyStorage(address.shown(), database, database.content());
    } catch (Lost lost) {
      database.close();
      throw new UnusableStore(named(address.shown(), lost));
    }
  }

  private static String named(String shown, Lost lost) {
    return "keys in " + shown + ": " + lost.getMessage();
  }

  /** Keeps {@code known} in step with the store from now on. Call it once. */
  public void follow(KeyRegistry known, Ticker ticker) {
    clock = ticker;
    known.stored(content.keys(), ticker.nanos());
    long read = content.version();
    content = NOTHING;
    thread.execute(
        () -> {
          keyRegistry = known;
          version = read;
          opened = 1;
        });
    later();
  }

  private void later() {
    double off = 1 + JITTER * (2 * random.nextDouble() - 1);
    var _ = thread.schedule(this::look, (long) (pause.toNanos() * off), TimeUnit.NANOSECONDS);
  }

  private void look() {
    try {
      refresh();
      pause = LOOK;
      found();
    } catch (Lost failed) {
      missed(failed);
      Duration next = pause.multipliedBy(2);
      pause = next.compareTo(LONGEST_LOOK) < 0 ? next : LONGEST_LOOK;
    } finally {
      later();
    }
  }

  private void refresh() {
    long now = database.version();
    boolean known = now == version && database.opened() == opened;
    if (keyRegistry == null || known) {
      return;
    }
    KeyDatabase.Content changed = database.content();
    keyRegistry.stored(changed.keys(), changed.revocations(), clock.nanos());
    version = changed.version();
    opened = database.opened();
  }

  private void found() {
    if (lost) {
      lost = false;
      LOG.info("the key store is back");
    }
  }

  private void missed(Lost failed) {
    if (!lost) {
      lost = true;
      LOG.warn("the key store is lost, the keys known so far stay: {}", named(shown, failed));
    }
  }

  @Override
  public CompletionStage<Change> add(KeySpec key) {
    return submit(() -> changed(database.add(key)));
  }

  @Override
  public CompletionStage<Change> change(String name, UnaryOperator<KeySpec> edit) {
    return submit(() -> changed(database.change(name, edit)));
  }

  @Override
  public CompletionStage<Change> remove(String name, Revocation revocation) {
    return submit(
        () -> {
          KeyDatabase.Changed removed = database.remove(name, revocation);
          if (removed.change() instanceof Done(KeySpec key) && keyRegistry != null) {
            keyRegistry.removed(key, revocation, clock.nanos());
            caughtUp(removed.version());
          }
          return removed.change();
        });
  }

  private Change changed(KeyDatabase.Changed changed) {
    if (changed.change() instanceof Done(KeySpec key) && keyRegistry != null) {
      keyRegistry.stored(key, clock.nanos());
      caughtUp(changed.version());
    }
    return changed.change();
  }

  /**
   * Advances the version after a change of this instance. If others changed something in between,
   * the version stays behind, so that everything is read again.
   */
  private void caughtUp(long next) {
    if (next == version + 1) {
      version = next;
    }
  }

  private CompletionStage<Change> submit(Supplier<Change> work) {
    if (!places.tryAcquire()) {
      return CompletableFuture.failedStage(new Lost("too many changes wait for it"));
    }
    try {
      return CompletableFuture.supplyAsync(() -> asked(work), thread)
          .whenComplete((change, error) -> places.release());
    } catch (RejectedExecutionException closed) {
      places.release();
      return CompletableFuture.failedStage(new Lost("it is closed"));
    }
  }

  private Change asked(Supplier<Change> work) {
    try {
      return work.get();
    } catch (Lost failed) {
      throw new Lost(named(shown, failed));
    }
  }

  /** Stops after the work in progress, and closes the database. */
  @Override
  public void close() {
    CompletableFuture<Void> closed = CompletableFuture.runAsync(database::close, thread);
    thread.shutdown();
    closed.completeOnTimeout(null, 5, TimeUnit.SECONDS).join();
  }
}
