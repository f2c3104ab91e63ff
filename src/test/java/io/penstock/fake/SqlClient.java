package io.penstock.fake;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A client of a MariaDB that uses a connection for each statement.
 *
 * @param port of the server, on loopback
 * @param database the default database; may be empty
 */
public record SqlClient(int port, String database, String user, String password) {
  /** Opens a connection, which the caller must close. */
  public Connection open() throws SQLException {
    String url = "jdbc:mariadb://127.0.0.1:" + port + "/" + database;
    return DriverManager.getConnection(url, user, password);
  }

  /** Runs one statement. */
  public void run(String text) {
    try (Connection open = open();
        Statement statement = open.createStatement()) {
      statement.execute(text);
    } catch (SQLException failed) {
      throw new IllegalStateException(failed);
    }
  }

  /** Returns the first column of a query's result, as text. */
  public List<String> query(String text) {
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
}
