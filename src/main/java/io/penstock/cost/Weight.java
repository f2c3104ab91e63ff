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
 *     it, it is cut to what is left, ≥ 0
 * @param unseen a further part of {@code reserved} that is not needed: where there is no room for
 *     all of it, it is cut to half of what is left after the spare part, ≥ 0
 */
public record Weight(long taken, long reserved, long least, long whole, long spare, long unseen) {
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
    this(taken, reserved, least, whole, 0, 0);
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
    return amount() - spare - unseen;
  }

  /** Returns this weight with that much more reserved; itself when that is negative. */
  public Weight reserving(long more) {
    return more <= 0 ? this : new Weight(taken, reserved + more, least, whole, spare, unseen);
  }

  /** Returns this weight with that much more reserved, which can be spared. */
  public Weight sparing(long more) {
    return new Weight(taken, reserved + more, least, whole, spare + more, unseen);
  }

  /** Returns this weight with that much more reserved for input that the body does not contain. */
  public Weight sparingUnseen(long more) {
    return new Weight(taken, reserved + more, least, whole, spare, unseen + more);
  }

  /**
   * Returns this weight as it is if there is room for it; else what can be spared is cut to the
   * room that the rest leaves.
   */
  public Weight spared(long room) {
    if (amount() <= room) {
      return this;
    }
    long left = Math.max(0, room - needed());
    long keeps = Math.min(spare, left);
    long unseenKept = Math.min(unseen, (left - keeps) / 2);
    return new Weight(
        taken, reserved - (spare - keeps) - (unseen - unseenKept), least, whole, keeps, unseenKept);
  }

  /** Returns this weight with that much less taken, but never less than is certainly needed. */
  public Weight discounted(long discount) {
    return discount == 0
        ? this
        : new Weight(Math.max(least, taken - discount), reserved, least, whole, spare, unseen);
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
    long lost = reserved - held;
    long unseenLost = Math.min(unseen, lost);
    long spareLost = Math.min(spare, lost - unseenLost);
    return new Weight(cut, held, least, whole, spare - spareLost, unseen - unseenLost);
  }
}
