package io.penstock.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.slf4j.LoggerFactory;

/** A database for keys: its SQL dialect, and how to connect to it. */
sealed interface SqlServer permits SqliteFile, MariaServer {
  /** Version of the table layout. */
  int SCHEMA = 1;

  /** Opens a connection, and creates missing tables. */
  Connection open() throws SQLException;

  /**
   * Opens a connection again, without creating a table of keys: a missing one must not be replaced
   * by an empty one, which would lose all keys.
   */
  Connection reopen() throws SQLException;

  /**
   * Returns the identity of the database, which changes if the one behind open connections is
   * removed or replaced.
   */
  Object place();

  /**
   * Returns the reason of a failure, for people; drivers' own messages may contain addresses and
   * users.
   */
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

  /** Throws unless the tables have the known layout. */
  static void checkSchema(Connection open) throws SQLException {
    try (Statement statement = open.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT schema_version FROM penstock_key_meta WHERE id = 1")) {
      if (!row.next() || row.getInt(1) != SCHEMA) {
        throw new SQLException("another schema", "PENSTOCK");
      }
    }
  }

  /** Creates the missing tables; returns {@code open}, or closes it and throws. */
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

  /** Returns the statement that creates the table that other versions do not know. */
  static List<String> identities(String options) {
    return List.of(KeyIdentities.TABLE + options);
  }

  /** Returns the statements that create the tables. */
  static List<String> tables(String options, String orIgnore) {
    return List.of(
        "CREATE TABLE IF NOT EXISTS penstock_key_meta (id INTEGER NOT NULL PRIMARY KEY,"
            + " schema_version INTEGER NOT NULL, version BIGINT NOT NULL)"
            + options,
        "CREATE TABLE IF NOT EXISTS penstock_keys (name VARCHAR(200) NOT NULL PRIMARY KEY,"
            + " sha256 CHAR(64) NOT NULL UNIQUE, previous_sha256 CHAR(64) UNIQUE,"
            + " previous_until BIGINT, terms TEXT NOT NULL)"
            + options,
        KeyIdentities.TABLE + options,
        "INSERT "
            + orIgnore
            + " INTO penstock_key_meta (id, schema_version, version) VALUES (1, "
            + SCHEMA
            + ", 0)");
  }
}
