package io.penstock.shares;

/**
 * Use of a limit by one instance at one instant: what it spent and waits for. Amounts are in the
 * measure of the limit.
 *
 * @param capacity of the whole limit; 0 once the instance does not share it any more
 * @param least what it must hold itself to: what it spent in windows that count
 * @param used what counts now; more than {@code least} where a share can be given up although it
 *     was spent
 * @param first the share that its first waiting request needs, 0 when none waits
 * @param waiting the sum of all that waits
 * @param recent what it spent in the last two seconds
 * @param cell the running window or day
 * @param isLong whether shares are handed out in small steps, because the window ends late
 * @param decayMillis for how long at most what is spent from now on counts, if nothing more is
 *     heard
 */
public record ShareUse(
    long capacity,
    long least,
    long used,
    long first,
    long waiting,
    long recent,
    Cell cell,
    boolean isLong,
    long decayMillis) {
  /**
   * A window or day that ends for all instances at once. A day that begins with its first use has
   * the instant of that as its number; until then its number is the present and its length 0.
   *
   * @param number grows by at least {@code length} from one to the next
   * @param length 0 if none runs, and for kinds that have none
   * @param earlier what this instance spent in the one before
   * @param sinceMillis for how long it has been running
   */
  public record Cell(long number, long length, long earlier, long sinceMillis) {
    /** That of kinds which do not end at once. */
    public static final Cell NONE = new Cell(0, 0, 0, 0);

    /** Returns whether this one is over when the other runs. */
    public boolean isBefore(Cell other) {
      return length > 0 && number + length <= other.number;
    }

    /** Returns whether one day begins with both, at instances that had not heard of each other. */
    boolean isSame(Cell other) {
      return length > 0 && other.length > 0 && Math.abs(number - other.number) <= length / 2;
    }

    /** Returns this one with the beginning of another. */
    Cell beginning(Cell other) {
      return new Cell(other.number, other.length, earlier, sinceMillis);
    }
  }

  private static final long PERCENT = 100;

  /** Returns the step in which shares of a long window are handed out. */
  public long step() {
    return Math.max(1, capacity / PERCENT);
  }

  /** Returns the share that the instance would like to have in all. */
  public long need(long share) {
    if (isLong) {
      return Math.min(capacity, Math.max(used + step(), first));
    }
    long grown = waiting > 0 ? share + share / 2 : 0;
    long wanted = Math.max(used, grown) + Math.min(waiting, capacity) + recent / 2 + step();
    return Math.min(capacity, Math.max(wanted, first));
  }

  /** Returns this use of an instance that does not share the limit any more. */
  public ShareUse ended() {
    return new ShareUse(0, least, used, 0, 0, 0, cell, isLong, decayMillis);
  }

  /** Returns whether nothing counts that was spent. */
  public boolean isUnspent() {
    return least == 0 && cell.earlier() == 0;
  }

  /** Returns for how long the store keeps a share that nobody states again. */
  public long keptMillis() {
    return Math.max(600_000, 4 * decayMillis);
  }

  /** Returns whether nothing is spent and nobody waits. */
  public boolean isIdle() {
    return used == 0 && waiting == 0 && recent == 0;
  }
}
