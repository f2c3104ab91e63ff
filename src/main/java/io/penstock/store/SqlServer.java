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
  /** The format version of the tables. */
  int SCHEMA = 1;

  /** The SQL state of tables with another format; the message says so to people. */
  String OTHER_FORMAT = "PENSTOCK-FORMAT";

  /** Opens a connection, and creates missing tables. */
  Connection open() throws SQLException;

  /**
   * Opens a connection again, without creating tables: a missing one must not be replaced by an
   * empty one, which would lose all keys.
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
      case SqlAddress.Server(DatabaseAddress server) -> new MariaServer(server);
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

  /**
   * Throws unless the tables have the format that this version reads.
   *
   * @param what what is stored, for people
   * @param instead what to use in its place, for people
   */
  static void checkFormat(Connection open, String what, String instead) throws SQLException {
    try (Statement statement = open.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT schema_version FROM penstock_key_meta WHERE id = 1")) {
      int format = row.next() ? row.getInt(1) : 0;
      if (format != SCHEMA) {
        throw new SQLException(StoredFormat.refusal(what, format, SCHEMA, instead), OTHER_FORMAT);
      }
    }
  }

  /** Runs statements, in order. */
  static void execute(Connection open, List<String> statements) throws SQLException {
    try (Statement statement = open.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** Returns the statements that create the table with the format version. */
  static List<String> formatTable(String options, String orIgnore) {
    return List.of(
        "CREATE TABLE IF NOT EXISTS penstock_key_meta (id INTEGER NOT NULL PRIMARY KEY,"
            + " schema_version INTEGER NOT NULL, version BIGINT NOT NULL)"
            + options,
        "INSERT "
            + orIgnore
            + " INTO penstock_key_meta (id, schema_version, version) VALUES (1, "
            + SCHEMA
            + ", 0)");
  }

  /** Returns the statements that create the tables of keys. */
  static List<String> keyTables(String options) {
    return List.of(
        "CREATE TABLE IF NOT EXISTS penstock_keys (name VARCHAR(200) NOT NULL PRIMARY KEY,"
            + " identity VARCHAR(200) NOT NULL UNIQUE, created_at BIGINT NOT NULL,"
            + " sha256 CHAR(64) NOT NULL UNIQUE, previous_sha256 CHAR(64) UNIQUE,"
            + " previous_until BIGINT, terms TEXT NOT NULL)"
            + options,
        KeyIdentities.TABLE + options,
        KeyIdentities.REVOCATIONS + options);
  }
}
