package io.penstock.region;

import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.SqlClient;
import io.penstock.store.DatabaseAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A database of a real server for one test, with or without the tables. */
final class Tables {
  private final String database = MariaDb.database();

  private Tables() {}

  /** Creates a database with the tables. */
  static Tables made() {
    Tables tables = none();
    RegionSchema.migrate(tables.settings("east"));
    return tables;
  }

  /** Creates a database without tables. */
  static Tables none() {
    return new Tables();
  }

  DatabaseAddress address() {
    return DatabaseAddress.parse(MariaDb.url(database, MariaDb.port()));
  }

  /** Returns a pool that a busy machine does not make give up. */
  static RegionDatabase patient(DatabaseAddress address) {
    return new RegionDatabase(address, PatientWaits.LONGEST, PatientWaits.LONGEST);
  }

  RegionSettings settings(String region) {
    return new RegionSettings(region, "default", address(), true, null, 0.05);
  }

  private SqlClient sql() {
    return new SqlClient(MariaDb.port(), database, MariaDb.USER, MariaDb.PASSWORD);
  }

  /** Opens a connection, which the caller closes. */
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

  /** Adds a row of a denial or a count, as another program could. */
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
