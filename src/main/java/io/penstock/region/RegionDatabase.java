package io.penstock.region;

import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.ValidationDepth;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.mariadb.r2dbc.MariadbConnectionFactoryProvider;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/** Small pool of connections to the database, on an event loop of its own. Thread-safe. */
final class RegionDatabase implements AutoCloseable {
  private static final int CONNECTIONS = 3;

  private final LoopResources loops = LoopResources.create("penstock-region", 1, true);
  private final ConnectionPool pool;
  private final Duration most;

  /**
   * Creates the pool without opening a connection.
   *
   * @param connect maximum duration until a connection is there
   * @param most maximum duration of one request, with that of its connection. A longer one is given
   *     up, and its connection is validated before it is used again.
   */
  RegionDatabase(DatabaseAddress address, Duration connect, Duration most) {
    this.most = most;
    ConnectionFactoryOptions options =
        address
            .options()
            .mutate()
            .option(ConnectionFactoryOptions.CONNECT_TIMEOUT, connect)
            .option(MariadbConnectionFactoryProvider.LOOP_RESOURCES, loops)
            .build();
    ConnectionFactory factory = new MariadbConnectionFactoryProvider().create(options);
    this.pool =
        new ConnectionPool(
            ConnectionPoolConfiguration.builder(factory)
                .initialSize(0)
                .minIdle(0)
                .maxSize(CONNECTIONS)
                .maxAcquireTime(connect)
                .maxCreateConnectionTime(connect)
                .validationDepth(ValidationDepth.REMOTE)
                .maxValidationTime(Duration.ofSeconds(1))
                .build());
  }

  /** Runs work that yields one value on a connection. Never blocks. */
  <T> CompletionStage<T> with(Function<Connection, Mono<T>> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    var _ =
        Mono.usingWhen(pool.create(), work, Connection::close)
            .timeout(most)
            .single()
            .subscribe(done::complete, done::completeExceptionally);
    return done;
  }

  /** Runs a statement and returns the number of changed rows. */
  static Mono<Long> update(Connection connection, String sql, List<?> values) {
    return results(connection, sql, values).flatMap(Result::getRowsUpdated).reduce(0L, Long::sum);
  }

  /**
   * Runs a query and returns the values read from its rows; rows that read as empty are left out.
   */
  static <T> Mono<List<T>> rows(
      Connection connection, String sql, List<?> values, Function<Row, Optional<T>> read) {
    return results(connection, sql, values)
        .flatMap(result -> result.map((row, columns) -> read.apply(row)))
        .filter(Optional::isPresent)
        .map(Optional::get)
        .collectList();
  }

  /** Returns the text of a column; the empty text for null. */
  static String text(Row row, String column) {
    String text = row.get(column, String.class);
    return text == null ? "" : text;
  }

  /** Returns the number in a column; −1 for null. */
  static long number(Row row, String column) {
    Long number = row.get(column, Long.class);
    return number == null ? -1 : number;
  }

  private static Flux<Result> results(Connection connection, String sql, List<?> values) {
    return Flux.defer(
        () -> {
          Statement statement = connection.createStatement(sql);
          for (int i = 0; i < values.size(); i++) {
            statement.bind(i, values.get(i));
          }
          return Flux.from(statement.execute());
        });
  }

  @Override
  public void close() {
    var _ = pool.disposeLater().subscribe(done -> {}, failed -> loops.dispose(), loops::dispose);
  }
}
