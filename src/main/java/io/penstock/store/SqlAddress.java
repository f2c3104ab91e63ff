package io.penstock.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The location of stored keys. The setting may contain a password, which no message or text shows.
 */
sealed interface SqlAddress {
  /** Returns the location for people, without credentials. */
  String shown();

  /** A SQLite file. */
  record File(Path path) implements SqlAddress {
    @Override
    public String shown() {
      return path.toString();
    }
  }

  /** A MariaDB or MySQL server. */
  final class Server implements SqlAddress {
    private final String host;
    private final String url;
    private final Properties properties = new Properties();

    private Server(String host, String url, String user, String password) {
      this.host = host;
      this.url = url;
      properties.setProperty("user", user);
      properties.setProperty("password", password);
      // Milliseconds: an unreachable server times out, so that it is noticed and reported.
      properties.setProperty("connectTimeout", "5000");
      properties.setProperty("socketTimeout", "10000");
    }

    String url() {
      return url;
    }

    Properties properties() {
      return properties;
    }

    @Override
    public String shown() {
      return host;
    }

    @Override
    public String toString() {
      return host;
    }
  }

  /**
   * Parses {@code penstock.keys.store}: {@code file:PATH}, or {@code sql} for the database in
   * {@code penstock.database.url}.
   *
   * @throws UnusableStore if they have any other form
   */
  static SqlAddress of(String store, @Nullable String databaseUrl) {
    if (store.equals("sql")) {
      if (databaseUrl == null || databaseUrl.isBlank()) {
        throw new UnusableStore(
            "penstock.keys.store is sql, but penstock.database.url is not set: expected"
                + " r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE");
      }
      return server(databaseUrl.strip());
    }
    if (!store.startsWith("file:") || store.length() == "file:".length()) {
      throw new UnusableStore("penstock.keys.store is expected to be file:PATH or sql");
    }
    try {
      return new File(Path.of(store.substring("file:".length())));
    } catch (InvalidPathException bad) {
      throw new UnusableStore("penstock.keys.store is expected to be file:PATH or sql");
    }
  }

  private static Server server(String text) {
    UnusableStore unclear =
        new UnusableStore(
            "penstock.database.url cannot be read, expected"
                + " r2dbc:mariadb://USER:PASSWORD@HOST:PORT/DATABASE");
    if (!text.startsWith("r2dbc:mariadb:") && !text.startsWith("r2dbc:mysql:")) {
      throw unclear;
    }
    try {
      URI uri = new URI(text.substring("r2dbc:".length()));
      String database = uri.getRawPath();
      if (uri.getHost() == null || database == null || database.length() < 2) {
        throw unclear;
      }
      String host = uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
      String options = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
      String[] user = userInfo(uri).split(":", 2);
      return new Server(
          host + database,
          "jdbc:mariadb://" + host + database + options,
          decoded(user[0]),
          user.length < 2 ? "" : decoded(user[1]));
    } catch (URISyntaxException | IllegalArgumentException bad) {
      throw unclear;
    }
  }

  private static String userInfo(URI uri) {
    return uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
