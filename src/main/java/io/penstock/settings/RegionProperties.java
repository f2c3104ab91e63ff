package io.penstock.settings;

import io.penstock.region.DatabaseAddress;
import io.penstock.region.RegionSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * The settings {@code penstock.region.*}, and those of {@code penstock.database.*} that belong to
 * them: if a region is named, this gateway shares limits with those of other regions.
 */
public final class RegionProperties {
  private static final String NAME = "penstock.region.name";
  private static final String SHARE = "penstock.region.share";
  private static final String URL = "penstock.database.url";
  private static final String MIGRATE = "penstock.database.migrate";
  private static final String OWNER = "penstock.database.migration-user";
  private static final String PASSWORD = "penstock.database.migration-password";

  private RegionProperties() {}

  /** Registers the settings as a bean, if there are any. */
  public static void register(ConfigurableApplicationContext context) {
    RegionSettings settings = of(context.getEnvironment());
    if (settings != null) {
      context.getBeanFactory().registerSingleton("regionSettings", settings);
    }
  }

  /**
   * Returns the settings, or null without {@code penstock.region.name}.
   *
   * @throws CannotStart when one of them is invalid
   */
  static @Nullable RegionSettings of(Environment environment) {
    String name = text(environment, NAME);
    if (name == null) {
      return null;
    }
    String url = text(environment, URL);
    if (url == null) {
      throw new CannotStart(
          NAME + " is set, but " + URL + " is not: regions share limits through a database");
    }
    String workspace = text(environment, "penstock.workspace");
    String share = text(environment, SHARE);
    try {
      return new RegionSettings(
          name,
          workspace == null ? "default" : workspace,
          DatabaseAddress.parse(url),
          migrates(environment),
          owner(environment),
          share == null ? RegionSettings.SHARE : ShareSettings.of(SHARE, share));
    } catch (IllegalArgumentException bad) {
      throw new CannotStart(String.valueOf(bad.getMessage()));
    }
  }

  private static boolean migrates(Environment environment) {
    String stated = text(environment, MIGRATE);
    return switch (stated == null ? "true" : stated) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new CannotStart(MIGRATE + " is '" + stated + "', expected true or false");
    };
  }

  private static RegionSettings.@Nullable Owner owner(Environment environment) {
    String user = text(environment, OWNER);
    String password = environment.getProperty(PASSWORD);
    if (user == null && password != null) {
      throw new CannotStart(PASSWORD + " is set, but " + OWNER + " is not");
    }
    return user == null ? null : new RegionSettings.Owner(user, password == null ? "" : password);
  }

  private static @Nullable String text(Environment environment, String name) {
    String value = environment.getProperty(name, "").strip();
    return value.isEmpty() ? null : value;
  }
}
