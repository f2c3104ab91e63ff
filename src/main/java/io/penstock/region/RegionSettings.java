package io.penstock.region;

import io.penstock.store.DatabaseAddress;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Settings for sharing limits with other regions.
 *
 * @param region name of this region, different from that of each other region
 * @param workspace name of the group of regions that share limits
 * @param address address of the database
 * @param migrates whether this instance creates and changes the tables at start
 * @param owner user that may do so; null for the user of the address
 * @param share of a limit that must be used in a cell before other regions are informed, 0 to 1
 */
public record RegionSettings(
    String region,
    String workspace,
    DatabaseAddress address,
    boolean migrates,
    @Nullable Owner owner,
    double share) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** Database user that may create and change tables. */
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

  /** Returns the address with the user that may create and change tables. */
  DatabaseAddress ownerAddress() {
    return owner == null ? address : address.as(owner.user(), owner.password());
  }

  private static void check(String property, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s is '%s', expected 1 to 64 letters, digits, dots, dashes and underscores"
              .formatted(property, name));
    }
  }
}
