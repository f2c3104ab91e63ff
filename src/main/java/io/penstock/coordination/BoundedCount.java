package io.penstock.coordination;

/** Count with a bound. Used by one thread at a time. */
final class BoundedCount {
  private final long most;
  private long taken;

  BoundedCount(long most) {
    this.most = most;
  }

  /** Increases the count by one; returns false when it is at the bound. */
  boolean take() {
    if (taken >= most) {
      return false;
    }
    taken++;
    return true;
  }

  void free(long count) {
    taken -= count;
  }

  long most() {
    return most;
  }
}
