package io.penstock.slices;

import io.penstock.sharing.StoreContact;

/**
 * Statistics of rounds until now, and the state of this instance towards the store.
 *
 * @param rounds counts of the rounds
 * @param shortages how often slices did not suffice for a ticket
 * @param recovering whether nothing is taken because the store may not know all spending
 * @param silentSinceNanos when the last answer came, if nothing was heard for the lifetime of a
 *     slice, and nothing may be taken since; otherwise {@link StoreContact#CONNECTED}
 * @param members number of instances that shared limits at the last contact, including this one
 * @param limits number of limits shared in slices
 * @param barred number of them that grant nothing because spending may have been lost
 */
public record RoundFigures(
    Rounds rounds,
    long shortages,
    boolean recovering,
    long silentSinceNanos,
    long members,
    int limits,
    int barred) {
  /**
   * Counts of rounds.
   *
   * @param sent number of rounds
   * @param answered number of them answered in time
   * @param givenUp number of them that failed, or had no answer in time
   * @param answeredNanos total time of the answered ones
   */
  public record Rounds(long sent, long answered, long givenUp, long answeredNanos) {}

  static final RoundFigures NONE =
      new RoundFigures(new Rounds(0, 0, 0, 0), 0, true, StoreContact.CONNECTED, 1, 0, 0);

  /** Returns whether nothing was heard for the lifetime of a slice. */
  public boolean cutOff() {
    return silentSinceNanos != StoreContact.CONNECTED;
  }
}
