package io.penstock.limit;

/**
 * Use of a limit that is held to a share, at one instant.
 *
 * @param capacity of the whole limit now, ≥ 1
 * @param share what may be spent at most
 * @param least what was spent, and still counts
 * @param used what counts of the share; more than {@code least} for a bucket, which gives up what
 *     was spent
 * @param needed the share that all that wait need, one at a time; 0 when nothing waits
 * @param waiting the largest amount that waits; 0 for none
 * @param spent all that was ever spent
 * @param earlier what was spent in the window or day before the running one
 */
public record ShareStanding(
    long capacity,
    long share,
    long least,
    long used,
    long needed,
    long waiting,
    long spent,
    long earlier) {}
