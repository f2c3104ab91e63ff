package io.penstock.cost;

/**
 * The amount that one ticket needs of one limit.
 *
 * @param taken charged at release, ≥ 0
 * @param reserved reserved while the answer runs and charged as it is produced, ≥ 0
 * @param least the part of {@code taken} that is certainly needed; the rest is expectation
 * @param whole the part of the amount that the provider counts at once, at least {@code least}: a
 *     limit with a smaller capacity never admits the ticket
 * @param spare the part of {@code reserved} that is not needed: where there is no room for all of
 *     it, it is cut to half of what is left, ≥ 0
 */
public record Weight(long taken, long reserved, long least, long whole, long spare) {
  public Weight {
    if (taken < 0 || reserved < 0 || least < 0 || least > taken) {
      throw new IllegalArgumentException(
          "weight is %d taken, %d held, %d least, expected 0 ≤ least ≤ taken and held ≥ 0"
              .formatted(taken, reserved, least));
    }
    if (whole < least) {
      throw new IllegalArgumentException(
          "weight is %d whole, expected at least %d".formatted(whole, least));
    }
  }

  /** Creates a weight that needs all that it reserves. */
  public Weight(long taken, long reserved, long least, long whole) {
    this(taken, reserved, least, whole, 0);
  }

  /** Creates a weight with a {@code whole} as small as its {@code least}. */
  public Weight(long taken, long reserved, long least) {
    this(taken, reserved, least, least);
  }

  /** Returns a weight without expectation. */
  public static Weight exactly(long taken) {
    return new Weight(taken, 0, taken);
  }

  /** Returns taken plus held: the amount that must be free for this to be admitted. */
  public long amount() {
    return taken + reserved;
  }

  /** Returns the amount without what can be spared. */
  public long needed() {
    return amount() - spare;
  }

  /** Returns this weight with that much more reserved; itself when that is negative. */
  public Weight reserving(long more) {
    return more <= 0 ? this : new Weight(taken, reserved + more, least, whole, spare);
  }

  /** Returns this weight with that much more reserved, which can be spared. */
  public Weight sparing(long more) {
    return new Weight(taken, reserved + more, least, whole, spare + more);
  }

  /**
   * Returns this weight as it is if there is room for it; else what can be spared is cut to half of
   * the room that the rest leaves.
   */
  public Weight spared(long room) {
    if (amount() <= room) {
      return this;
    }
    long left = Math.max(0, room - needed()) / 2;
    long cut = Math.max(0, spare - left);
    return new Weight(taken, reserved - cut, least, whole, spare - cut);
  }

  /** Returns this weight with that much less taken, but never less than is certainly needed. */
  public Weight discounted(long discount) {
    return discount == 0
        ? this
        : new Weight(Math.max(least, taken - discount), reserved, least, whole, spare);
  }

  /**
   * Returns this weight with its expectation cut to what {@code capacity} could ever admit; a
   * {@code least} above the capacity stays.
   */
  public Weight within(long capacity) {
    if (amount() <= capacity || least > capacity) {
      return this;
    }
    long cut = Math.max(least, Math.min(taken, capacity));
    long held = Math.min(reserved, capacity - cut);
    return new Weight(cut, held, least, whole, Math.max(0, spare - (reserved - held)));
  }
}
