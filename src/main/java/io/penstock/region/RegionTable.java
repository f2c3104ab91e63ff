package io.penstock.region;

import io.penstock.time.WallClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Table with one amount for each limit, cell and region. Each region writes only its own rows, in
 * the order of their keys. Thread-safe.
 */
final class RegionTable {
  /** Maximum number of rows of one read. */
  private static final int MOST_ROWS = 100_000;

  /** Maximum number of rows of one statement that writes. */
  private static final int BATCH = 100;

  private static final String PLACES = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final Comparator<Row> BY_KEY =
      Comparator.comparing(Row::namespace)
          .thenComparing(Row::identifier)
          .thenComparingLong(Row::durationMillis)
          .thenComparingLong(Row::sequence);

  /**
   * A row.
   *
   * @param namespace the kind of limit, see {@link LimitNaming}
   * @param identifier the owner of the limit
   * @param durationMillis the length of the cell
   * @param sequence number of the cell: floor(Unix milliseconds ÷ duration)
   * @param changedMillis when it was written, by the clock of its region
   */
  record Row(
      String namespace,
      String identifier,
      long durationMillis,
      long sequence,
      String region,
      long amount,
      long changedMillis) {
    /** Returns the Unix milliseconds from which the row is useless: the end of the next cell. */
    long expiresAtMillis() {
      return (sequence + 2) * durationMillis;
    }
  }

  private final String workspace;
  private final WallClock clock;
  private final String write;
  private final String merge;
  private final String read;

  /**
   * Creates the access to a table.
   *
   * @param amount name of the column with the amount
   * @param merge what becomes of a row that is there already
   */
  RegionTable(String name, String amount, String merge, String workspace, WallClock clock) {
    String key = "namespace, identifier, duration, sequence, region, " + amount;
    this.workspace = workspace;
    this.clock = clock;
    this.write =
        "INSERT INTO " + name + " (workspace, " + key + ", expires_at, changed_at) VALUES ";
    this.merge = " ON DUPLICATE KEY UPDATE " + merge;
    this.read =
        "SELECT " + key + ", changed_at FROM " + name + " WHERE workspace = ? AND expires_at > ?";
  }

  /** Writes rows of one region; blocks. */
  void write(JdbcClient client, List<Row> rows) {
    List<Row> sorted = rows.stream().sorted(BY_KEY).toList();
    for (int from = 0; from < sorted.size(); from += BATCH) {
      List<Row> batch = sorted.subList(from, Math.min(sorted.size(), from + BATCH));
      String places = String.join(", ", Collections.nCopies(batch.size(), PLACES));
      var _ =
          client
              .sql(write + places + merge)
              .params(batch.stream().flatMap(this::values).toList())
              .update();
    }
  }

  private Stream<Object> values(Row row) {
    return Stream.of(
        workspace,
        row.namespace(),
        row.identifier(),
        row.durationMillis(),
        row.sequence(),
        row.region(),
        row.amount(),
        row.expiresAtMillis(),
        row.changedMillis());
  }

  /** Returns the rows of all other regions that changed after the given time; blocks. */
  List<Row> ofOthers(JdbcClient client, String region, long sinceMillis) {
    return read(
        client, " AND region <> ? AND changed_at > ? ORDER BY changed_at", region, sinceMillis);
  }

  /** Returns the rows of a region; blocks. */
  List<Row> of(JdbcClient client, String region) {
    return read(client, " AND region = ?", region);
  }

  private List<Row> read(JdbcClient client, String condition, Object... values) {
    List<Object> all = new ArrayList<>(List.of(workspace, clock.unixMillis()));
    all.addAll(List.of(values));
    return client
        .sql(read + condition + " LIMIT " + MOST_ROWS)
        .params(all)
        .query(RegionTable::row)
        .list();
  }

  private static Row row(ResultSet row, int number) throws SQLException {
    return new Row(
        row.getString(1),
        row.getString(2),
        row.getLong(3),
        row.getLong(4),
        row.getString(5),
        row.getLong(6),
        row.getLong(7));
  }
}
