package io.penstock.limit;

/**
 * An amount in one cell of the shared clock: a slice that was granted, or what was spent there or
 * may still be spent.
 *
 * @param cell the number of the cell, as {@link CellPartition} counts them
 * @param amount in the measure of the limit, ≥ 0
 */
public record CellAmount(long cell, long amount) {
  public CellAmount {
    if (amount < 0) {
      throw new IllegalArgumentException("amount is " + amount + ", expected 0 or more");
    }
  }
}
