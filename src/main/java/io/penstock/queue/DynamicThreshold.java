package io.penstock.queue;

/**
 * The most that one of several may hold of room that they share: three times as much as is still
 * free. So one alone takes three quarters of it, and however many take as much as they may, there
 * is always something left for the next one, without anything being set aside for those that do not
 * come.
 *
 * <p>Source: Choudhury and Hahne, <em>Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches</em>, IEEE/ACM Transactions on Networking, 1998.
 */
public final class DynamicThreshold {
  private static final int TIMES = 3;

  private DynamicThreshold() {}

  /**
   * Returns whether one holds too much.
   *
   * @param own what it holds, ≥ 0
   * @param free what nobody holds; negative where more is held than there is
   */
  public static boolean isExceeded(long own, long free) {
    return Math.ceilDiv(own, TIMES) > free;
  }

  /** Returns the most that one may hold of {@code room} while nobody else holds anything. */
  public static long ofOneAlone(long room) {
    return room - Math.ceilDiv(room, TIMES + 1);
  }
}
