package io.penstock.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Dumps tables and rows of a database as statements that create them again, so that a record of a
 * stored database can also be loaded.
 */
public final class SqlRecord {
  private static final String END = ";\n";

  private SqlRecord() {}

  /** Dumps a SQLite database with its format version; the journal mode is a comment. */
  public static String ofSqlite(Connection open) throws SQLException {
    StringBuilder record = new StringBuilder();
    record.append("-- journal_mode ").append(first(open, "PRAGMA journal_mode")).append('\n');
    record.append("PRAGMA user_version = ").append(first(open, "PRAGMA user_version")).append(END);
    // tables first, because indexes and the like depend on them
    String made =
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type <> 'table', name";
    for (String sql : column(open, made, 1)) {
      record.append(sql).append(END);
    }
    String named = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    for (String table : column(open, named, 1)) {
      record.append(rows(open, table));
    }
    return record.toString();
  }

  /** Dumps some tables of a MariaDB database. */
  public static String ofMariaDb(Connection open, String... tables) throws SQLException {
    StringBuilder record = new StringBuilder();
    for (String table : tables) {
      record.append(column(open, "SHOW CREATE TABLE " + table, 2).getFirst()).append(END);
    }
    for (String table : tables) {
      record.append(rows(open, table));
    }
    return record.toString();
  }

  /** Runs the statements of a record, given by its path below {@code src/test/golden}. */
  public static void load(Connection open, String record) throws SQLException {
    try (Statement statement = open.createStatement()) {
      for (String each : text(record).replaceAll("(?m)^--.*\n", "").split(END, -1)) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
    }
  }

  private static String text(String record) {
    try {
      return Files.readString(Path.of("src/test/golden").resolve(record));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String first(Connection open, String query) throws SQLException {
    return column(open, query, 1).getFirst();
  }

  private static List<String> column(Connection open, String query, int column)
      throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = open.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        found.add(rows.getString(column));
      }
    }
    return found;
  }

  /** Returns the rows, sorted by their text. */
  private static String rows(Connection open, String table) throws SQLException {
    List<String> inserts = new ArrayList<>();
    try (Statement statement = open.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
      ResultSetMetaData columns = rows.getMetaData();
      String names =
          IntStream.rangeClosed(1, columns.getColumnCount())
              .mapToObj(column -> name(columns, column))
              .collect(Collectors.joining(", "));
      while (rows.next()) {
        StringJoiner values = new StringJoiner(", ", "(", ")");
        for (int column = 1; column <= columns.getColumnCount(); column++) {
          values.add(literal(rows.getObject(column)));
        }
        inserts.add("INSERT INTO " + table + " (" + names + ") VALUES " + values + END);
      }
    }
    return inserts.stream().sorted().collect(Collectors.joining());
  }

  private static String name(ResultSetMetaData columns, int column) {
    try {
      String name = columns.getColumnName(column);
      return name.equals("limit") ? "`limit`" : name;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns printable ASCII as text, and other text as its bytes. */
  private static String literal(Object value) {
    if (value == null || value instanceof Number) {
      return String.valueOf(value).toUpperCase(Locale.ROOT);
    }
    String text = value.toString();
    return text.matches("[ -~]*")
        ? "'" + text.replace("'", "''") + "'"
        : "CAST(X'%s' AS TEXT)"
            .formatted(HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)));
  }
}
