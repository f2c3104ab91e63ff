package io.penstock.store;

import io.penstock.fake.GoldenRecords;
import io.penstock.fake.MariaDb;
import io.penstock.fake.SqlClient;
import io.penstock.fake.SqlRecord;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares keys in MariaDB with their record, and reads the keys in the record. */
@Tag(GoldenRecords.TAG)
class MariaKeysGoldenIT {
  private static final String RECORD = "stored/keys.mariadb.sql";

  private static KeyStorage storage(String database) {
    return KeyStorage.open(
        "sql", MariaDb.url(database, MariaDb.port()), () -> StoredKeysContent.CREATED_MILLIS);
  }

  private static Connection open(String database) throws SQLException {
    return new SqlClient(MariaDb.port(), database, MariaDb.USER, MariaDb.PASSWORD).open();
  }

  @Test
  void keys_areStoredAsRecorded_andReadFromTheRecord() throws SQLException {
    String database = MariaDb.database();
    try (KeyStorage storage = storage(database)) {
      StoredKeysContent.store(storage);
    }
    try (Connection open = open(database)) {
      GoldenRecords.check(
          RECORD,
          SqlRecord.ofMariaDb(
              open,
              "penstock_key_meta",
              "penstock_keys",
              "penstock_revoked_keys",
              "penstock_revocations"));
    }
    String before = MariaDb.database();
    try (Connection open = open(before)) {
      SqlRecord.load(open, RECORD);
    }
    StoredKeysContent.assertIn(storage(before));
  }
}
