package io.penstock.coordination;

/**
 * What somebody wants of an object. Sizes are 0 or more, where 0 lets nobody pass; times are
 * nanoseconds, 0 or more and at most {@link #MOST_NANOS}.
 */
public sealed interface Operation {
  /** The longest of all times, some thirty years. */
  long MOST_NANOS = 1_000_000_000_000_000_000L;

  /** The largest of all sizes. */
  long MOST_SIZE = 1_000_000_000L;

  /** Returns of which kind the object is. */
  Kind kind();

  /** Returns whether it may take a while until it is answered. */
  default boolean waits() {
    return false;
  }

  /** Takes a token of a bucket, which has {@code size} new ones each interval, 1 ns or longer. */
  record TakeToken(long size, long intervalNanos) implements Operation {
    public TakeToken {
      checkSize(size);
      checkTime(intervalNanos, 1);
    }

    @Override
    public Kind kind() {
      return Kind.TOKENBUCKET;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Holds one of {@code size} places under a key, until it is released or expires; 0 is never. */
  record Acquire(long size, String key, long expiresNanos) implements Operation {
    public Acquire {
      checkSize(size);
      checkTime(expiresNanos, 0);
    }

    @Override
    public Kind kind() {
      return Kind.SEMAPHORE;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Gives back what is held under a key. */
  record Release(String key) implements Operation {
    @Override
    public Kind kind() {
      return Kind.SEMAPHORE;
    }
  }

  /** Waits until an event is sent. */
  record AwaitEvent() implements Operation {
    @Override
    public Kind kind() {
      return Kind.EVENT;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Sends an event, with a message that may be empty. */
  record Send(String message) implements Operation {
    @Override
    public Kind kind() {
      return Kind.EVENT;
    }
  }

  /** Waits until a watchdog was not kicked in time. */
  record AwaitSilence() implements Operation {
    @Override
    public Kind kind() {
      return Kind.WATCHDOG;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Kicks a watchdog, which expects the next kick before {@code expiresNanos} have passed. */
  record Kick(long expiresNanos) implements Operation {
    public Kick {
      checkTime(expiresNanos, 0);
    }

    @Override
    public Kind kind() {
      return Kind.WATCHDOG;
    }
  }

  /** Adds to a counter, or takes from it. */
  record Count(long amount) implements Operation {
    @Override
    public Kind kind() {
      return Kind.COUNTER;
    }
  }

  /** Reads a counter. */
  record Value() implements Operation {
    @Override
    public Kind kind() {
      return Kind.COUNTER;
    }
  }

  /** Sets a counter. */
  record Reset(long value) implements Operation {
    @Override
    public Kind kind() {
      return Kind.COUNTER;
    }
  }

  /** Waits until {@code size} wait at a barrier. */
  record Arrive(long size) implements Operation {
    public Arrive {
      checkSize(size);
    }

    @Override
    public Kind kind() {
      return Kind.BARRIER;
    }

    @Override
    public boolean waits() {
      return true;
    }
  }

  /** Asks what happened at an object so far. */
  record Inspect(Kind kind) implements Operation {}

  /** Removes an object. */
  record Delete(Kind kind) implements Operation {}

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
