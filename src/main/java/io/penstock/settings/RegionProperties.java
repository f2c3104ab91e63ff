package io.penstock.settings;

import io.penstock.region.RegionSettings;
import io.penstock.store.DatabaseAddress;
import org.jspecify.annotations.Nullable;

/**
 * The settings {@code penstock.region.*}, and those of {@code penstock.database.*} that belong to
 * them: if a region is named, this gateway shares limits with those of other regions.
 */
public final class RegionProperties {
  private static final String NAME = "penstock.region.name";
  private static final String URL = "penstock.database.url";

  private RegionProperties() {}

  /**
   * Returns the settings, or null without {@code penstock.region.name}. The address of the database
   * is checked in any case.
   *
   * @throws IllegalArgumentException when one of them is invalid
   */
  public static @Nullable RegionSettings of(PenstockSettings settings) {
    String url = SecretText.textOf(settings.stores().database().url());
    DatabaseAddress address = url == null ? null : DatabaseAddress.parse(url);
    String name = settings.stores().region().name();
    if (name == null) {
      return null;
    }
    if (address == null) {
      throw new IllegalArgumentException(
          NAME + " is set, but " + URL + " is not: regions share limits through a database");
    }
    return new RegionSettings(
        name,
        settings.stores().workspace(),
        address,
        settings.stores().database().migrate(),
        owner(settings.stores().database()),
        settings.stores().region().share());
  }

  private static RegionSettings.@Nullable Owner owner(PenstockSettings.Database database) {
    String password = SecretText.textOf(database.migrationPassword());
    if (database.migrationUser() == null && password != null) {
      throw new IllegalArgumentException(
          "penstock.database.migration-password is set, but penstock.database.migration-user is"
              + " not");
    }
    return database.migrationUser() == null
        ? null
        : new RegionSettings.Owner(database.migrationUser(), password == null ? "" : password);
  }
}
