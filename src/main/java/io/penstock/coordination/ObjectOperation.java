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
  default ObjectKind kind() {
    return switch (this) {
      case TakeToken _ -> ObjectKind.TOKENBUCKET;
      case Acquire _, Release _ -> ObjectKind.SEMAPHORE;
      case AwaitEvent _, Send _ -> ObjectKind.EVENT;
      case AwaitSilence _, Kick _ -> ObjectKind.WATCHDOG;
      case Count _, Value _, Reset _ -> ObjectKind.COUNTER;
      case Arrive _ -> ObjectKind.BARRIER;
      case Inspect(ObjectKind kind) -> kind;
      case Delete(ObjectKind kind) -> kind;
    };
  }

  /** Returns whether the operation may wait before it is answered. */
  default boolean waits() {
    return switch (this) {
      case TakeToken _, Acquire _, AwaitEvent _, AwaitSilence _, Arrive _ -> true;
      case Release _, Send _, Kick _, Count _, Value _, Reset _, Inspect _, Delete _ -> false;
    };
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
  }

  /** Releases the permit held under a key. */
  record Release(String key) implements ObjectOperation {}

  /** Waits until an event is sent. */
  record AwaitEvent() implements ObjectOperation {}

  /** Sends an event, with a message that may be empty. */
  record Send(String message) implements ObjectOperation {}

  /** Waits until a watchdog was not kicked in time. */
  record AwaitSilence() implements ObjectOperation {}

  /** Kicks a watchdog, which expects the next kick before {@code expiresNanos} have passed. */
  record Kick(long expiresNanos) implements ObjectOperation {
    public Kick {
      checkTime(expiresNanos, 0);
    }
  }

  /** Adds an amount, which may be negative, to a counter. */
  record Count(long amount) implements ObjectOperation {}

  /** Reads a counter. */
  record Value() implements ObjectOperation {}

  /** Sets a counter. */
  record Reset(long value) implements ObjectOperation {}

  /** Waits until {@code size} clients wait at a barrier. */
  record Arrive(long size) implements ObjectOperation {
    public Arrive {
      checkSize(size);
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
