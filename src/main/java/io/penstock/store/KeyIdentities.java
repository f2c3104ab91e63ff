package io.penstock.store;

import io.penstock.key.KeySpec;
import io.penstock.key.Revocation;
import io.penstock.time.WallClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The identities of stored keys, and the table of those of revoked keys. The first key of a name
 * has its name for identity. A key whose name was used before has its name, {@code @} and the
 * instant of its creation, so that it begins with nothing used.
 */
final class KeyIdentities {
  /** Creates the table if it is missing; options of the table may follow. */
  static final String TABLE =
      "CREATE TABLE IF NOT EXISTS penstock_revoked_keys (identity VARCHAR(200) NOT NULL PRIMARY"
          + " KEY, name VARCHAR(200) NOT NULL, created_at BIGINT NOT NULL,"
          + " revoked_at BIGINT NOT NULL)";

  /** Creates the table of revocations that are not the usual one; options may follow. */
  static final String REVOCATIONS =
      "CREATE TABLE IF NOT EXISTS penstock_revocations (identity VARCHAR(200) NOT NULL PRIMARY"
          + " KEY, requests VARCHAR(20) NOT NULL)";

  /**
   * For how long a revoked key stays known. Nothing that was used under its identity counts by
   * then: the longest window of a key is a day.
   */
  static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(40);

  private static final String LAST_OF_NAME =
      "SELECT max(created_at) FROM penstock_revoked_keys WHERE name = ?";
  private static final String TAKEN =
      "SELECT (SELECT count(*) FROM penstock_revoked_keys WHERE identity = ?)"
          + " + (SELECT count(*) FROM penstock_keys WHERE identity = ?)";
  private static final String REVOKE =
      "INSERT INTO penstock_revoked_keys (identity, name, created_at, revoked_at)"
          + " VALUES (?, ?, ?, ?)";
  private static final String FORGET = "DELETE FROM penstock_revoked_keys WHERE revoked_at < ?";
  private static final String NOTE =
      "INSERT INTO penstock_revocations (identity, requests) VALUES (?, ?)";
  private static final String NOTES = "SELECT identity, requests FROM penstock_revocations";
  private static final String FORGET_NOTES =
      "DELETE FROM penstock_revocations WHERE identity NOT IN"
          + " (SELECT identity FROM penstock_revoked_keys)";

  private final WallClock clock;

  KeyIdentities(WallClock clock) {
    this.clock = clock;
  }

  /**
   * Returns the identity of a key that is about to be created, and forgets keys that were revoked
   * long ago. No present key has its name.
   */
  KeySpec.Identity next(Connection open, String name) throws SQLException {
    long now = Math.max(KeySpec.Identity.UNKNOWN + 1, clock.unixMillis());
    update(open, FORGET, now - KEPT_MILLIS);
    update(open, FORGET_NOTES);
    if (number(open, LAST_OF_NAME, name) == 0 && !isTaken(open, name)) {
      return new KeySpec.Identity(name, now);
    }
    // The clock may have been set back, or both keys may be of the same millisecond.
    long created = Math.max(now, number(open, LAST_OF_NAME, name) + 1);
    while (isTaken(open, again(name, created))) {
      created++;
    }
    return new KeySpec.Identity(again(name, created), created);
  }

  private static String again(String name, long createdAtMillis) {
    return name + "@" + createdAtMillis;
  }

  private static boolean isTaken(Connection open, String identity) throws SQLException {
    return number(open, TAKEN, identity, identity) > 0;
  }

  /** Notes that a key was revoked, and what becomes of its requests at all instances. */
  void revoked(Connection open, KeySpec key, Revocation revocation) throws SQLException {
    update(
        open,
        REVOKE,
        key.identity().limitOwner(),
        key.name(),
        key.identity().createdAtMillis(),
        clock.unixMillis());
    if (revocation != Revocation.REFUSES_WAITING) {
      update(open, NOTE, key.identity().limitOwner(), revocation.name());
    }
  }

  /** Returns what becomes of requests of revoked keys, by identity, where it is not the usual. */
  static Map<String, Revocation> revocations(Connection open) throws SQLException {
    Map<String, Revocation> known = new HashMap<>();
    try (PreparedStatement notes = open.prepareStatement(NOTES);
        ResultSet rows = notes.executeQuery()) {
      while (rows.next()) {
        known.put(rows.getString(1), Revocation.valueOf(rows.getString(2)));
      }
    }
    return known;
  }

  /** Returns the first number of the answer; 0 if there is none. */
  private static long number(Connection open, String query, String... values) throws SQLException {
    try (PreparedStatement statement = open.prepareStatement(query)) {
      for (int at = 0; at < values.length; at++) {
        statement.setString(at + 1, values[at]);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
  }

  private static void update(Connection open, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = open.prepareStatement(sql)) {
      for (int at = 0; at < values.length; at++) {
        statement.setObject(at + 1, values[at]);
      }
      statement.executeUpdate();
    }
  }
}
