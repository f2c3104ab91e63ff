package io.penstock.endpoint;

/**
 * The place of a ticket among those who wait, at an instant.
 *
 * @param ticket it
 * @param position its place in the order in which they would go if everything fitted, from 1; 0
 *     when it is too far behind to be counted, or not in the queue yet
 * @param expectedNanos how long it will wait from then on, roughly; {@link
 *     io.penstock.time.Ticker#NEVER} when that cannot be known
 */
public record Place(Pending ticket, int position, long expectedNanos) {}
