package io.penstock.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What SQL is spoken where keys are kept, and how one gets there. */
sealed interface SqlServer permits SqliteFile, MariaServer {
  /** Which shape of tables this is. */
  int SCHEMA = 1;

  /** Opens a connection to where the tables are, made if they were not. */
  Connection open() throws SQLException;

  /**
   * Opens a connection once more: what is not there any more is not begun anew, which would lose
   * all there was.
   */
  Connection reopen() throws SQLException;

  /** Returns what is another one when open connections lead to something that was taken away. */
  Object place();

  /** Returns what went wrong, for people; what drivers say may hold addresses and users. */
  String why(SQLException failed);

  static SqlServer of(SqlAddress address) {
    return switch (address) {
      case SqlAddress.File(Path path) -> new SqliteFile(path);
      case SqlAddress.Server server -> new MariaServer(server);
    };
  }

  /** Closes a connection that may be broken. */
  static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException broken) {
      LoggerFactory.getLogger("io.penstock.keys")
          .debug("a connection was broken when it was closed");
    }
  }

  /** Fails unless the tables are of the shape that is known here. */
  static void checkSchema(Connection open) throws SQLException {
    try (Statement statement = open.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT schema_version FROM penstock_key_meta WHERE id = 1")) {
      if (!row.next() || row.getInt(1) != SCHEMA) {
        throw new SQLException("another schema", "PENSTOCK");
      }
    }
  }

  /** Makes the tables that are missing; returns {@code open}, or fails and closes it. */
  static Connection made(Connection open, List<String> tables) throws SQLException {
    try {
      try (Statement statement = open.createStatement()) {
        for (String each : tables) {
          statement.execute(each);
        }
      }
      checkSchema(open);
      return open;
    } catch (SQLException failed) {
      close(open);
      throw failed;
    }
  }

  /** What makes them. */
  static List<String> tables(String options, String orIgnore) {
    return List.of(
        "CREATE TABLE IF NOT EXISTS penstock_key_meta (id INTEGER NOT NULL PRIMARY KEY,"
            + " schema_version INTEGER NOT NULL, version BIGINT NOT NULL)"
            + options,
        "CREATE TABLE IF NOT EXISTS penstock_keys (name VARCHAR(200) NOT NULL PRIMARY KEY,"
            + " sha256 CHAR(64) NOT NULL UNIQUE, previous_sha256 CHAR(64) UNIQUE,"
            + " previous_until BIGINT, terms TEXT NOT NULL)"
            + options,
        "INSERT "
            + orIgnore
            + " INTO penstock_key_meta (id, schema_version, version) VALUES (1, "
            + SCHEMA
            + ", 0)");
  }
}
