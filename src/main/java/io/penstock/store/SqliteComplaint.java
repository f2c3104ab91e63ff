package io.penstock.store;

import org.sqlite.SQLiteException;

/** Describes errors of SQLite for people. */
final class SqliteComplaint {
  private SqliteComplaint() {}

  /**
   * Returns the reason of a failure. Each kind of error has many codes, which begin with that of
   * the kind.
   */
  static String of(SQLiteException failed) {
    String code = failed.getResultCode().name();
    if (code.startsWith("SQLITE_NOTADB")) {
      return "the file is not one of SQLite";
    }
    if (code.startsWith("SQLITE_CORRUPT")) {
      return "the file is damaged";
    }
    if (code.startsWith("SQLITE_BUSY")) {
      return "the file is locked by another process";
    }
    if (code.startsWith("SQLITE_FULL")) {
      return "the disk is full";
    }
    if (code.startsWith("SQLITE_READONLY")) {
      return "the file may not be written to";
    }
    if (code.startsWith("SQLITE_CANTOPEN")) {
      return "the file cannot be opened: it and its directory are to be read and written";
    }
    return "the file cannot be used (" + code + ")";
  }
}
