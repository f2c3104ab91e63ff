package io.penstock.region;

import io.r2dbc.spi.ConnectionFactoryOptions;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Address of the database through which regions exchange counts and denials. The URL it is made
 * from may contain a password, so no text that this class returns repeats the URL.
 */
public final class DatabaseAddress {
  private static final String EXPECTED =
      "penstock.database.url cannot be read, expected"
          + " r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE";

  private final ConnectionFactoryOptions options;
  private final String jdbcUrl;
  private final String shown;

  private DatabaseAddress(ConnectionFactoryOptions options, String jdbcUrl, String shown) {
    this.options = options;
    this.jdbcUrl = jdbcUrl;
    this.shown = shown;
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
      String server = url.substring(url.indexOf("://"));
      URI uri = new URI("server" + server);
      String database = uri.getRawPath();
      if (uri.getHost() == null || database == null || database.length() < 2) {
        throw new IllegalArgumentException(EXPECTED);
      }
      String host = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort()) + database;
      String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
      return new DatabaseAddress(
          ConnectionFactoryOptions.parse("r2dbc:mariadb" + server),
          "jdbc:mariadb://" + host + query,
          host);
    } catch (URISyntaxException | IllegalArgumentException bad) {
      throw new IllegalArgumentException(EXPECTED);
    }
  }

  ConnectionFactoryOptions options() {
    return options;
  }

  /** Returns the address for JDBC, without user and password. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  String user() {
    Object user = options.getValue(ConnectionFactoryOptions.USER);
    return user == null ? "" : user.toString();
  }

  String password() {
    Object password = options.getValue(ConnectionFactoryOptions.PASSWORD);
    return password == null ? "" : password.toString();
  }

  /** Returns the address for display, without credentials. */
  @Override
  public String toString() {
    return shown;
  }
}
