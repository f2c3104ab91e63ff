package io.penstock.coordination;

/** Counts what there is of something, up to a bound. One thread at a time. */
final class Places {
  private final long most;
  private long taken;

  Places(long most) {
    this.most = most;
  }

  /** Takes one; false when there is none. */
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

  long taken() {
    return taken;
  }
}
