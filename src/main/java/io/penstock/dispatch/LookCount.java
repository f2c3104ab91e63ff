package io.penstock.dispatch;

/**
 * The number of looks at waiting tickets and lanes that the owner of a queue has taken. The time
 * that an arrival or a step takes grows with it, so each ends early after {@value #MOST}. Only the
 * owner of the queue may use it.
 */
final class LookCount {
  /** Most looks of one arrival and of one step. */
  static final int MOST = 2_000;

  private long looks;
  private long until = MOST;
  private long keep;

  /** Begins something that may take {@code most} looks, a quarter of them for releases alone. */
  void begin(int most) {
    until = looks + most;
    keep = most / 4;
  }

  void add(long more) {
    looks += more;
  }

  /** Returns whether as many were taken as may be. */
  boolean spent() {
    return looks >= until;
  }

  /** Returns how many are left for anything but releases, ≥ 0. */
  int left() {
    return (int) Math.max(0, until - keep - looks);
  }

  /** Returns how many there were so far. */
  long looks() {
    return looks;
  }
}
