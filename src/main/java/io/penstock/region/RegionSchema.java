package io.penstock.region;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * The database tables, created and changed by numbered scripts. Each script runs once, on one of
 * the instances.
 */
public final class RegionSchema {
  /** The format version of the tables, that of the last script. */
  public static final String VERSION = "1";

  static final String HISTORY = "penstock_region_history";

  private static final String LAST =
      "SELECT version FROM "
          + HISTORY
          + " WHERE success AND version <> '0' ORDER BY installed_rank DESC LIMIT 1";
  private static final String MOST_MILLIS = "3000";

  private RegionSchema() {}

  /**
   * Returns the format version of the tables; empty when there are none yet, and when the database
   * cannot tell. Blocks for a few seconds at most.
   */
  public static Optional<String> format(RegionSettings settings) {
    Properties properties = new Properties();
    properties.setProperty("user", user(settings));
    properties.setProperty("password", password(settings));
    properties.setProperty("connectTimeout", MOST_MILLIS);
    properties.setProperty("socketTimeout", MOST_MILLIS);
    try (Connection open = DriverManager.getConnection(settings.address().jdbcUrl(), properties);
        PreparedStatement last = open.prepareStatement(LAST);
        ResultSet row = last.executeQuery()) {
      return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
    } catch (SQLException unknown) {
      return Optional.empty(); // what is wrong with the database is logged when it is used
    }
  }

  private static String user(RegionSettings settings) {
    RegionSettings.Owner owner = settings.owner();
    return owner == null ? settings.address().user() : owner.user();
  }

  private static String password(RegionSettings settings) {
    RegionSettings.Owner owner = settings.owner();
    return owner == null ? settings.address().password() : owner.password();
  }

  /**
   * Runs the scripts that have not been run yet; returns at once when there are none. Blocks.
   *
   * @throws FlywayException when the database cannot be reached, refuses, or has another format
   */
  static void migrate(RegionSettings settings) {
    Flyway.configure(RegionSchema.class.getClassLoader())
        .dataSource(settings.address().jdbcUrl(), user(settings), password(settings))
        .locations("classpath:io/penstock/region/schema")
        .table(HISTORY)
        .baselineOnMigrate(true) // the same database may contain the keys
        .baselineVersion("0")
        .ignoreMigrationPatterns(new String[0]) // not even those of a later version
        .load()
        .migrate();
  }
}
