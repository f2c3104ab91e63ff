package io.penstock.slices;

import io.penstock.sharing.StoreContact;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of rounds. Used by one thread at a time, except for {@link #shortages} and {@link
 * #figures}.
 */
final class RoundCounters {
  private final LongAdder shortages = new LongAdder();
  private long sent;
  private long answered;
  private long givenUp;
  private long answeredNanos;
  private volatile RoundFigures figures = RoundFigures.NONE;

  void shortages() {
    shortages.increment();
  }

  void sent() {
    sent++;
  }

  void answered(long tookNanos) {
    answered++;
    answeredNanos += tookNanos;
  }

  void gaveUp() {
    givenUp++;
  }

  /** Publishes the current values for {@link #figures}. */
  void publish(boolean learning, StoreContact contact, int limits, int barred) {
    figures =
        new RoundFigures(
            new RoundFigures.Rounds(sent, answered, givenUp, answeredNanos),
            shortages.sum(),
            learning,
            contact.silentSinceNanos(),
            Math.max(1, contact.members()),
            limits,
            barred);
  }

  RoundFigures figures() {
    return figures;
  }
}
