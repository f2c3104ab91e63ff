package io.penstock.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A MariaDB or MySQL server. */
record MariaServer(DatabaseAddress address) implements SqlServer {
  private static final String OPTIONS =
      " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

  // An unreachable server times out, so that it is noticed and reported.
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  @Override
  public Connection open() throws SQLException {
    return connect(true);
  }

  @Override
  public Connection reopen() throws SQLException {
    return connect(false);
  }

  /** Returns a constant: an open connection always leads to the server's current data. */
  @Override
  public Object place() {
    return address;
  }

  private Connection connect(boolean create) throws SQLException {
    Connection open =
        DriverManager.getConnection(address.url(), address.properties(CONNECT, ANSWER));
    try {
      if (create) {
        SqlServer.execute(open, SqlServer.formatTable(OPTIONS, "IGNORE"));
      }
      SqlServer.checkFormat(open, "the table of keys", "another database");
      if (create) {
        SqlServer.execute(open, SqlServer.keyTables(OPTIONS));
      }
      return open;
    } catch (SQLException failed) {
      SqlServer.close(open);
      throw failed;
    }
  }

  @Override
  public String why(SQLException failed) {
    return OTHER_FORMAT.equals(failed.getSQLState())
        ? String.valueOf(failed.getMessage())
        : DatabaseAddress.why(failed);
  }
}
