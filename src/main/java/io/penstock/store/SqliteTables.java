package io.penstock.store;

import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tables of saved state; instants are nanoseconds since 1970. */
record SqliteTables(Connection connection) {
  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE quotas(model TEXT PRIMARY KEY, max_rpm INTEGER NOT NULL,"
              + " max_tpm INTEGER NOT NULL, max_rpd INTEGER NOT NULL)",
          "CREATE TABLE requests(model TEXT NOT NULL, ts INTEGER NOT NULL)",
          "CREATE INDEX requests_model_ts ON requests(model, ts)",
          "CREATE TABLE tokens(model TEXT NOT NULL, ts INTEGER NOT NULL, count INTEGER NOT NULL)",
          "CREATE INDEX tokens_model_ts ON tokens(model, ts)",
          "CREATE TABLE daily(model TEXT PRIMARY KEY, day_start INTEGER NOT NULL,"
              + " day_count INTEGER NOT NULL)",
          "CREATE TABLE usage(day TEXT NOT NULL, key TEXT NOT NULL, grp TEXT NOT NULL,"
              + " model TEXT NOT NULL, requests INTEGER NOT NULL, input INTEGER NOT NULL,"
              + " output INTEGER NOT NULL, cache_read INTEGER NOT NULL,"
              + " cache_write INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,"
              + " PRIMARY KEY(day, key, grp, model)) WITHOUT ROWID",
          "CREATE TABLE spend(kind TEXT NOT NULL, id TEXT NOT NULL, measure TEXT NOT NULL,"
              + " cell_start INTEGER NOT NULL, amount INTEGER NOT NULL)",
          "CREATE INDEX spend_cells ON spend(kind, id, measure, cell_start)");

  /** Tables that are completely rewritten with each save. */
  private static final List<String> SMALL =
      List.of("quotas", "requests", "tokens", "daily", "spend");

  private record Place(LocalDate day, String key, String group, String model) {
    static Place of(UsageLedger.Row row) {
      return new Place(row.day(), row.key(), row.group(), row.model());
    }
  }

  void create(int version) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.executeUpdate(table);
      }
      statement.executeUpdate("PRAGMA user_version = " + version);
    }
  }

  /** Prepares the table of usage for the first save, which writes all of it. */
  void clearUsage() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM usage");
    }
  }

  /**
   * Writes the whole state; the caller commits.
   *
   * @param there the usage that is already in its table
   */
  void write(StateRows rows, List<UsageLedger.Row> there) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String table : SMALL) {
        statement.executeUpdate("DELETE FROM " + table);
      }
    }
    try (PreparedStatement quotas = into("quotas", 4)) {
      for (Map.Entry<String, ModelLimits> quota : rows.quotas.entrySet()) {
        ModelLimits limits = quota.getValue();
        add(quotas, quota.getKey(), limits.rpm(), limits.tpm(), limits.rpd());
      }
      quotas.executeBatch();
    }
    writeModels(rows);
    try (PreparedStatement spend = into("spend", 5)) {
      for (StateRows.SpendRow row : rows.spend) {
        LimitId id = row.id();
        add(
            spend,
            row.kind(),
            id.owner(),
            id.counts(),
            row.spent().unixNanos(),
            row.spent().amount());
      }
      spend.executeBatch();
    }
    writeUsage(rows.usage, there);
  }

  private void writeModels(StateRows rows) throws SQLException {
    try (PreparedStatement requests = into("requests", 2);
        PreparedStatement tokens = into("tokens", 3);
        PreparedStatement daily = into("daily", 3)) {
      for (Map.Entry<String, StateRows.ModelState> model : rows.models.entrySet()) {
        String name = model.getKey();
        StateRows.ModelState state = model.getValue();
        for (long instant : state.requests) {
          add(requests, name, instant);
        }
        for (Spent spent : state.tokens) {
          add(tokens, name, spent.unixNanos(), spent.amount());
        }
        if (state.dayCount > 0) {
          add(daily, name, state.dayStart, state.dayCount);
        }
      }
      requests.executeBatch();
      tokens.executeBatch();
      daily.executeBatch();
    }
  }

  /** Writes only the changed rows of usage, because usage accumulates for 400 days. */
  private void writeUsage(List<UsageLedger.Row> rows, List<UsageLedger.Row> there)
      throws SQLException {
    Map<Place, UsageLedger.Row> before = new HashMap<>();
    there.forEach(row -> before.put(Place.of(row), row));
    try (PreparedStatement usage = into("usage", 10)) {
      for (UsageLedger.Row row : rows) {
        if (!row.equals(before.remove(Place.of(row)))) {
          add(
              usage,
              row.day().toString(),
              row.key(),
              row.group(),
              row.model(),
              row.requests(),
              row.input(),
              row.output(),
              row.cached().read(),
              row.cached().written(),
              row.cached().writtenForHour());
        }
      }
      usage.executeBatch();
    }
    deleteUsage(before.keySet());
  }

  private void deleteUsage(Set<Place> places) throws SQLException {
    String old = "DELETE FROM usage WHERE day = ? AND key = ? AND grp = ? AND model = ?";
    try (PreparedStatement deletion = connection.prepareStatement(old)) {
      for (Place place : places) {
        add(deletion, place.day().toString(), place.key(), place.group(), place.model());
      }
      deletion.executeBatch();
    }
  }

  private PreparedStatement into(String table, int columns) throws SQLException {
    String marks = String.join(", ", Collections.nCopies(columns, "?"));
    return connection.prepareStatement(
        "INSERT OR REPLACE INTO " + table + " VALUES (" + marks + ")");
  }

  private static void add(PreparedStatement statement, Object... values) throws SQLException {
    for (int at = 0; at < values.length; at++) {
      statement.setObject(at + 1, values[at]);
    }
    statement.addBatch();
  }

  StateRows read(long minuteNanos) throws SQLException {
    StateRows rows = new StateRows(minuteNanos);
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery("SELECT * FROM quotas")) {
        while (row.next()) {
          rows.quotas.put(
              row.getString(1), new ModelLimits(row.getLong(2), row.getLong(3), row.getLong(4)));
        }
      }
      readModels(statement, rows);
      try (ResultSet row = statement.executeQuery("SELECT * FROM spend")) {
        while (row.next()) {
          LimitId id = LimitId.parse(row.getString(1), row.getString(2), row.getString(3));
          rows.spend.add(
              new StateRows.SpendRow(id, new Spent(instant(row.getLong(4)), row.getLong(5))));
        }
      }
      readUsage(statement, rows);
    }
    return rows;
  }

  private static void readUsage(Statement statement, StateRows rows) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT * FROM usage")) {
      while (row.next()) {
        rows.usage.add(
            new UsageLedger.Row(
                LocalDate.parse(row.getString(1)),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getLong(5),
                row.getLong(6),
                row.getLong(7),
                new CachedInput(row.getLong(8), row.getLong(9), row.getLong(10))));
      }
    }
  }

  private static void readModels(Statement statement, StateRows rows) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT model, ts FROM requests")) {
      while (row.next()) {
        rows.model(row.getString(1)).requests.add(instant(row.getLong(2)));
      }
    }
    try (ResultSet row = statement.executeQuery("SELECT model, ts, count FROM tokens")) {
      while (row.next()) {
        rows.model(row.getString(1)).tokens.add(new Spent(instant(row.getLong(2)), row.getLong(3)));
      }
    }
    try (ResultSet row = statement.executeQuery("SELECT model, day_start, day_count FROM daily")) {
      while (row.next()) {
        StateRows.ModelState model = rows.model(row.getString(1));
        model.dayStart = instant(row.getLong(2));
        model.dayCount = new Spent(0, row.getLong(3)).amount();
      }
    }
  }

  private static long instant(long nanos) {
    if (nanos < 0 || nanos > StateRows.LATEST) {
      throw new IllegalArgumentException(
          "an instant is " + nanos + ", expected nanoseconds since 1970");
    }
    return nanos;
  }
}
