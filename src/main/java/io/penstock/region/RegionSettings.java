package io.penstock.region;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How limits are shared with other regions.
 *
 * @param region the name of this one, another one than that of all others
 * @param workspace regions share limits within one
 * @param address where the database is
 * @param migrates whether tables are made and changed here when it starts
 * @param owner who may do that; null when it is the user of the address
 * @param share of a limit that is to be used of a cell before others are told, 0 to 1
 */
public record RegionSettings(
    String region,
    String workspace,
    DatabaseAddress address,
    boolean migrates,
    @Nullable Owner owner,
    double share) {
  /** Of a limit, where nothing else is said. */
  public static final double SHARE = 0.05;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** A user of the database that may make and change tables. */
  public record Owner(String user, String password) {
    @Override
    public String toString() {
      return "Owner[" + user + "]";
    }
  }

  public RegionSettings {
    check("penstock.region.name", region);
    check("penstock.workspace", workspace);
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "penstock.region.share is " + share + ", expected a number from 0 to 1");
    }
  }

  private static void check(String property, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s is '%s', expected 1 to 64 letters, digits, dots, dashes and underscores"
              .formatted(property, name));
    }
  }
}
