package io.penstock.region;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.penstock.store.DatabaseAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Small pool of connections to the database, and threads that may wait for it. Thread-safe. */
final class RegionDatabase implements AutoCloseable {
  private static final int CONNECTIONS = 3;
  private static final long VALIDATION_MILLIS = 1_000;

  private final HikariDataSource pool;
  private final JdbcClient client;
  private final Duration most;

  /**
   * Creates the pool without opening a connection.
   *
   * @param connect maximum duration until a connection is there
   * @param most maximum duration of one request, with that of its connection. A longer one is given
   *     up, and its connection is not used again.
   */
  RegionDatabase(DatabaseAddress address, Duration connect, Duration most) {
    this.most = most;
    HikariConfig config = new HikariConfig();
    config.setPoolName("penstock-region");
    config.setJdbcUrl(address.url());
    config.setDataSourceProperties(address.properties(connect, most));
    config.setInitializationFailTimeout(-1);
    config.setMinimumIdle(0);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(connect.toMillis());
    config.setValidationTimeout(VALIDATION_MILLIS);
    this.pool = new HikariDataSource(config);
    this.client = JdbcClient.create(pool);
  }

  /** Runs work in a thread of its own. Never blocks. */
  <T> CompletionStage<T> with(Function<JdbcClient, T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    Thread thread = Thread.ofVirtual().name("penstock-region").start(() -> run(work, done));
    var _ =
        done.orTimeout(most.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (answer, failure) -> {
                  if (failure instanceof TimeoutException) {
                    thread.interrupt(); // this closes its connection
                  }
                });
    return done;
  }

  private <T> void run(Function<JdbcClient, T> work, CompletableFuture<T> done) {
    try {
      done.complete(work.apply(client));
    } catch (RuntimeException failure) {
      done.completeExceptionally(failure);
    }
  }

  @Override
  public void close() {
    var _ = Thread.ofVirtual().name("penstock-region-close").start(pool::close);
  }
}
