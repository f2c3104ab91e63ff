package io.penstock.settings;

/** Reads settings that are a share of something. */
final class ShareSettings {
  private ShareSettings() {}

  /**
   * Returns a share, 0 to 1.
   *
   * @throws CannotStart when the stated text is no such number
   */
  static double of(String property, String stated) {
    try {
      double share = Double.parseDouble(stated);
      if (share >= 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException none) {
      throw noShare(property, stated);
    }
    throw noShare(property, stated);
  }

  private static CannotStart noShare(String property, String stated) {
    return new CannotStart(property + " is '" + stated + "', expected a number from 0 to 1");
  }
}
