package io.penstock.region;

import io.penstock.store.DatabaseAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
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
  private static final Duration MOST = Duration.ofSeconds(3);

  private RegionSchema() {}

  /**
   * Returns the format version of the tables; empty when there are none yet, and when the database
   * cannot tell. Blocks for a few seconds at most.
   */
  public static Optional<String> format(RegionSettings settings) {
    DatabaseAddress address = settings.ownerAddress();
    try (Connection open =
            DriverManager.getConnection(address.url(), address.properties(MOST, MOST));
        PreparedStatement last = open.prepareStatement(LAST);
        ResultSet row = last.executeQuery()) {
      return row.next() ? Optional.ofNullable(row.getString(1)) : Optional.empty();
    } catch (SQLException unknown) {
      return Optional.empty(); // what is wrong with the database is logged when it is used
    }
  }

  /**
   * Runs the scripts that have not been run yet; returns at once when there are none. Blocks.
   *
   * @throws FlywayException when the database cannot be reached, refuses, or has another format
   */
  static void migrate(RegionSettings settings) {
    DatabaseAddress address = settings.ownerAddress();
    Flyway.configure(RegionSchema.class.getClassLoader())
        .dataSource(address.url(), address.user(), address.password())
        .locations("classpath:io/penstock/region/schema")
        .table(HISTORY)
        .baselineOnMigrate(true) // the same database may contain the keys
        .baselineVersion("0")
        .ignoreMigrationPatterns(new String[0]) // not even those of a later version
        .load()
        .migrate();
  }
}
