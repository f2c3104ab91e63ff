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

  /**
   * A limit that is shared in slices passes one of {@code members} equal parts, as if this instance
   * had a limit of that size alone. The amount that it took before counts. More than a part has to
   * wait for contact.
   *
   * @param members the number of instances that share the limit, ≥ 1
   */
  record Share(long members) implements OutageCap {}
}
