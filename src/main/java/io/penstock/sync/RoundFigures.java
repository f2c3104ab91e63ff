package io.penstock.sync;

/**
 * What became of rounds until now, and how this instance stands with the store.
 *
 * @param sent how many
 * @param answered how many of them, in time
 * @param givenUp how many failed, or had no answer in time
 * @param answeredNanos how long those took together that were answered
 * @param dry how often slices did not suffice for one who came
 * @param learning whether nothing is taken because the store may know too little
 * @param cutOff whether nothing was heard for as long as slices last, or nothing is taken since
 * @param members how many instances shared limits at the last contact, this one included
 * @param limits how many limits are shared in slices
 * @param barred how many of them are granted nothing because what was spent may have been lost
 */
public record RoundFigures(
    long sent,
    long answered,
    long givenUp,
    long answeredNanos,
    long dry,
    boolean learning,
    boolean cutOff,
    long members,
    int limits,
    int barred) {
  static final RoundFigures NONE = new RoundFigures(0, 0, 0, 0, 0, true, false, 1, 0, 0);
}
