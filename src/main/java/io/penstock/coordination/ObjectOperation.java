package io.penstock.coordination;

/**
 * Operation on a coordination object. Sizes are 0 or more, where 0 lets no client pass; times are
 * nanoseconds, from 0 to {@link #MOST_NANOS}.
 */
public sealed interface ObjectOperation {
  /** The longest time, some thirty years. */
  long MOST_NANOS = 1_000_000_000_000_000_000L;

  /** The largest size. */
  long MOST_SIZE = 1_000_000_000L;

  /** Returns the kind of the object. */
  ObjectKind kind();

  /** Returns whether the operation may wait before it is answered. */
  default boolean waits() {
    return false;
  }

  /**
   * Takes a token from a bucket, which gets {@code size} new tokens each interval of 1 ns or
   * longer.
   */
  record TakeToken(long size, long intervalNanos) implements ObjectOperation {
    public TakeToken {
      checkSize(size);
      checkTime(intervalNanos, 1);
    }

    @Override
    public ObjectKind kind() {
      return ObjectKind.TOKENBUCKET;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /**
   * Acquires one of {@code size} permits under a key, until it is released or expires; 0 means
   * never.
   */
  record Acquire(long size, String key, long expiresNanos) implements ObjectOperation {
    public Acquire {
      checkSize(size);
      checkTime(expiresNanos, 0);
    }

    @Override
    public ObjectKind kind() {
      return ObjectKind.SEMAPHORE;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Releases the permit held under a key. */
  record Release(String key) implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.SEMAPHORE;
    }
  }

  /** Waits until an event is sent. */
  record AwaitEvent() implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.EVENT;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Sends an event, with a message that may be empty. */
  record Send(String message) implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.EVENT;
    }
  }

  /** Waits until a watchdog was not kicked in time. */
  record AwaitSilence() implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.WATCHDOG;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Kicks a watchdog, which expects the next kick before {@code expiresNanos} have passed. */
  record Kick(long expiresNanos) implements ObjectOperation {
    public Kick {
      checkTime(expiresNanos, 0);
    }

    @Override
    public ObjectKind kind() {
      return ObjectKind.WATCHDOG;
    }
  }

  /** Adds an amount, which may be negative, to a counter. */
  record Count(long amount) implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.COUNTER;
    }
  }

  /** Reads a counter. */
  record Value() implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.COUNTER;
    }
  }

  /** Sets a counter. */
  record Reset(long value) implements ObjectOperation {
    @Override
    public ObjectKind kind() {
      return ObjectKind.COUNTER;
    }
  }

  /** Waits until {@code size} clients wait at a barrier. */
  record Arrive(long size) implements ObjectOperation {
    public Arrive {
      checkSize(size);
    }

    @Override
    public ObjectKind kind() {
      return ObjectKind.BARRIER;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Reads the statistics of an object. */
  record Inspect(ObjectKind kind) implements ObjectOperation {}

  /** Removes an object. */
  record Delete(ObjectKind kind) implements ObjectOperation {}

  private static void checkSize(long size) {
    if (size < 0 || size > MOST_SIZE) {
      throw new IllegalArgumentException("size is " + size + ", expected 0 to " + MOST_SIZE);
    }
  }

  private static void checkTime(long nanos, long least) {
    if (nanos < least || nanos > MOST_NANOS) {
      throw new IllegalArgumentException(
          "a time is " + nanos + " ns, expected " + least + " to " + MOST_NANOS);
    }
  }
}
