package io.penstock.store;

import io.penstock.key.KeySpec;
import io.penstock.time.WallClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * The table of identities of stored keys: a row for each key, which stays for a while after the key
 * was revoked. The first key of a name has its name for identity. A key whose name was used before
 * has its name, {@code @} and the instant of its creation, so that it begins with nothing used.
 *
 * <p>Versions of Penstock without this table know only the names in the table of keys. So these are
 * the identities: such a version shows a key under its identity and shares its limits under the
 * same one. It notes neither the keys that it creates nor those that it revokes, and {@link #note}
 * does that later.
 */
final class KeyIdentities {
  /** Creates the table if it is missing; options of the table may follow. */
  static final String TABLE =
      "CREATE TABLE IF NOT EXISTS penstock_key_identities (identity VARCHAR(200) NOT NULL PRIMARY"
          + " KEY, name VARCHAR(200) NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT,"
          + " UNIQUE (name, created_at))";

  /**
   * For how long the name of a revoked key stays noted. Nothing that was used under it counts by
   * then: the longest window of a key is a day.
   */
  static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(40);

  private static final String USES =
      "SELECT count(*), max(created_at) FROM penstock_key_identities"
          + " WHERE name = ? OR identity = ?";
  private static final String TAKEN =
      "SELECT (SELECT count(*) FROM penstock_key_identities WHERE identity = ?)"
          + " + (SELECT count(*) FROM penstock_keys WHERE name = ?)";
  private static final String ADD =
      "INSERT INTO penstock_key_identities (identity, name, created_at) VALUES (?, ?, ?)";
  private static final String REVOKE =
      "UPDATE penstock_key_identities SET revoked_at = ? WHERE identity = ?";
  private static final String ADD_REVOKED =
      "INSERT INTO penstock_key_identities (identity, name, created_at, revoked_at)"
          + " VALUES (?, ?, ?, ?)";
  private static final String NOTE_KEYS =
      "INSERT INTO penstock_key_identities (identity, name, created_at)"
          + " SELECT k.name, k.name, "
          + KeySpec.Identity.UNKNOWN
          + " FROM penstock_keys k LEFT JOIN penstock_key_identities i ON i.identity = k.name"
          + " WHERE i.identity IS NULL";
  private static final String NOTE_REVOKED =
      "UPDATE penstock_key_identities SET revoked_at = ?"
          + " WHERE revoked_at IS NULL AND identity NOT IN (SELECT name FROM penstock_keys)";
  private static final String FORGET =
      "DELETE FROM penstock_key_identities"
          + " WHERE revoked_at < ? AND identity NOT IN (SELECT name FROM penstock_keys)";

  private final WallClock clock;

  KeyIdentities(WallClock clock) {
    this.clock = clock;
  }

  /** Returns the identity of a key that is about to be created; no present key has its name. */
  KeySpec.Identity next(Connection open, String name) throws SQLException {
    long now = Math.max(KeySpec.Identity.UNKNOWN + 1, clock.unixMillis());
    try (PreparedStatement uses = open.prepareStatement(USES)) {
      uses.setString(1, name);
      uses.setString(2, name);
      try (ResultSet row = uses.executeQuery()) {
        row.next();
        if (row.getLong(1) == 0) {
          return new KeySpec.Identity(name, now);
        }
        // The clock may have been set back, or both keys may be of the same millisecond.
        long created = Math.max(now, row.getLong(2) + 1);
        while (isTaken(open, again(name, created))) {
          created++;
        }
        return new KeySpec.Identity(again(name, created), created);
      }
    }
  }

  private static String again(String name, long createdAtMillis) {
    return name + "@" + createdAtMillis;
  }

  private static boolean isTaken(Connection open, String identity) throws SQLException {
    try (PreparedStatement taken = open.prepareStatement(TAKEN)) {
      taken.setString(1, identity);
      taken.setString(2, identity);
      try (ResultSet row = taken.executeQuery()) {
        return row.next() && row.getLong(1) > 0;
      }
    }
  }

  /** Notes a key that was created. */
  void added(Connection open, KeySpec key) throws SQLException {
    update(open, ADD, key.identity().limitOwner(), key.name(), key.identity().createdAtMillis());
  }

  /** Notes that a key was revoked. */
  void revoked(Connection open, KeySpec key) throws SQLException {
    String identity = key.identity().limitOwner();
    long now = clock.unixMillis();
    if (update(open, REVOKE, now, identity) == 0) {
      update(open, ADD_REVOKED, identity, identity, KeySpec.Identity.UNKNOWN, now);
    }
  }

  /**
   * Notes keys that a version without this table has created or revoked, and forgets what was
   * revoked long ago.
   */
  void note(Connection open) throws SQLException {
    try (Statement keys = open.createStatement()) {
      keys.executeUpdate(NOTE_KEYS);
    }
    long now = clock.unixMillis();
    update(open, NOTE_REVOKED, now);
    update(open, FORGET, now - KEPT_MILLIS);
  }

  private static int update(Connection open, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = open.prepareStatement(sql)) {
      for (int at = 0; at < values.length; at++) {
        statement.setObject(at + 1, values[at]);
      }
      return statement.executeUpdate();
    }
  }
}
