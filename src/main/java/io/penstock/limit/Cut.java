package io.penstock.limit;

import io.penstock.refusal.Refusal;

/** What a limit lets pass while this instance hears nothing of those it shares it with. */
public sealed interface Cut {
  /** All that comes; it counts all the same. */
  record Open() implements Cut {}

  /**
   * Nothing, and nobody is to wait.
   *
   * @param refusal what who asks is told
   */
  record Shut(Refusal refusal) implements Cut {}
}
