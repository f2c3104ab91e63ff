package io.penstock.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** A MariaDB or MySQL server. */
record MariaServer(SqlAddress.Server address) implements SqlServer {
  private static final String OPTIONS =
      " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin";

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
    Properties properties = new Properties();
    properties.putAll(address.properties());
    Connection open = DriverManager.getConnection(address.url(), properties);
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
    String state = String.valueOf(failed.getSQLState());
    if (state.equals(OTHER_FORMAT)) {
      return String.valueOf(failed.getMessage());
    }
    if (state.startsWith("08")) {
      return "the server cannot be reached";
    }
    if (state.equals("28000")) {
      return "the server refuses the user or the password";
    }
    return "the server failed (SQL state %s, error %d)".formatted(state, failed.getErrorCode());
  }
}
