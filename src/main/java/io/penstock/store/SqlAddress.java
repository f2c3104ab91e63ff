package io.penstock.store;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
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
  record Server(DatabaseAddress address) implements SqlAddress {
    @Override
    public String shown() {
      return address.toString();
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

  private static Server server(String url) {
    try {
      return new Server(DatabaseAddress.parse(url));
    } catch (IllegalArgumentException bad) {
      throw new UnusableStore(String.valueOf(bad.getMessage()));
    }
  }
}
