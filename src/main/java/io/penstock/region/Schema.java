package io.penstock.region;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** The tables, made and changed by numbered scripts, each once: of many instances one runs them. */
final class Schema {
  static final String HISTORY = "penstock_region_history";

  private Schema() {}

  /**
   * Runs the scripts that were not run yet; returns at once when there are none. Lets its thread
   * wait.
   *
   * @throws FlywayException when the database cannot be asked, or refuses
   */
  static void migrate(RegionSettings settings) {
    RegionSettings.Owner owner = settings.owner();
    DatabaseAddress address = settings.address();
    Flyway.configure(Schema.class.getClassLoader())
        .dataSource(
            address.jdbcUrl(),
            owner == null ? address.user() : owner.user(),
            owner == null ? address.password() : owner.password())
        .locations("classpath:io/penstock/region/schema")
        .table(HISTORY)
        .baselineOnMigrate(true) // keys may be kept in the same database
        .baselineVersion("0")
        .load()
        .migrate();
  }
}
