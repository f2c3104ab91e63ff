package io.penstock.store;

import io.penstock.config.KeyTermsJson;
import io.penstock.key.KeySpec;
import io.penstock.key.KeyStore.Change;
import io.penstock.key.KeyStore.Done;
import io.penstock.key.KeyStore.Lost;
import io.penstock.key.KeyStore.NameTaken;
import io.penstock.key.KeyStore.NoSuchKey;
import io.penstock.key.KeyStore.SecretTaken;
import io.penstock.key.Revocation;
import io.penstock.time.WallClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Keys in an SQL database: a SQLite file, or a MariaDB or MySQL server. Blocks; for one thread. */
final class KeyDatabase implements AutoCloseable {
  /**
   * All keys.
   *
   * @param version a version that is not newer than they are
   * @param revocations as {@link KeyIdentities#revocations}
   */
  record Content(long version, List<KeySpec> keys, Map<String, Revocation> revocations) {}

  /**
   * The result of a change.
   *
   * @param version version of the stored keys after it; 0 if nothing was changed
   */
  record Changed(Change change, long version) {}

  private interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private static final String NEXT_VERSION =
      "UPDATE penstock_key_meta SET version = version + 1 WHERE id = 1";
  private static final String VERSION = "SELECT version FROM penstock_key_meta WHERE id = 1";

  /** Reads keys as {@link KeyRows} does. */
  private static final String ALL =
      "SELECT name, sha256, previous_sha256, previous_until, terms, identity, created_at"
          + " FROM penstock_keys";

  private static final String BY_NAME = ALL + " WHERE name = ?";
  private static final String OTHERS =
      "SELECT count(*) FROM penstock_keys WHERE name <> ? AND (sha256 = ? OR previous_sha256 = ?)";
  private static final String ADD =
      "INSERT INTO penstock_keys (sha256, previous_sha256, previous_until, terms, identity,"
          + " created_at, name) VALUES (?, ?, ?, ?, ?, ?, ?)";
  private static final String REPLACE =
      "UPDATE penstock_keys SET sha256 = ?, previous_sha256 = ?, previous_until = ?, terms = ?,"
          + " identity = ?, created_at = ? WHERE name = ?";
  private static final String REMOVE = "DELETE FROM penstock_keys WHERE name = ?";

  private final SqlServer server;
  private final KeyIdentities identities;
  private @Nullable Connection connection;

  /** Identity of the database that the last connection led to; null before the first. */
  private @Nullable Object place;

  private long opened;

  /** Creates an object that opens its connection, and creates its tables, when it is first used. */
  KeyDatabase(SqlServer server, WallClock clock) {
    this.server = server;
    this.identities = new KeyIdentities(clock);
  }

  /** Returns a version that changes whenever any instance changes a key. */
  long version() {
    return work(KeyDatabase::version);
  }

  /**
   * Returns how many connections have been opened. Equal versions mean equal content only on the
   * same connection.
   */
  long opened() {
    return opened;
  }

  Content content() {
    // The version first: keys read after it may be newer, and are then simply read again.
    return work(open -> all(open, version(open)));
  }

  Changed add(KeySpec key) {
    return write(
        open -> {
          if (find(open, key.name()) != null) {
            return new NameTaken();
          }
          return put(open, ADD, key.identifiedBy(identities.next(open, key.name())));
        });
  }

  Changed change(String name, UnaryOperator<KeySpec> edit) {
    return write(
        open -> {
          KeySpec known = find(open, name);
          return known == null
              ? new NoSuchKey()
              : put(open, REPLACE, edit.apply(known).identifiedBy(known.identity()));
        });
  }

  Changed remove(String name, Revocation revocation) {
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
          identities.revoked(open, known, revocation);
          return new Done(known);
        });
  }

  /**
   * Makes a change in a transaction. Changes of all instances are serialized, because each begins
   * by updating the same row. After an SQL error the connection is closed, which ends the
   * transaction; a rollback might fail, too.
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
      put.setString(4, KeyTermsJson.stated(key.terms()).toString());
      put.setString(5, key.identity().limitOwner());
      put.setLong(6, key.identity().createdAtMillis());
      put.setString(7, key.name());
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
    try (PreparedStatement one = open.prepareStatement(BY_NAME)) {
      one.setString(1, name);
      try (ResultSet rows = one.executeQuery()) {
        return rows.next() ? new KeyRows().key(rows) : null;
      }
    }
  }

  private static Content all(Connection open, long version) throws SQLException {
    try (PreparedStatement all = open.prepareStatement(ALL);
        ResultSet rows = all.executeQuery()) {
      return new Content(version, new KeyRows().all(rows), KeyIdentities.revocations(open));
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

  /** Runs work on the connection, opening it if needed. A failed connection is not used again. */
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
