package io.penstock.store;

import io.penstock.fake.GoldenRecords;
import io.penstock.fake.SqlRecord;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares keys in a SQLite file with their record, and reads the keys in the record. */
@Tag(GoldenRecords.TAG)
class SqliteKeysGoldenTest {
  private static final String RECORD = "stored/keys.sqlite.sql";

  @TempDir private Path directory;

  private Path file(String name) {
    return directory.resolve(name);
  }

  private static KeyStorage storage(Path file) {
    return KeyStorage.open("file:" + file, null, () -> StoredKeysContent.CREATED_MILLIS);
  }

  private static Connection open(Path file) throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + file);
  }

  @Test
  void keys_areStoredAsRecorded_andReadFromTheRecord() throws SQLException {
    try (KeyStorage storage = storage(file("new.db"))) {
      StoredKeysContent.store(storage);
    }
    try (Connection open = open(file("new.db"))) {
      GoldenRecords.check(RECORD, SqlRecord.ofSqlite(open));
    }
    try (Connection open = open(file("before.db"))) {
      SqlRecord.load(open, RECORD);
    }
    StoredKeysContent.assertIn(storage(file("before.db")));
  }
}
