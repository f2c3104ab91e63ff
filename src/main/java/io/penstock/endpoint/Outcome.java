package io.penstock.endpoint;

import io.penstock.refusal.Refusal;

/** What became of a ticket. */
public sealed interface Outcome {
  /** It may go. Whoever receives this settles it, exactly once, whatever happens. */
  record Granted(Settlement settlement) implements Outcome {}

  /** It will not be served. */
  record Refused(Refusal refusal) implements Outcome {}
}
