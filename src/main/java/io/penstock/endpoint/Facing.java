package io.penstock.endpoint;

import io.penstock.quota.Account;
import org.jspecify.annotations.Nullable;

/**
 * What a ticket faces: all that decides which ways it can go. Those that face the same wait in one
 * lane.
 *
 * @param model the model it asks for, or null
 * @param paid whether all but the upstream have given already: it was let go before, and came back
 * @param only the id of the upstream it is kept to, or null
 * @param not the id of the upstream it avoids, or null. It stops to avoid it as soon as no other
 *     that serves it is {@linkplain Route#available available}, and then goes to any
 * @param widely whether other models may serve in the place of its own
 * @param account what it waits for of its own, or null when that has been charged already, or there
 *     is nothing
 */
record Facing(
    @Nullable String model,
    boolean paid,
    @Nullable String only,
    @Nullable String not,
    boolean widely,
    @Nullable Account account) {
  /**
   * Returns what a ticket faces that has just come, and may go to any upstream.
   *
   * @param account of its caller, or null
   */
  static Facing of(@Nullable String model, @Nullable Account account) {
    boolean waits = account != null && account.waits();
    return new Facing(model, false, null, null, false, waits ? account : null);
  }

  /** Returns what one faces that is kept to an upstream. */
  Facing keptTo(@Nullable String upstream) {
    return new Facing(model, paid, upstream, not, widely, account);
  }

  /** Returns what one faces that comes back, avoiding one upstream or kept to another. */
  Facing again(@Nullable String avoided, @Nullable String keptTo) {
    return new Facing(model, true, keptTo, avoided, widely, null);
  }

  /** Returns what one faces that avoids no upstream any more. */
  Facing avoidingNone() {
    return new Facing(model, paid, only, null, widely, account);
  }

  /** Returns what one faces that other models may serve. */
  Facing widened() {
    return new Facing(model, paid, only, not, true, account);
  }
}
