package io.penstock.limit;

import java.util.List;

/**
 * Report of an instance about a shared limit.
 *
 * @param counted by cell, oldest first: amounts that were spent there or may still be. Cells with
 *     nothing are included while they count
 * @param usableNow the amount that may still be spent in the running cell
 * @param usableLater the amount that may be spent in later cells
 * @param largestUsable the largest amount that may be spent in any one of them
 * @param spent the total of all that was ever spent
 */
public record SpendingReport(
    List<CellAmount> counted, long usableNow, long usableLater, long largestUsable, long spent) {}
