package io.penstock.store;

import io.penstock.usage.SnapshotStore;
import io.penstock.usage.UsageLedger;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteException;

/** Saved state in a SQLite file; each save is one transaction. */
final class SqliteSnapshots implements SnapshotStore {
  private static final int BUSY_MILLIS = 5_000;
  private static final int VERSION = 1;
  private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

  /**
   * An open file.
   *
   * @param fileKey identity of the file, to detect that another has replaced it
   * @param usage the usage stored in it
   */
  private record Open(
      Connection connection, @Nullable Object fileKey, List<UsageLedger.Row> usage) {}

  private final Path file;
  private final long minuteNanos;
  private @Nullable Open open;

  SqliteSnapshots(Path file, long minuteNanos) {
    this.file = file;
    this.minuteNanos = minuteNanos;
  }

  /** Loads without writing, so that a damaged or foreign file stays unchanged. */
  @Override
  public Snapshot load() throws IOException {
    if (empty()) {
      return Snapshot.EMPTY;
    }
    inspect();
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(BUSY_MILLIS);
    try (Connection connection = config.createConnection(url())) {
      if (!made(connection)) {
        return Snapshot.EMPTY;
      }
      check(connection);
      return new SqliteTables(connection).read(minuteNanos).snapshot();
    } catch (SQLException e) {
      throw problem(e);
    } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
      throw StateFiles.problem(file, e);
    }
  }

  @Override
  public void save(Snapshot snapshot) throws IOException {
    try {
      Open here = opened();
      List<UsageLedger.Row> usage = snapshot.usage();
      new SqliteTables(here.connection()).write(StateRows.of(snapshot, minuteNanos), here.usage());
      here.connection().commit();
      open = new Open(here.connection(), here.fileKey(), usage);
    } catch (SQLException e) {
      close();
      throw problem(e);
    }
  }

  private Open opened() throws IOException, SQLException {
    Object key = fileKey();
    if (open != null && key != null && Objects.equals(key, open.fileKey())) {
      return open;
    }
    close();
    if (empty()) {
      create();
    } else {
      inspect();
    }
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(BUSY_MILLIS);
    config.setJournalMode(JournalMode.WAL);
    config.setSynchronous(SynchronousMode.FULL);
    config.setTransactionMode(TransactionMode.IMMEDIATE);
    Connection connection = config.createConnection(url());
    Open made = new Open(connection, fileKey(), List.of());
    open = made;
    connection.setAutoCommit(false);
    SqliteTables tables = new SqliteTables(connection);
    if (!made(connection)) {
      tables.create(VERSION);
    }
    tables.clearUsage();
    return made;
  }

  private String url() {
    return "jdbc:sqlite:" + file;
  }

  /**
   * Returns whether the file is empty or missing: SQLite itself leaves an empty file if it is
   * interrupted early.
   */
  private boolean empty() throws IOException {
    try {
      return Files.size(file) == 0;
    } catch (NoSuchFileException missing) {
      return true;
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
  }

  private @Nullable Object fileKey() throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException missing) {
      return null;
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
  }

  private void create() throws IOException {
    try {
      if (Files.notExists(file)) {
        Files.createFile(file, YamlSnapshots.FOR_ITS_OWNER_ONLY);
      }
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": there is no such directory", e);
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
  }

  private void inspect() throws IOException {
    byte[] head;
    try (InputStream in = Files.newInputStream(file)) {
      head = in.readNBytes(MAGIC.length);
    } catch (IOException e) {
      throw StateFiles.problem(file, e);
    }
    if (!Arrays.equals(head, MAGIC)) {
      throw new IOException(file + ": the file is not one of SQLite");
    }
  }

  /** Returns whether the tables exist; throws if there are other tables. */
  private boolean made(Connection connection) throws SQLException, IOException {
    try (Statement statement = connection.createStatement()) {
      long version = number(statement, "PRAGMA user_version");
      boolean tables = number(statement, "SELECT count(*) FROM sqlite_master") > 0;
      if (version == 0 && tables) {
        throw new IOException(file + ": the file holds something else");
      }
      if (version != 0 && version != VERSION) {
        throw new IOException(
            file + ": " + StoredFormat.refusal("the file", version, VERSION, "another file"));
      }
      return tables;
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private void check(Connection connection) throws SQLException, IOException {
    try (Statement statement = connection.createStatement();
        ResultSet check = statement.executeQuery("PRAGMA quick_check(1)")) {
      if (!check.next() || !"ok".equals(check.getString(1))) {
        throw new IOException(file + ": the file is damaged");
      }
    }
  }

  private IOException problem(SQLException failed) {
    if (!(failed instanceof SQLiteException lite)) {
      return StateFiles.problem(file, failed);
    }
    return new IOException(file + ": " + SqliteComplaint.of(lite), failed);
  }

  /** Closes the file; uncommitted changes are discarded. */
  @Override
  public void close() {
    Open last = open;
    open = null;
    if (last != null) {
      try {
        last.connection().close();
      } catch (SQLException nothingToLose) {
        // each save has already been committed or has failed
        return;
      }
    }
  }
}
