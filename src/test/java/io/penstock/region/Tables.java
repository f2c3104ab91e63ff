package io.penstock.region;

import io.penstock.fake.MariaDb;
import io.penstock.fake.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A database of a real server that has the tables. */
final class Tables {
  private final String database = MariaDb.database();

  private Tables() {}

  /** Makes one. */
  static Tables made() {
    Tables tables = none();
    Schema.migrate(tables.settings("east"));
    return tables;
  }

  /** Makes one without tables. */
  static Tables none() {
    return new Tables();
  }

  DatabaseAddress address() {
    return DatabaseAddress.parse(MariaDb.url(database, MariaDb.port()));
  }

  RegionSettings settings(String region) {
    return new RegionSettings(region, "default", address(), true, null, RegionSettings.SHARE);
  }

  private Sql sql() {
    return new Sql(MariaDb.port(), database, MariaDb.USER, MariaDb.PASSWORD);
  }

  /** Opens a connection, to be closed. */
  Connection open() throws SQLException {
    return sql().open();
  }

  /** Runs one statement. */
  void sql(String text) {
    sql().run(text);
  }

  /** Returns the first column of what a query finds, as text. */
  List<String> query(String text) {
    return sql().query(text);
  }

  /** Adds what a region denied, or counted, as any program could. */
  void row(String table, String namespace, String identifier, long sequence, long amount) {
    String column = table.equals("ratelimit_counts") ? "amount" : "`limit`";
    sql(
        ("INSERT INTO %s (workspace, namespace, identifier, duration, sequence, region, %s,"
                + " expires_at, changed_at) VALUES ('default', '%s', '%s', 60000, %d, 'far', %d,"
                + " %d, %d)")
            .formatted(
                table, column, namespace, identifier, sequence, amount, Long.MAX_VALUE, sequence));
  }
}
