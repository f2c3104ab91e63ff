package io.penstock.shares;

/**
 * The fate of what an instance may hold that is gone, as an operator says.
 *
 * @param lives whether it lives, so that nothing was released
 * @param slots how many slots have released what it did not spend
 * @param away how many slots could not be asked
 * @param limits at how many limits of this instance a share of it was seen
 */
public record ShareRelease(boolean lives, int slots, int away, long limits) {
  static final ShareRelease UNKNOWN = new ShareRelease(false, 0, 0, 0);
  static final ShareRelease LIVES = new ShareRelease(true, 0, 0, 0);
  static final ShareRelease AWAY = new ShareRelease(false, 0, 1, 0);

  ShareRelease with(ShareRelease other) {
    return new ShareRelease(
        lives || other.lives, slots + other.slots, away + other.away, limits + other.limits);
  }
}
