package io.penstock.limit;

import io.penstock.refusal.Refusal;

/** Behavior of a limit while this instance has lost contact with those it shares the limit with. */
public sealed interface OutageCap {
  /** Everything passes, and is counted all the same. */
  record Open() implements OutageCap {}

  /**
   * Nothing passes, and tickets are refused instead of waiting.
   *
   * @param refusal the refusal that requests receive
   */
  record Shut(Refusal refusal) implements OutageCap {}
}
