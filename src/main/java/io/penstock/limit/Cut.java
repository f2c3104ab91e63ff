package io.penstock.limit;

import io.penstock.refusal.Refusal;

/** What a limit lets pass while this instance hears nothing of those it shares it with. */
public sealed interface Cut {
  /**
   * An equal part of it in each window, as if it were a limit of its own: what was spent here
   * before counts.
   *
   * @param members among how many it is divided, rounded down; 0 leaves nothing
   */
  record Part(long members) implements Cut {
    public Part {
      if (members < 0) {
        throw new IllegalArgumentException("members is " + members + ", expected 0 or more");
      }
    }

    long of(long capacity) {
      return members == 0 ? 0 : capacity / members;
    }
  }

  /** All that comes; it counts all the same. */
  record Open() implements Cut {}

  /**
   * Nothing, and nobody is to wait.
   *
   * @param refusal what who asks is told
   */
  record Shut(Refusal refusal) implements Cut {}
}
