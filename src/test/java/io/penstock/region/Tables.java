package io.penstock.region;

import io.penstock.fake.MariaDb;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
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

  private Connection open() throws SQLException {
    String url = "jdbc:mariadb://127.0.0.1:" + MariaDb.port() + "/" + database;
    return DriverManager.getConnection(url, MariaDb.USER, MariaDb.PASSWORD);
  }

  /** Runs one statement. */
  void sql(String text) {
    try (Connection open = open();
        Statement statement = open.createStatement()) {
      statement.execute(text);
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns the first column of what a query finds, as text. */
  List<String> query(String text) {
    List<String> found = new ArrayList<>();
    try (Connection open = open();
        Statement statement = open.createStatement();
        ResultSet rows = statement.executeQuery(text)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
    return found;
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
