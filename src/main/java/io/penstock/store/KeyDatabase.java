package io.penstock.store;

import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore.Change;
import io.penstock.key.KeyStore.Done;
import io.penstock.key.KeyStore.Lost;
import io.penstock.key.KeyStore.NameTaken;
import io.penstock.key.KeyStore.NoSuchKey;
import io.penstock.key.KeyStore.SecretTaken;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keys in SQL: in a file of SQLite, or on a server of MariaDB or MySQL. For one thread, which it
 * lets wait.
 */
final class KeyDatabase implements AutoCloseable {
  /** All keys, and which version of them this is at least. */
  record Content(long version, List<KeySpec> keys) {}

  /**
   * A change.
   *
   * @param version of what is kept, after it; 0 when nothing was changed
   */
  record Changed(Change change, long version) {}

  private interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private static final String NEXT_VERSION =
      "UPDATE penstock_key_meta SET version = version + 1 WHERE id = 1";
  private static final String VERSION = "SELECT version FROM penstock_key_meta WHERE id = 1";
  private static final String ALL =
      "SELECT name, sha256, previous_sha256, previous_until, terms FROM penstock_keys";
  private static final String ONE = ALL + " WHERE name = ?";
  private static final String OTHERS =
      "SELECT count(*) FROM penstock_keys WHERE name <> ? AND (sha256 = ? OR previous_sha256 = ?)";
  private static final String ADD =
      "INSERT INTO penstock_keys (sha256, previous_sha256, previous_until, terms, name)"
          + " VALUES (?, ?, ?, ?, ?)";
  private static final String REPLACE =
      "UPDATE penstock_keys SET sha256 = ?, previous_sha256 = ?, previous_until = ?, terms = ?"
          + " WHERE name = ?";
  private static final String REMOVE = "DELETE FROM penstock_keys WHERE name = ?";

  private final SqlServer server;
  private @Nullable Connection connection;

  /** Where the last connection led, null before the first. */
  private @Nullable Object place;

  private long opened;

  /** Makes one that opens its connection, and makes its tables, when it is asked for something. */
  KeyDatabase(SqlServer server) {
    this.server = server;
  }

  /** Returns a number that is another one whenever anything was changed, by whomever. */
  long version() {
    return work(KeyDatabase::version);
  }

  /**
   * Returns how often a connection was opened: over another one, what has the same version may
   * still be something else.
   */
  long opened() {
    return opened;
  }

  Content content() {
    // First: what is read after it may be newer, and is then read once more.
    return work(open -> new Content(version(open), all(open)));
  }

  Changed add(KeySpec key) {
    return write(
        open -> {
          if (find(open, key.name()) != null) {
            return new NameTaken();
          }
          return put(open, ADD, key);
        });
  }

  Changed change(String name, UnaryOperator<KeySpec> edit) {
    return write(
        open -> {
          KeySpec known = find(open, name);
          return known == null ? new NoSuchKey() : put(open, REPLACE, edit.apply(known));
        });
  }

  Changed remove(String name) {
    return write(
        open -> {
          KeySpec known = find(open, name);
          if (known == null) {
            return new NoSuchKey();
          }
          try (PreparedStatement remove = open.prepareStatement(REMOVE)) {
            remove.setString(1, name);
            remove.executeUpdate();
          }
          return new Done(known);
        });
  }

  /**
   * One at a time, whichever instance writes: all begin by changing the same row. Where SQL fails
   * the connection ends, and with it what was begun: to roll back could fail for another reason.
   */
  private Changed write(Work<Change> work) {
    return work(
        open -> {
          open.setAutoCommit(false);
          try {
            Changed changed = changed(open, work);
            open.commit();
            open.setAutoCommit(true);
            return changed;
          } catch (RuntimeException unfit) {
            open.rollback();
            open.setAutoCommit(true);
            throw unfit;
          }
        });
  }

  private static Changed changed(Connection open, Work<Change> work) throws SQLException {
    try (PreparedStatement next = open.prepareStatement(NEXT_VERSION)) {
      next.executeUpdate();
    }
    Change change = work.in(open);
    if (!(change instanceof Done)) {
      open.rollback();
      return new Changed(change, 0);
    }
    return new Changed(change, version(open));
  }

  private static Change put(Connection open, String how, KeySpec key) throws SQLException {
    for (KeySpec.Secret secret : key.secrets()) {
      if (taken(open, key.name(), secret.sha256())) {
        return new SecretTaken();
      }
    }
    try (PreparedStatement put = open.prepareStatement(how)) {
      put.setString(1, key.secrets().getFirst().sha256());
      if (key.secrets().size() > 1) {
        KeySpec.Secret previous = key.secrets().get(1);
        put.setString(2, previous.sha256());
        put.setLong(3, previous.validUntilMillis());
      } else {
        put.setNull(2, Types.CHAR);
        put.setNull(3, Types.BIGINT);
      }
      put.setString(4, KeyTerms.stored(key));
      put.setString(5, key.name());
      put.executeUpdate();
    }
    return new Done(key);
  }

  private static boolean taken(Connection open, String name, String sha256) throws SQLException {
    try (PreparedStatement others = open.prepareStatement(OTHERS)) {
      others.setString(1, name);
      others.setString(2, sha256);
      others.setString(3, sha256);
      try (ResultSet row = others.executeQuery()) {
        return row.next() && row.getLong(1) > 0;
      }
    }
  }

  private static @Nullable KeySpec find(Connection open, String name) throws SQLException {
    try (PreparedStatement one = open.prepareStatement(ONE)) {
      one.setString(1, name);
      try (ResultSet rows = one.executeQuery()) {
        return rows.next() ? new KeyRows().key(rows) : null;
      }
    }
  }

  private static List<KeySpec> all(Connection open) throws SQLException {
    try (PreparedStatement all = open.prepareStatement(ALL);
        ResultSet rows = all.executeQuery()) {
      return new KeyRows().all(rows);
    }
  }

  private static long version(Connection open) throws SQLException {
    try (PreparedStatement version = open.prepareStatement(VERSION);
        ResultSet row = version.executeQuery()) {
      if (!row.next()) {
        throw new Lost("its version is missing");
      }
      return row.getLong(1);
    }
  }

  /** A connection that failed is not used again. */
  private <T> T work(Work<T> work) {
    try {
      return work.in(connected());
    } catch (SQLException failed) {
      close();
      throw new Lost(server.why(failed));
    }
  }

  private Connection connected() throws SQLException {
    if (connection != null && !server.place().equals(place)) {
      close();
    }
    Connection known = connection;
    if (known == null) {
      known = place == null ? server.open() : server.reopen();
      connection = known;
      place = server.place();
      opened++;
    }
    return known;
  }

  @Override
  public void close() {
    Connection last = connection;
    connection = null;
    if (last != null) {
      SqlServer.close(last);
    }
  }
}
