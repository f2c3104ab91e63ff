package io.penstock.limit;

import java.util.List;

/**
 * What an instance has to report of a shared limit.
 *
 * @param counted by cell, oldest first: what was spent there or may still be; cells of nothing are
 *     there too while they count
 * @param freeNow what may still be spent in the cell that runs
 * @param freeLater what may be in those to come
 * @param most the most that may be spent in any one of them
 * @param spent all that was ever spent
 */
public record Tally(List<Counted> counted, long freeNow, long freeLater, long most, long spent) {
  /**
   * One cell.
   *
   * @param cell of the shared clock
   * @param amount spent there or still to be, ≥ 0
   */
  public record Counted(long cell, long amount) {}
}
