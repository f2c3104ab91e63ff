package io.penstock.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConfig.TransactionMode;
import org.sqlite.SQLiteException;

/** A SQLite file. */
record SqliteFile(Path file) implements SqlServer {
  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.keys");
  private static final int BUSY_MILLIS = 5_000;

  @Override
  public Connection open() throws SQLException {
    if (isNew()) {
      create();
    } else {
      inspect();
    }
    Connection open = connect();
    try {
      SqlServer.execute(open, SqlServer.formatTable("", "OR IGNORE"));
      SqlServer.execute(open, SqlServer.keyTables(""));
      return open;
    } catch (SQLException failed) {
      SqlServer.close(open);
      throw failed;
    }
  }

  @Override
  public Connection reopen() throws SQLException {
    if (isNew()) {
      throw new SQLException("taken away", "PENSTOCK-GONE");
    }
    inspect();
    return connect();
  }

  /**
   * Returns the identity of the file: data written to an open file that was removed or replaced
   * would be lost.
   */
  @Override
  public Object place() {
    try {
      Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
      return key == null ? file : key;
    } catch (IOException missing) {
      return "nowhere";
    }
  }

  private Connection connect() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setBusyTimeout(BUSY_MILLIS);
    config.setJournalMode(JournalMode.WAL);
    config.setSynchronous(SynchronousMode.FULL); // acknowledged changes must survive a crash
    config.setTransactionMode(TransactionMode.IMMEDIATE);
    return config.createConnection(url());
  }

  private String url() {
    return "jdbc:sqlite:" + file;
  }

  private boolean isNew() {
    try {
      return Files.notExists(file) || Files.size(file) == 0;
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** Creates the file so that only the user of this process can access it. */
  private void create() throws SQLException {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] attributes =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try {
      Files.createFile(file, attributes);
    } catch (FileAlreadyExistsException there) {
      LOG.debug("the key file is there, and empty");
    } catch (IOException impossible) {
      throw new SQLException("cannot be made", "PENSTOCK-FILE");
    }
  }

  /** Checks the file without writing, so that a damaged or foreign file stays unchanged. */
  private void inspect() throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(BUSY_MILLIS);
    try (Connection open = config.createConnection(url());
        Statement statement = open.createStatement()) {
      try (ResultSet check = statement.executeQuery("PRAGMA quick_check(1)")) {
        if (!check.next() || !"ok".equals(check.getString(1))) {
          throw new SQLException("damaged", "PENSTOCK-DAMAGED");
        }
      }
      if (count(statement, "") > 0) {
        if (count(statement, " WHERE name = 'penstock_key_meta'") == 0) {
          throw new SQLException("something else", "PENSTOCK");
        }
        SqlServer.checkFormat(open, "the file", "another file");
      }
    }
  }

  private static int count(Statement statement, String which) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT count(*) FROM sqlite_master" + which)) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  @Override
  public String why(SQLException failed) {
    String state = String.valueOf(failed.getSQLState());
    if (state.equals(OTHER_FORMAT)) {
      return String.valueOf(failed.getMessage());
    }
    if (state.equals("PENSTOCK")) {
      return "the file holds something else";
    }
    if (state.equals("PENSTOCK-FILE")) {
      return "the file cannot be made: its directory is missing, or may not be written to";
    }
    if (state.equals("PENSTOCK-DAMAGED")) {
      return "the file is damaged";
    }
    if (state.equals("PENSTOCK-GONE")) {
      return "the file was taken away: put it back, or start again without its keys";
    }
    return failed instanceof SQLiteException lite
        ? SqliteComplaint.of(lite)
        : "the file cannot be opened";
  }
}
