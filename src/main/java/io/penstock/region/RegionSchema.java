package io.penstock.region;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * The database tables, created and changed by numbered scripts. Each script runs once, on one of
 * the instances.
 */
final class RegionSchema {
  static final String HISTORY = "penstock_region_history";

  private RegionSchema() {}

  /**
   * Runs the scripts that have not been run yet; returns at once when there are none. Blocks.
   *
   * @throws FlywayException when the database cannot be reached, or refuses
   */
  static void migrate(RegionSettings settings) {
    RegionSettings.Owner owner = settings.owner();
    DatabaseAddress address = settings.address();
    Flyway.configure(RegionSchema.class.getClassLoader())
        .dataSource(
            address.jdbcUrl(),
            owner == null ? address.user() : owner.user(),
            owner == null ? address.password() : owner.password())
        .locations("classpath:io/penstock/region/schema")
        .table(HISTORY)
        .baselineOnMigrate(true) // the same database may contain the keys
        .baselineVersion("0")
        .load()
        .migrate();
  }
}
