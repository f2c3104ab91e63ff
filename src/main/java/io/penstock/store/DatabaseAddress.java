package io.penstock.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * Address of a MariaDB or MySQL server, through which regions exchange counts, and which can keep
 * keys. The URL it is made from may contain a password, so no text that this class returns repeats
 * the URL.
 */
public final class DatabaseAddress {
  private static final String EXPECTED =
      "penstock.database.url cannot be read, expected"
          + " r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE";

  private final String shown;
  private final String options;
  private final String user;
  private final String password;

  private DatabaseAddress(String shown, String options, String user, String password) {
    this.shown = shown;
    this.options = options;
    this.user = user;
    this.password = password;
  }

  /**
   * Reads {@code penstock.database.url}.
   *
   * @throws IllegalArgumentException when it is no address of a MariaDB or MySQL; the message does
   *     not repeat the URL
   */
  public static DatabaseAddress parse(String url) {
    if (!url.startsWith("r2dbc:mariadb://") && !url.startsWith("r2dbc:mysql://")) {
      throw new IllegalArgumentException(EXPECTED);
    }
    try {
      URI uri = new URI(url.substring("r2dbc:".length()));
      String database = uri.getRawPath();
      if (uri.getHost() == null || database == null || database.length() < 2) {
        throw new IllegalArgumentException(EXPECTED);
      }
      String[] login = (uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo()).split(":", 2);
      return new DatabaseAddress(
          uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + database,
          uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery(),
          decoded(login[0]),
          login.length < 2 ? "" : decoded(login[1]));
    } catch (URISyntaxException | IllegalArgumentException bad) {
      // without the cause: its message contains the URL
      throw new IllegalArgumentException(EXPECTED);
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /** Returns the same address for another user. */
  public DatabaseAddress as(String otherUser, String otherPassword) {
    return new DatabaseAddress(shown, options, otherUser, otherPassword);
  }

  /** Returns the address for JDBC, without user and password. */
  public String url() {
    return "jdbc:mariadb://" + shown + options;
  }

  /**
   * Returns user, password and timeouts for JDBC.
   *
   * @param connect maximum duration until a connection is there
   * @param answer maximum duration of one statement
   */
  public Properties properties(Duration connect, Duration answer) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", Long.toString(connect.toMillis()));
    properties.setProperty("socketTimeout", Long.toString(answer.toMillis()));
    return properties;
  }

  public String user() {
    return user;
  }

  public String password() {
    return password;
  }

  /**
   * Returns the reason of a failure, for people; drivers' own messages may contain addresses and
   * users.
   */
  public static String why(SQLException failed) {
    String state = String.valueOf(failed.getSQLState());
    if (state.startsWith("08")) {
      return "the server cannot be reached";
    }
    if (state.equals("28000")) {
      return "the server refuses the user or the password";
    }
    return "the server failed (SQL state %s, error %d)".formatted(state, failed.getErrorCode());
  }

  /** Returns the address for display, without credentials. */
  @Override
  public String toString() {
    return shown;
  }
}
